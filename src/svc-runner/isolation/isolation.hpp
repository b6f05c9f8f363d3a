#pragma once

#include "svc-runner/supervision/cgroup.hpp"
#include "svc-runner/supervision/supervision.hpp"
#include "svc-runner/supervision/uid_hold.hpp"
#include "svc-runner/tools.hpp"

#include <optional>
#include <string>
#include <vector>

namespace svc::runner {

/// The separation of scripts from this machine and from each other. The runner determines it at the start by trials.
/// Never changes afterwards; only movable, because it holds user ids.
struct isolation {
  bool bubblewrap = false;
  bool no_more_namespaces = false;    ///< bubblewrap can forbid further namespaces
  std::vector<uid_hold> users{};      ///< as root: one for each slot, or the user nobody for all slots
  bool own_uid = false;               ///< each slot has a user id of its own
  bool filter = false;                ///< a seccomp filter refuses system calls that no script needs
  std::int64_t disk_mb = 0;           ///< size of a run's directory, a tmpfs; 0: a plain directory without a limit
  std::vector<std::string> hidden{};  ///< files with our secrets, hidden from every script
  cgroup_base groups{};
  std::string why_not{};  ///< the reason why bubblewrap does not work, in its own words if it gave any

  std::optional<std::int64_t> uid_of(std::int64_t slot) const;
  /// The descriptor that a slot's supervisors keep open; -1: none.
  int hold_of(std::int64_t slot) const;
  /// Returns the measures in force, for the log: "bubblewrap, cgroup v1 (memory, processes, cpu), own user, seccomp,
  /// disk 512 MiB".
  std::string describe() const;
  /// Returns one sentence for each measure that is not in force, for the operator; empty if all are.
  std::vector<std::string> warnings(settings const& settings) const;
};

/// One test's command and its environment.
struct command_line {
  std::vector<std::string> arguments{};  ///< the program first
  environment_list environment{};
  std::vector<std::string> read_only{};  ///< paths that this command needs in addition to `settings::read_only`
  std::string path{};                    ///< a directory in its PATH in addition to those of the system
};

/// Returns the supervisor's task for this command. `slot` counts from 0; `unique` names the control group.
supervision plan(isolation const& isolation, toolbox const& tools, settings const& settings, command_line line,
                 std::string const& scratch, std::int64_t slot, std::string const& unique);

/// Returns the path at which scripts find their scratch directory.
std::string seen_scratch(isolation const& isolation, std::string const& scratch);

/// Returns the reason why a job type with installed tools cannot run in this isolation; empty if it can. Takes a
/// second or two.
std::string try_job_type(job_type type, isolation const& isolation, toolbox const& tools, settings const& settings,
                         std::string const& supervisor);

/// Finds the isolation that works here. `own_mounts` is the result of `take_own_mounts`. Throws `std::runtime_error`
/// when `sandbox.mode` is bubblewrap and bubblewrap does not work, or when no script can be started safely.
isolation find_isolation(toolbox const& tools, settings const& settings, std::vector<std::string> hidden,
                         std::string const& supervisor, bool own_mounts);

}  // namespace svc::runner
