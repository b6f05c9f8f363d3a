#include "svc-runner/isolation/scratch.hpp"

#include "svc-runner/isolation/own_mounts.hpp"
#include "svc/core/log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace svc::runner {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(std::string const& path) {
  throw std::runtime_error(path + ": " + std::strerror(errno));
}

/// A script may have closed its own directories.
void open_up(std::string const& path) {
  std::error_code ignored;
  fs::permissions(path, fs::perms::owner_all, ignored);
  fs::recursive_directory_iterator at(path, fs::directory_options::skip_permission_denied, ignored);
  for (; !ignored && at != fs::recursive_directory_iterator(); at.increment(ignored)) {
    if (!at->is_directory(ignored) || at->is_symlink(ignored)) continue;
    fs::permissions(at->path(), fs::perms::owner_all, ignored);
  }
}

/// All that is in it, with the owner's rights alone: were a script still alive, it could lead us nowhere but where it
/// can go itself.
std::error_code empty(std::string const& path) {
  std::error_code bad;
  // Each round reaches what the one before has opened.
  for (int round = 0; round < 17; ++round) {
    if (round > 0) open_up(path);
    bad.clear();
    for (fs::directory_iterator at(path, bad); !bad && at != fs::directory_iterator(); at.increment(bad)) {
      fs::remove_all(at->path(), bad);
      if (bad) break;
    }
    if (!bad) break;
  }
  return bad;
}

}  // namespace

scratch::scratch(std::string const& parent, std::string const& name, scratch_room const& room)
    : path_(parent + "/" + name), owner_(room.owner) {
  if (::mkdir(path_.c_str(), 0700) != 0) fail(path_);
  try {
    give_room(room);
  } catch (...) {
    remove();
    throw;
  }
}

void scratch::give_room(scratch_room const& room) {
  if (owner_) {
    auto const id = static_cast<uid_t>(*owner_);
    if (::lchown(path_.c_str(), id, id) != 0) fail(path_);
  }
  if (room.disk_mb > 0) {
    if (!mount_room(path_, room.disk_mb, owner_)) fail(path_);
    mounted_ = true;
  }
  root_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (root_ < 0) fail(path_);
}

scratch::~scratch() {
  remove();
}

void scratch::remove() noexcept try {
  if (root_ >= 0) ::close(root_);
  std::error_code bad;
  if (mounted_) {
    unmount_room(path_);
  } else {
    file_rights const owners(owner_);
    bad = empty(path_);
  }
  if (::rmdir(path_.c_str()) != 0 && !bad) bad.assign(errno, std::generic_category());
  if (bad) log::warn("a run's directory could not be removed", {{"path", path_}, {"reason", bad.message()}});
} catch (std::exception const& e) {
  log::warn("a run's directory could not be removed", {{"path", path_}, {"reason", e.what()}});
}

void scratch::write(std::string_view name, std::string_view text) const {
  file_rights const owners(owner_);
  int const out = open_beneath(root_, std::string(name), O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (out < 0) fail(path_ + "/" + std::string(name));
  bool good = true;
  while (good && !text.empty()) {
    auto const n = ::write(out, text.data(), text.size());
    good = n > 0;
    if (good) text.remove_prefix(static_cast<std::size_t>(n));
  }
  auto const reason = errno;
  ::close(out);
  errno = reason;
  if (!good) fail(path_ + "/" + std::string(name));
}

void scratch::directory(std::string_view name) const {
  file_rights const owners(owner_);
  if (::mkdirat(root_, std::string(name).c_str(), 0700) != 0) fail(path_ + "/" + std::string(name));
}

void scratch::link(std::string_view name, std::string const& target) const {
  file_rights const owners(owner_);
  if (::symlinkat(target.c_str(), root_, std::string(name).c_str()) != 0) fail(path_ + "/" + std::string(name));
}

std::string scratch::take(std::string_view name, std::size_t most) const {
  file_rights const owners(owner_);
  std::string const file(name);
  // The name may have become a pipe, a device, or a link to a file that somebody else may read.
  int const in = open_beneath(root_, file, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  std::string out;
  struct stat about{};
  bool const own = in >= 0 && ::fstat(in, &about) == 0 && S_ISREG(about.st_mode) && about.st_nlink == 1 &&
                   about.st_uid == (owner_ ? static_cast<uid_t>(*owner_) : ::geteuid());
  if (own) {
    out.resize(most);
    auto const got = ::read(in, out.data(), out.size());
    out.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  }
  if (in >= 0) ::close(in);
  ::unlinkat(root_, file.c_str(), 0);
  return out;
}

void make_work_directory(std::string const& path) {
  std::error_code bad;
  fs::create_directories(path, bad);
  if (bad) throw std::runtime_error("work_dir: " + path + ": " + bad.message());
  mode_t const mode = ::geteuid() == 0 ? 0711 : 0700;
  if (::chmod(path.c_str(), mode) != 0) throw std::runtime_error("work_dir: " + path + " is not ours");
}

}  // namespace svc::runner
