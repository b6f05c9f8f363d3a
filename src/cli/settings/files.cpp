#include "cli/settings/files.hpp"

#include "cli/console/failure.hpp"
#include "cli/console/interrupt.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace svc::cli {
namespace {

failure file_failure(std::string const& path, std::string const& subject, std::string hint = {}) {
  return {exit_code::usage, "file", path + " " + subject, std::move(hint)};
}

failure system_failure(std::string const& path, std::string const& subject) {
  return file_failure(path, subject + ": " + std::strerror(errno) + ".");
}

/// Closes its descriptor.
class open_file {
 public:
  open_file(std::string const& path, int flags, mode_t mode = 0)
      : descriptor_(::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, mode)) {}
  ~open_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  open_file(open_file const&) = delete;
  open_file& operator=(open_file const&) = delete;

  bool good() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

/// Reads a regular file into `out`, a resizable text. `file` was opened without blocking.
template <class Text>
void read_to_end(open_file const& file, std::string const& path, Text& out) {
  std::size_t have = 0;
  while (have < out.size()) {
    auto const got = ::read(file.get(), out.data() + have, out.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_failure(path, "cannot be read");
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  if (have == out.size()) throw file_failure(path, "is larger than " + std::to_string(out.size() - 1) + " bytes.");
  out.resize(have);
}

struct stat checked_regular(open_file const& file, std::string const& path) {
  struct stat about{};
  if (::fstat(file.get(), &about) != 0) throw system_failure(path, "cannot be examined");
  if (!S_ISREG(about.st_mode)) throw file_failure(path, "is not a regular file.");
  return about;
}

/// Returns why other users can read or replace the file; empty: they cannot.
std::string openness(std::string const& path, struct stat const& about) {
  if (about.st_uid != ::geteuid()) return "belongs to another user.";
  if ((about.st_mode & 077U) != 0) return "can be read or changed by other users.";
  struct stat directory{};
  bool const exposed = ::stat(directory_of(path).c_str(), &directory) == 0 && (directory.st_mode & 022U) != 0 &&
                       (directory.st_mode & S_ISVTX) == 0;
  return exposed ? "is in a directory that other users can write to." : "";
}

constexpr char const* openness_hint =
    "Others may have read the tokens in it: revoke them (svc token revoke), delete the file, and log in again.";

void make_directory(std::string const& path) {
  if (path == "." || path == "/" || ::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return;
  if (errno == ENOENT) {
    make_directory(directory_of(path));
    if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return;
  }
  throw system_failure(path, "cannot be made");
}

void write_all(open_file const& file, std::string const& path, std::string_view content) {
  while (!content.empty()) {
    auto const put = ::write(file.get(), content.data(), content.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) throw system_failure(path, "cannot be written");
    content.remove_prefix(static_cast<std::size_t>(put));
  }
  if (::fsync(file.get()) != 0) throw system_failure(path, "cannot be written");
}

/// Removes a temporary file that was not renamed.
class unfinished_file {
 public:
  explicit unfinished_file(std::string path) : path_(std::move(path)) {}
  ~unfinished_file() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  unfinished_file(unfinished_file const&) = delete;
  unfinished_file& operator=(unfinished_file const&) = delete;

  void become(std::string const& path) {
    if (::rename(path_.c_str(), path.c_str()) != 0) throw system_failure(path, "cannot be replaced");
    path_.clear();
  }

 private:
  std::string path_;
};

/// Writes a file next to `path`, passes it to `try_out`, which may throw, and renames it.
void replace_file(std::string const& path, std::string_view content, mode_t mode,
                  std::function<void(std::string const&)> const& try_out) {
  auto const beside = path + "." + std::to_string(::getpid()) + ".new";
  unfinished_file finished(beside);
  ::unlink(beside.c_str());
  {
    open_file const file(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
    if (!file.good()) throw system_failure(beside, "cannot be made");
    write_all(file, beside, content);
  }
  if (try_out) try_out(beside);
  finished.become(path);
  open_file const entry(directory_of(path), O_RDONLY | O_DIRECTORY);
  if (entry.good()) ::fsync(entry.get());
}

}  // namespace

std::string directory_of(std::string const& path) {
  auto const slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::optional<std::string> read_regular_file(std::string const& path, std::size_t most) {
  open_file const file(path, O_RDONLY | O_NONBLOCK);
  if (!file.good() && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  if (!file.good()) throw system_failure(path, "cannot be opened");
  checked_regular(file, path);
  std::string out(most + 1, '\0');
  read_to_end(file, path, out);
  return out;
}

std::optional<secret_string> read_private_file(std::string const& path, std::size_t most) {
  open_file const file(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  if (!file.good() && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  if (!file.good() && errno == ELOOP) throw file_failure(path, "is a symbolic link.", "Replace it by a file.");
  if (!file.good()) throw system_failure(path, "cannot be opened");
  if (auto const open = openness(path, checked_regular(file, path)); !open.empty())
    throw file_failure(path, open, openness_hint);
  secret_bytes bytes(most + 1);
  read_to_end(file, path, bytes);
  return secret_string(std::string_view(reinterpret_cast<char const*>(bytes.data()), bytes.size()));
}

std::string private_file_fault(std::string const& path) {
  struct stat about{};
  if (::lstat(path.c_str(), &about) != 0) return {};
  if (S_ISLNK(about.st_mode)) return path + " is a symbolic link.";
  auto const open = openness(path, about);
  return open.empty() ? open : path + " " + open;
}

void replace_private_file(std::string const& path, std::string_view content) {
  make_directory(directory_of(path));
  replace_file(path, content, 0600, {});
}

void replace_readable_file(std::string const& path, std::string_view content) {
  replace_file(path, content, 0666, {});
}

void replace_program(std::string const& path, std::string_view bytes,
                     std::function<void(std::string const&)> const& try_out) {
  replace_file(path, bytes, 0755, try_out);
}

file_lock::file_lock(std::string const& path) {
  auto const lock = path + ".lock";
  make_directory(directory_of(path));
  descriptor_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0600);
  if (descriptor_ < 0) throw system_failure(lock, "cannot be opened");
  auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    bool const over = std::chrono::steady_clock::now() > until;
    if (over || interrupted()) ::close(descriptor_);
    throw_if_interrupted();
    if (over) throw file_failure(lock, "has been locked by another svc for more than 10 seconds.");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

file_lock::~file_lock() {
  ::close(descriptor_);
}

}  // namespace svc::cli
