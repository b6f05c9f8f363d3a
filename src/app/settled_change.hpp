#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace svc::app {

/// What tells one version of a file from another. A file that is not there has a stamp too: zeros.
struct file_stamp {
  std::uint64_t device = 0, inode = 0;
  std::int64_t size = 0, seconds = 0, nanoseconds = 0;

  friend bool operator==(file_stamp const&, file_stamp const&) = default;
};

/// Of what each path leads to, links followed. An empty path counts as a file that is not there.
std::vector<file_stamp> stamps_of(std::vector<std::string> const& paths);

/// Decides when files that somebody replaces one after the other are to be loaded: they differ from those that were
/// taken last, and have not changed since the look before.
class settled_change {
 public:
  using stamps = std::vector<file_stamp>;

  explicit settled_change(stamps now) : taken_(now), seen_(std::move(now)) {}

  /// True when they are to be loaded. They count as taken then, even if that fails: a file that cannot be used is
  /// complained about once and looked at again when it changes.
  bool look(stamps now) {
    bool const settled = now == seen_;
    seen_ = std::move(now);
    if (!settled || seen_ == taken_) return false;
    taken_ = seen_;
    return true;
  }
  /// Somebody loads them without a look.
  void take(stamps now) { taken_ = seen_ = std::move(now); }

 private:
  stamps taken_, seen_;
};

}  // namespace svc::app
