#include "svc-runner/files.hpp"

#include "svc/core/setting_text.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

namespace svc::runner {
namespace {

/// What stands after `name` in its line, up to the next white space.
std::string_view field(std::string_view status, std::string_view name) {
  auto at = status.find(name);
  if (at == std::string_view::npos) return {};
  at += name.size();
  return status.substr(at, status.find_first_of("\t \n", at) - at);
}

}  // namespace

std::optional<std::string> read_text(std::string const& path) {
  int const in = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (in < 0) return std::nullopt;
  std::string out;
  std::array<char, 4096> part;
  for (;;) {
    auto const got = ::read(in, part.data(), part.size());
    if (got <= 0) break;
    out.append(part.data(), static_cast<std::size_t>(got));
  }
  ::close(in);
  return out;
}

bool write_text(std::string const& path, std::string_view text) {
  int const out = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (out < 0) return false;
  bool const good = ::write(out, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(out);
  return good;
}

std::int64_t living_user(std::string_view status) {
  auto const state = field(status, "\nState:\t");
  if (state.empty() || state == "Z" || state == "X") return -1;
  return parse_integer(field(status, "\nUid:\t")).value_or(-1);
}

std::map<std::int64_t, std::int64_t> living_users() {
  std::map<std::int64_t, std::int64_t> out;
  std::error_code gone;
  for (std::filesystem::directory_iterator at("/proc", gone); !gone && at != std::filesystem::directory_iterator();
       at.increment(gone)) {
    auto const name = at->path().filename().string();
    if (!std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) continue;
    auto const user = living_user(read_text(at->path() / "status").value_or(""));
    if (user >= 0) ++out[user];
  }
  return out;
}

}  // namespace svc::runner
