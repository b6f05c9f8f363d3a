#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::runner {

/// The directory of one run, for its user alone; removed with all that is in it. Throws `std::runtime_error` when it
/// cannot be made.
class scratch {
 public:
  /// `owner`: user and group id, nothing for ours.
  scratch(std::string const& parent, std::string const& name, std::optional<std::int64_t> owner);
  ~scratch();
  scratch(scratch const&) = delete;
  scratch& operator=(scratch const&) = delete;

  std::string const& path() const { return path_; }
  /// `name` is relative, its directories exist.
  void write(std::string_view name, std::string_view text) const;
  void directory(std::string_view name) const;
  void link(std::string_view name, std::string const& target) const;
  /// Reads and removes a file that a script may have put there: at most the first `most` bytes; empty if it is no
  /// plain file of the run's own. `name` has no directory.
  std::string take(std::string_view name, std::size_t most) const;

 private:
  void give(std::string const& path) const;

  std::string path_;
  std::optional<std::int64_t> owner_;
};

/// Makes the parent of all scratch directories: others may pass through but not look. Throws.
void make_work_directory(std::string const& path);

}  // namespace svc::runner
