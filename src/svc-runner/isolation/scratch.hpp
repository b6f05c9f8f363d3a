#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

/// Whose a run's directory is, and how large it may become.
struct scratch_room {
  std::optional<std::int64_t> owner{};  ///< user and group id; nothing: ours
  std::int64_t disk_mb = 0;             ///< of a tmpfs of its own (`own_mounts`); 0: a plain directory
};

/// The directory of one run, for its user alone; removed with all that is in it. Throws `std::runtime_error` when it
/// cannot be made. What is done in it is done with its owner's rights and relative to it, through no symbolic link:
/// a script may have put anything in any place.
class scratch {
 public:
  scratch(std::string const& parent, std::string const& name, scratch_room const& room);
  /// When nobody lives any more who could write into it.
  ~scratch();
  scratch(scratch const&) = delete;
  scratch& operator=(scratch const&) = delete;

  std::string const& path() const { return path_; }
  /// `name` is relative, its directories exist. Throws when there is something of that name.
  void write(std::string_view name, std::string_view text) const;
  void directory(std::string_view name) const;
  void link(std::string_view name, std::string const& target) const;
  /// Reads and removes a file that a script may have put there: at most the first `most` bytes; empty if it is no
  /// plain file of the run's own. `name` has no directory.
  std::string take(std::string_view name, std::size_t most) const;

 private:
  void give_room(scratch_room const& room);
  void remove() noexcept;

  std::string path_;
  std::optional<std::int64_t> owner_;
  int root_ = -1;  ///< the directory itself, whatever becomes of its name
  bool mounted_ = false;
};

/// Makes the parent of all scratch directories: others may pass through but not look. Throws.
void make_work_directory(std::string const& path);

}  // namespace svc::runner
