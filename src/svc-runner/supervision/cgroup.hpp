#pragma once

#include "svc-runner/settings.hpp"

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::runner {

/// The places where this machine allows us to make control groups. Determined once at the start; a value.
struct cgroup_base {
  int version = 0;          ///< 2, 1, or 0: none
  std::string memory{};     ///< directories to make groups in; all the same in version 2
  std::string processes{};  ///< empty: we may not use this controller
  std::string cpu{};

  bool any() const { return version != 0; }
  /// "cgroup v2 (memory, processes, cpu)", or "no cgroup".
  std::string describe() const;
};

/// The groups of this process by /proc/self/mountinfo and /proc/self/cgroup. Pure.
struct cgroup_paths {
  std::string unified{};                     ///< our own group in the version-2 hierarchy
  std::string memory{}, processes{}, cpu{};  ///< our groups in the version-1 hierarchies
};
cgroup_paths find_cgroup_paths(std::string_view mountinfo, std::string_view cgroup);

/// Finds the version that works: version 2 if its controllers can be used, else version 1. With version 2 this
/// process moves into a child group, unless it is in the root group. The reason is that a group with processes cannot
/// have limited children.
cgroup_base probe_cgroups();

/// The groups of one test's processes. The supervisor makes them before the first process and removes them after the
/// last.
class cgroup {
 public:
  /// Throws `std::runtime_error` when a limit cannot be set.
  cgroup(cgroup_base const& base, std::string const& name, run_limits const& limits);
  ~cgroup();
  cgroup(cgroup const&) = delete;
  cgroup& operator=(cgroup const&) = delete;

  /// Moves the calling process into the groups with async-signal-safe calls only. Returns false on failure.
  bool join() const;
  /// Sends SIGKILL to all members; returns the number of members.
  std::size_t kill_all() const;
  bool empty() const;
  /// Refuses each further fork of a member, if a group counts processes. Then one round of `kill_all` reaches all.
  /// These refusals count in `refused_forks` too, so read that before.
  void refuse_forks() const;

  /// Return how often the limits took effect.
  std::int64_t memory_kills() const;
  std::int64_t refused_forks() const;

 private:
  std::vector<pid_t> members() const;

  int version_;
  std::vector<std::string> directories_{};
  std::vector<std::string> doors_{};  ///< the cgroup.procs files of `directories_`
  std::string memory_{}, processes_{};
};

}  // namespace svc::runner
