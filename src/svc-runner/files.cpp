#include "svc-runner/files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>

namespace svc::runner {

std::optional<std::string> read_text(std::string const& path) {
  int const count = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (count < 0) return std::nullopt;
  std::string out;
  std::array<char, 4096> part;
  for (;;) {
    auto const got = ::read(count, part.data(), part.size());
    if (got <= 0) break;
    out.append(part.data(), static_cast<std::size_t>(got));
  }
  ::close(count);
  return out;
}

bool write_text(std::string const& path, std::string_view text) {
  int const out = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (out < 0) return false;
  bool const good = ::write(out, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(out);
  return good;
}

}  // namespace svc::runner
