#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::runner {

/// Opens `name` below the directory `root`, through no symbolic link, no `..` and no other mount, on Linux 5.6 and
/// newer. -1 and errno as for `openat`; close-on-exec.
int open_beneath(int root, std::string const& name, int flags, mode_t mode = 0);

/// While this lives, the thread accesses files with another user's rights; nothing: with its own. Only root can
/// change them. Throws `std::runtime_error` when that fails.
class file_rights {
 public:
  explicit file_rights(std::optional<std::int64_t> user);
  ~file_rights();
  file_rights(file_rights const&) = delete;
  file_rights& operator=(file_rights const&) = delete;

 private:
  bool changed_ = false;
};

// The size of a run's directory is limited by a tmpfs. Mounting it requires a mount namespace of our own: as root
// just that, otherwise inside a user namespace that knows this user alone. What is mounted there vanishes with the
// processes, also when they are killed, and nobody else sees it.

/// Gives this process that namespace; false, with nothing changed, where the machine does not allow it. Call before
/// the first thread is started. Without root, files of other users seem to belong to nobody from then on, and for a
/// moment other processes of this user may inspect this one; they could read the token's file or the initial
/// environment anyway.
bool take_own_mounts();

/// Mounts a tmpfs on an empty directory, for `owner` (nothing: for us). False and errno when that fails.
bool mount_room(std::string const& directory, std::int64_t megabytes, std::optional<std::int64_t> owner);
void unmount_room(std::string const& directory);

/// Who owns a run's directory, and how large it may become.
struct scratch_room {
  std::optional<std::int64_t> owner{};  ///< user and group id; nothing: ours
  std::int64_t disk_mb = 0;             ///< size of its tmpfs (requires `take_own_mounts`); 0: a plain directory
};

/// The directory of one run, for its user alone; removed with all that is in it. Throws `std::runtime_error` when it
/// cannot be made. Everything in it is done with its owner's rights, relative to it and through no symbolic link: a
/// script may have put anything anywhere.
class scratch {
 public:
  scratch(std::string const& parent, std::string const& name, scratch_room const& room);
  /// Call when no process lives any more that could write into it.
  ~scratch();
  scratch(scratch const&) = delete;
  scratch& operator=(scratch const&) = delete;

  std::string const& path() const { return path_; }
  /// `name` is relative, and its directories exist. Throws when something of that name exists.
  void write(std::string_view name, std::string_view text) const;
  void directory(std::string_view name) const;
  void link(std::string_view name, std::string const& target) const;
  /// Reads and removes a file that a script may have put there: at most the first `most` bytes; empty if it is not a
  /// regular file that belongs to the run alone. `name` has no directory.
  std::string take(std::string_view name, std::size_t most) const;

 private:
  void give_room(scratch_room const& room);
  void remove() noexcept;

  std::string path_;
  std::optional<std::int64_t> owner_;
  int hold_ = -1;  ///< locks the directory that is below the mount: removal.hpp
  int root_ = -1;  ///< the open directory, which stays the same if it is renamed
  bool mounted_ = false;
};

/// Makes the parent of all scratch directories. As root, other users may pass through but not list it. Throws
/// `std::runtime_error`.
void make_work_directory(std::string const& path);

}  // namespace svc::runner
