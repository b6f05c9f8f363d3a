#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace svc::runner {

/// Opens `name` below the directory `root`, through no symbolic link, no `..` and no other mount, on Linux 5.6 and
/// newer. Returns -1 and sets errno like `openat`. The descriptor is close-on-exec.
int open_beneath(int root, std::string const& name, int flags, mode_t mode = 0);

/// While an object lives, its thread accesses files with the rights of `user`, or with its own rights if `user` is
/// empty. Only root can change the rights. Throws `std::runtime_error` when that fails.
class file_rights {
 public:
  explicit file_rights(std::optional<std::int64_t> user);
  ~file_rights();
  file_rights(file_rights const&) = delete;
  file_rights& operator=(file_rights const&) = delete;

 private:
  bool changed_ = false;
};

// The size of a run's directory is limited by a tmpfs. Mounting it requires a separate mount namespace. As root that
// is enough; otherwise the runner also needs a user namespace that knows only this user. The mounts vanish with the
// processes, also when the processes are killed, and no other process sees them.

/// Moves this process into that namespace. Returns false, with nothing changed, if the machine does not allow it.
/// Call before the first thread is started. Without root, files of other users seem to belong to nobody from then on.
/// For a moment other processes of this user may inspect this one; they could read the token's file or the initial
/// environment anyway.
bool take_own_mounts();

/// Mounts a tmpfs on an empty directory for `owner` (nothing: this user). Returns false and sets errno on failure.
bool mount_room(std::string const& directory, std::int64_t megabytes, std::optional<std::int64_t> owner);
void unmount_room(std::string const& directory);

/// The owner and the size limit of a run's directory.
struct scratch_room {
  std::optional<std::int64_t> owner{};  ///< user and group id; nothing: this user
  std::int64_t disk_mb = 0;             ///< size of its tmpfs (requires `take_own_mounts`); 0: a plain directory
};

/// The directory of one run, accessible only to its user, and removed with its whole content. Throws
/// `std::runtime_error` when it cannot be made. Every access uses the owner's rights, relative to the directory and
/// through no symbolic link, because a script may have put anything anywhere.
class scratch {
 public:
  scratch(std::string const& parent, std::string const& name, scratch_room const& room);
  /// Call it when no living process can write into the directory any more.
  ~scratch();
  scratch(scratch const&) = delete;
  scratch& operator=(scratch const&) = delete;

  std::string const& path() const { return path_; }
  /// Writes a file. `name` is relative, and its directories exist. Throws if something with that name exists.
  void write(std::string_view name, std::string_view text) const;
  void directory(std::string_view name) const;
  void link(std::string_view name, std::string const& target) const;
  /// Reads and removes a file that a script may have put there. Returns at most the first `most` bytes; empty if it
  /// is not a regular file that belongs only to the run. `name` has no directory.
  std::string take(std::string_view name, std::size_t most) const;

 private:
  void give_room(scratch_room const& room);
  void remove() noexcept;

  std::string path_;
  std::optional<std::int64_t> owner_;
  int hold_ = -1;  ///< locks the directory below the mount: `make_held_directory`
  int root_ = -1;  ///< the open directory, which stays the same if it is renamed
  bool mounted_ = false;
};

/// Makes the parent of all scratch directories. If the runner is root, other users may pass through the parent but
/// not list it. Throws `std::runtime_error`.
void make_work_directory(std::string const& path);

/// Removes everything in the directory, with the rights of this thread only: a script that is still alive could lead
/// us only to places that it can reach itself.
std::error_code empty_directory(std::string const& path);

// A runner that crashes leaves the directories of its runs. So a directory is locked as long as its runner
// lives (flock(2)), also against other runners that use the same working directory.

/// Makes the directory `path` in `parent`, only for its owner, and locks it. Returns the descriptor that holds the
/// lock, or -1 and errno.
int make_held_directory(std::string const& parent, std::string const& path);

/// Removes all directories in `parent` that no runner holds. Logs what it cannot remove. Call before the first
/// run. Never throws.
void remove_abandoned(std::string const& parent) noexcept;

}  // namespace svc::runner
