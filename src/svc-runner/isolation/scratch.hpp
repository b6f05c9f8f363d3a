#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::runner {

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
