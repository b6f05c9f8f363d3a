#include "app/dev/data_directory.hpp"

#include "app/dev/child_process.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/hash.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace svc::app::dev {

namespace fs = std::filesystem;

namespace {

constexpr int patience_ms = 20'000;

/// Both stores work inside their data directory.
bool works_in(pid_t pid, std::string const& directory) {
  std::error_code ec;
  auto const where = fs::read_symlink("/proc/" + std::to_string(pid) + "/cwd", ec);
  return !ec && where == fs::path(directory);
}

}  // namespace

void end_old_server(std::string const& directory, std::string const& pid_file) {
  auto const file = directory + "/" + pid_file;
  pid_t pid = 0;
  std::ifstream(file) >> pid;
  if (pid <= 0) return;
  auto const handle = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (handle >= 0) {
    // Checked after opening the handle, so that the pid cannot be reused in between.
    if (works_in(pid, directory)) {
      pollfd ended{handle, POLLIN, 0};
      syscall(SYS_pidfd_send_signal, handle, SIGINT, nullptr, 0);
      if (poll(&ended, 1, patience_ms) == 0) {
        syscall(SYS_pidfd_send_signal, handle, SIGKILL, nullptr, 0);
        poll(&ended, 1, patience_ms);
      }
    }
    close(handle);
  }
  std::error_code ignored;
  fs::remove(file, ignored);
}

namespace {

constexpr std::string_view marker_name = ".svcd-dev";
constexpr std::string_view marker_text = "Data of `svcd dev`. `svcd dev --reset` empties this directory.\n";
// sun_path holds 108 bytes with its final NUL; PostgreSQL's name is the longest that we put there.
constexpr std::size_t longest_socket_path = 107;
constexpr std::string_view longest_socket_name = "/.s.PGSQL.5432";

std::string short_hash(std::string_view text) {
  return to_hex(byte_view(sha256(text)).first(6));
}

}  // namespace

data_directory::data_directory(std::string const& path, bool reset)
    : path_(fs::weakly_canonical(fs::absolute(path)).string()), user_(find_store_user()) {
  while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
  fs::create_directories(path_);
  bool const ours = fs::exists(file(marker_name));
  if (!ours && !fs::is_empty(path_))
    throw std::runtime_error(path_ + " is not empty and not a data directory of `svcd dev`");
  take_lock();
  // The stores' user must pass through; the files inside have their own modes.
  if (chmod(path_.c_str(), user_ ? 0711 : 0700) != 0) fail(path_);
  choose_paths();
  // The stores of a run that was killed may still be shutting down.
  end_old_server(store("postgres"), "postmaster.pid");
  end_old_server(store("redis"), "redis.pid");
  if (reset) wipe();
  fs::create_directories(file("log"));
}

data_directory::~data_directory() {
  // It holds only sockets, and their servers have ended: the stores are destroyed before this.
  std::error_code ignored;
  if (!sockets_.starts_with(path_)) fs::remove_all(sockets_, ignored);
  if (lock_ >= 0) close(lock_);
}

void data_directory::take_lock() {
  lock_ = open(file(marker_name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lock_ < 0) fail(file(marker_name));
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    close(std::exchange(lock_, -1));
    throw std::runtime_error(path_ + " is in use by another `svcd dev`");
  }
  auto const wrote = pwrite(lock_, marker_text.data(), marker_text.size(), 0);
  if (wrote != static_cast<ssize_t>(marker_text.size())) fail(file(marker_name));
}

void data_directory::choose_paths() {
  bool const reachable = can_enter(path_, user_);
  // The stores' user can reach nothing below a closed directory such as /root, so the data lies elsewhere.
  stores_ = reachable ? path_ : "/var/lib/svcd-dev-stores/" + short_hash(path_);
  create_stores();
  sockets_ = file("run");
  if (!reachable || sockets_.size() + longest_socket_name.size() > longest_socket_path)
    sockets_ = "/tmp/svcd-" + short_hash(path_);
  make_private(sockets_);
}

void data_directory::create_stores() const {
  fs::create_directories(stores_);
  // Whoever deletes the data directory finds by this what else belongs to it.
  if (stores_ != path_) write_file(stores_ + "/data-directory", path_ + "\n");
}

std::string data_directory::store(std::string_view name) const {
  return stores_ + "/" + std::string(name);
}

void data_directory::make_private(std::string const& directory) const {
  uid_t const owner = user_ ? user_->uid : geteuid();
  if (mkdir(directory.c_str(), 0700) == 0) {
    if (user_ && lchown(directory.c_str(), user_->uid, user_->gid) != 0) fail(directory);
    return;
  }
  if (errno != EEXIST) fail(directory);
  struct stat about{};
  // In /tmp another user may have taken the name.
  if (lstat(directory.c_str(), &about) != 0) fail(directory);
  if (!S_ISDIR(about.st_mode) || about.st_uid != owner || (about.st_mode & 077) != 0)
    throw std::runtime_error(directory + " exists and is not a private directory of this user");
}

void data_directory::wipe() const {
  for (auto const& entry : fs::directory_iterator(path_))
    if (entry.path().filename() != marker_name) fs::remove_all(entry.path());
  if (stores_ != path_) fs::remove_all(stores_);
  fs::remove_all(sockets_);
  create_stores();
  make_private(sockets_);
}

std::string default_data_directory() {
  if (geteuid() == 0) return "/var/lib/svcd-dev";
  if (char const* const data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data == '/')
    return std::string(data) + "/svcd-dev";
  if (char const* const home = std::getenv("HOME"); home != nullptr && *home == '/')
    return std::string(home) + "/.local/share/svcd-dev";
  throw std::runtime_error("HOME is not set: name a directory with --data-dir");
}

void write_file(std::string const& path, std::string_view content, bool for_all) {
  auto const fresh = path + ".new";
  int const out = open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (out < 0) fail(fresh);
  bool const good = fchmod(out, for_all ? 0644 : 0600) == 0 &&
                    write(out, content.data(), content.size()) == static_cast<ssize_t>(content.size()) &&
                    fsync(out) == 0;
  close(out);
  if (!good || rename(fresh.c_str(), path.c_str()) != 0) fail(path);
}

std::optional<std::string> read_file(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace svc::app::dev
