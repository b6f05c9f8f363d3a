#include "svc-runner/isolation/beneath.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

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

}  // namespace svc::runner
