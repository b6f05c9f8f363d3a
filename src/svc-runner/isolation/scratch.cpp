#include "svc-runner/isolation/scratch.hpp"

#include "svc-runner/files.hpp"
#include "svc-runner/settings.hpp"
#include "svc/core/log.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace svc::runner {

namespace {

constexpr auto unchanged = static_cast<uid_t>(-1);

/// Neither call reports whether it succeeded; asking for an invalid id returns the current one. Another id also makes
/// the kernel forget which signal is wanted when the parent dies (prctl(2), PR_SET_PDEATHSIG).
bool become(uid_t user, gid_t group) {
  int at_parents_death = 0;
  ::prctl(PR_GET_PDEATHSIG, &at_parents_death);
  ::setfsgid(group);
  ::setfsuid(user);
  ::prctl(PR_SET_PDEATHSIG, at_parents_death);
  return ::setfsuid(unchanged) == static_cast<int>(user) && ::setfsgid(unchanged) == static_cast<int>(group);
}

}  // namespace

int open_beneath(int root, std::string const& name, int flags, mode_t mode) {
  open_how settings{};
  settings.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC | O_NOFOLLOW);
  settings.mode = mode;
  settings.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
  return static_cast<int>(::syscall(SYS_openat2, root, name.c_str(), &settings, sizeof settings));
}

file_rights::file_rights(std::optional<std::int64_t> user) {
  if (!user) return;
  auto const id = static_cast<uid_t>(*user);
  changed_ = true;
  // On a change from 0 to another id the kernel drops the capabilities over files; on the way back it restores them.
  if (become(id, id)) return;
  become(::geteuid(), ::getegid());
  throw std::runtime_error("files cannot be touched as user " + std::to_string(*user));
}

file_rights::~file_rights() {
  if (changed_) become(::geteuid(), ::getegid());
}

namespace {

/// One file for each 4 KiB, and some more for small sizes: inodes take memory too.
constexpr std::int64_t files_of_a_megabyte = 256;
constexpr std::int64_t least_files = 4096;

/// Enters a mount namespace, and a user namespace that knows only this user.
bool enter_as_user() {
  auto const user = std::to_string(::geteuid());
  auto const group = std::to_string(::getegid());
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  // In /proc, only root can write the id maps of a process that is not dumpable.
  ::prctl(PR_SET_DUMPABLE, 1);
  bool const good = write_text("/proc/self/setgroups", "deny") &&
                    write_text("/proc/self/uid_map", user + " " + user + " 1") &&
                    write_text("/proc/self/gid_map", group + " " + group + " 1");
  ::prctl(PR_SET_DUMPABLE, 0);
  return good;
}

bool enter() {
  bool const entered = ::geteuid() == 0 ? ::unshare(CLONE_NEWNS) == 0 : enter_as_user();
  // Mounts of this machine still become visible here; ours do not become visible outside.
  return entered && ::mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr) == 0;
}

}  // namespace

bool take_own_mounts() {
  // A namespace cannot be left again, so a child process tries everything first.
  pid_t const trial = ::fork();
  if (trial == 0) ::_exit(enter() && mount_room("/", 1, std::nullopt) ? 0 : 1);
  int status = 1;
  bool const works =
      trial > 0 && ::waitpid(trial, &status, 0) == trial && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return works && enter();
}

bool mount_room(std::string const& directory, std::int64_t megabytes, std::optional<std::int64_t> owner) {
  auto const user = std::to_string(owner.value_or(::geteuid()));
  auto const group = std::to_string(owner.value_or(::getegid()));
  auto const files = std::max(least_files, megabytes * files_of_a_megabyte);
  auto const options = "size=" + std::to_string(megabytes * mebibyte) + ",nr_inodes=" + std::to_string(files) +
                       ",mode=0700,uid=" + user + ",gid=" + group;
  return ::mount("svc-runner", directory.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) == 0;
}

void unmount_room(std::string const& directory) {
  ::umount2(directory.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
}

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(std::string const& path) {
  throw std::runtime_error(path + ": " + std::strerror(errno));
}

}  // namespace

scratch::scratch(std::string const& parent, std::string const& name, scratch_room const& room)
    : path_(parent + "/" + name), owner_(room.owner) {
  hold_ = make_held_directory(parent, path_);
  if (hold_ < 0) fail(path_);
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
    bad = empty_directory(path_);
  }
  if (::rmdir(path_.c_str()) != 0 && !bad) bad.assign(errno, std::generic_category());
  if (bad) log::warn("a run's directory could not be removed", {{"path", path_}, {"reason", bad.message()}});
  if (hold_ >= 0) ::close(hold_);
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
  int const count = open_beneath(root_, file, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  std::string out;
  struct stat about{};
  bool const own = count >= 0 && ::fstat(count, &about) == 0 && S_ISREG(about.st_mode) && about.st_nlink == 1 &&
                   about.st_uid == (owner_ ? static_cast<uid_t>(*owner_) : ::geteuid());
  if (own) {
    out.resize(most);
    auto const got = ::read(count, out.data(), out.size());
    out.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  }
  if (count >= 0) ::close(count);
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
