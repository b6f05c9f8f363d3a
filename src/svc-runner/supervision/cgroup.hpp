#pragma once

#include "svc-runner/settings.hpp"

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::runner {

/// Where this machine lets us make control groups. Found once at the start; a value.
struct cgroup_base {
  int version = 0;          ///< 2, 1, or 0: none
  std::string memory{};     ///< directories to make groups in; the same one thrice for version 2
  std::string processes{};  ///< empty: this controller is not ours to use
  std::string cpu{};

  bool any() const { return version != 0; }
  /// "cgroup v2 (memory, processes, cpu)", or "no cgroup".
  std::string describe() const;
};

/// What /proc/self/mountinfo and /proc/self/cgroup say. Pure.
struct cgroup_places {
  std::string unified{};                     ///< our own group in the version-2 hierarchy
  std::string memory{}, processes{}, cpu{};  ///< in those of version 1
};
cgroup_places find_cgroup_places(std::string_view mountinfo, std::string_view cgroup);

/// Tries it: version 2 if its controllers can be used, else version 1. Under version 2 this process moves into a
/// group of its own below, because a group with processes cannot have limited children.
cgroup_base probe_cgroups();

/// The groups of one test's processes. Made by the supervisor before the first process, removed after the last.
class cgroup {
 public:
  /// Throws `std::runtime_error` when a limit cannot be set.
  cgroup(cgroup_base const& base, std::string const& name, run_limits const& limits);
  ~cgroup();
  cgroup(cgroup const&) = delete;
  cgroup& operator=(cgroup const&) = delete;

  /// For the calling process; only async-signal-safe calls. False when it could not.
  bool join() const;
  /// Sends SIGKILL to all; how many there were.
  std::size_t kill_all() const;
  bool empty() const;

  /// What the limits did.
  std::int64_t memory_kills() const;
  std::int64_t refused_forks() const;

 private:
  std::vector<pid_t> members() const;

  int version_;
  std::vector<std::string> directories_{};
  std::vector<std::string> doors_{};  ///< their cgroup.procs
  std::string memory_{}, processes_{};
};

}  // namespace svc::runner
