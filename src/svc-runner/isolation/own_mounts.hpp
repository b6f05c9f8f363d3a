#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace svc::runner {

/// Opens `name` below the directory `root`, through no symbolic link, no `..` and no other mount, on any kernel from
/// Linux 5.6 on. -1 and errno as `openat`; close-on-exec.
int open_beneath(int root, std::string const& name, int flags, mode_t mode = 0);

/// This thread touches files with another user's rights while this lives; nothing: with its own. Only root changes.
/// Throws `std::runtime_error` when that fails.
class file_rights {
 public:
  explicit file_rights(std::optional<std::int64_t> user);
  ~file_rights();
  file_rights(file_rights const&) = delete;
  file_rights& operator=(file_rights const&) = delete;

 private:
  bool changed_ = false;
};

// A run's directory is bounded by a tmpfs of a given size. Mounting needs a mount namespace that is ours: as root one
// of its own, else one in a user namespace that knows this user alone. What is mounted there vanishes with the
// processes, also when they are killed, and nobody else sees it.

/// Gives this process that namespace; false, and nothing changed, where the machine does not allow it. Before the
/// first thread. Without root, files of other users seem to be nobody's from then on, and for a moment processes of
/// this user may look into this one, which could read its token's file or first environment as well.
bool take_own_mounts();

/// A tmpfs over an empty directory, for `owner` (nothing: for us). False and errno.
bool mount_room(std::string const& directory, std::int64_t megabytes, std::optional<std::int64_t> owner);
void unmount_room(std::string const& directory);

}  // namespace svc::runner
