#include "svc-runner/isolation/own_mounts.hpp"

#include "svc-runner/files.hpp"
#include "svc-runner/settings.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

namespace svc::runner {
namespace {

constexpr auto unchanged = static_cast<uid_t>(-1);

/// Neither call says whether it succeeded; asking for an impossible id tells the present one.
bool become(uid_t user, gid_t group) {
  ::setfsgid(group);
  ::setfsuid(user);
  return ::setfsuid(unchanged) == static_cast<int>(user) && ::setfsgid(unchanged) == static_cast<int>(group);
}

/// One file of 4 KiB each, and some for small rooms: what describes a file takes memory too.
constexpr std::int64_t files_of_a_megabyte = 256;
constexpr std::int64_t least_files = 4096;

/// A user namespace in which this user is itself and nobody else exists; with it a mount namespace.
bool enter_as_user() {
  auto const user = std::to_string(::geteuid());
  auto const group = std::to_string(::getegid());
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  // The kernel shows the maps of a process that others may not look into to root alone.
  ::prctl(PR_SET_DUMPABLE, 1);
  bool const good = write_text("/proc/self/setgroups", "deny") &&
                    write_text("/proc/self/uid_map", user + " " + user + " 1") &&
                    write_text("/proc/self/gid_map", group + " " + group + " 1");
  ::prctl(PR_SET_DUMPABLE, 0);
  return good;
}

bool enter() {
  bool const entered = ::geteuid() == 0 ? ::unshare(CLONE_NEWNS) == 0 : enter_as_user();
  // News of this machine's mounts still come in, ours do not go out.
  return entered && ::mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr) == 0;
}

}  // namespace

int open_beneath(int root, std::string const& name, int flags, mode_t mode) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC | O_NOFOLLOW);
  how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
  return static_cast<int>(::syscall(SYS_openat2, root, name.c_str(), &how, sizeof how));
}

file_rights::file_rights(std::optional<std::int64_t> user) {
  if (!user) return;
  auto const id = static_cast<uid_t>(*user);
  changed_ = true;
  // From zero to another id the kernel takes the rights over files away, and gives them back on the way back.
  if (become(id, id)) return;
  become(::geteuid(), ::getegid());
  throw std::runtime_error("files cannot be touched as user " + std::to_string(*user));
}

file_rights::~file_rights() {
  if (changed_) become(::geteuid(), ::getegid());
}

bool take_own_mounts() {
  // A namespace cannot be left again, so another process tries it, to the end.
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

}  // namespace svc::runner
