#include "svc/sign_in/denied_passwords.hpp"

#include "sign_in/sorted_lines.hpp"
#include "svc/core/ascii.hpp"
#include "svc/core/bytes.hpp"
#include "svc/core/file_problem.hpp"
#include "svc/core/log.hpp"
#include "svc/core/result.hpp"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace svc::sign_in {
namespace {

constexpr std::size_t sha1_digits = 40;

/// Lower-case hexadecimal digits.
std::string sha1_of(std::string_view text) {
  std::array<std::uint8_t, 20> digest{};
  if (EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha1(), nullptr) != 1)
    throw std::runtime_error("SHA-1 failed");
  return to_hex(digest);
}

/// Returns the digits of a line in lower case. Throws `std::runtime_error` for another line.
std::string digits_of(std::string_view line) {
  auto const digits = lower_case(line.substr(0, line.find(':')));
  if (digits.size() != sha1_digits || digits.find_first_not_of("0123456789abcdef") != std::string::npos)
    throw std::runtime_error("has a line without the 40 hexadecimal digits of a SHA-1 at its start");
  return digits;
}

/// An open file. Belongs to one search.
class open_file {
 public:
  explicit open_file(std::string const& path) {
    if (auto const problem = file_problem(path)) throw std::runtime_error(*problem);
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat found{};
    if (descriptor_ < 0 || ::fstat(descriptor_, &found) != 0 || !S_ISREG(found.st_mode)) {
      close_file();
      throw std::runtime_error("is no file that can be read");
    }
    size_ = static_cast<std::uint64_t>(found.st_size);
  }
  open_file(open_file const&) = delete;
  open_file& operator=(open_file const&) = delete;
  ~open_file() { close_file(); }

  std::uint64_t size() const { return size_; }
  /// Valid until the next call.
  std::string_view read_piece(std::uint64_t offset) {
    auto const count = ::pread(descriptor_, buffer_.data(), buffer_.size(), static_cast<off_t>(offset));
    if (count < 0) throw std::runtime_error("cannot be read");
    return {buffer_.data(), static_cast<std::size_t>(count)};
  }

 private:
  void close_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::array<char, sorted_piece> buffer_{};
};

bool file_has(std::string const& path, std::string const& digits) {
  open_file file(path);
  return has_line(
      file.size(), [&](std::uint64_t offset) { return file.read_piece(offset); },
      [&](std::string_view line) { return digits_of(line) <=> digits; });
}

}  // namespace

bool denied_passwords::contains(std::string_view password) const {
  if (path_.empty()) return false;
  try {
    return file_has(path_, sha1_of(password));
  } catch (std::runtime_error const& e) {
    log::error("the file of denied passwords cannot be used; nobody can set a password",
               {{"file", path_}, {"reason", e.what()}});
    throw unavailable("the file of denied passwords cannot be used");
  }
}

void denied_passwords::check() const {
  if (path_.empty()) return;
  constexpr std::uint64_t samples = 1000;
  open_file file(path_);
  if (file.size() == 0) throw std::runtime_error("is empty");
  std::string last;
  for (std::uint64_t sample = 0; sample < samples; ++sample) {
    auto const line = line_after(file.size() * sample / samples, file.size(),
                                 [&](std::uint64_t offset) { return file.read_piece(offset); });
    if (!line) break;
    auto digits = digits_of(line->text);
    if (digits < last) throw std::runtime_error("is not sorted");
    last = std::move(digits);
  }
}

}  // namespace svc::sign_in
