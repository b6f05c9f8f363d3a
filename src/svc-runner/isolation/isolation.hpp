#pragma once

#include "svc-runner/supervision/cgroup.hpp"
#include "svc-runner/supervision/supervision.hpp"
#include "svc-runner/supervision/uid_hold.hpp"
#include "svc-runner/tools.hpp"

#include <optional>
#include <string>
#include <vector>

namespace svc::runner {

/// What separates scripts from this machine and from each other, found out at the start by trying it. Never changes
/// afterwards; movable only, because it holds user ids.
struct isolation {
  bool bubblewrap = false;
  bool no_more_namespaces = false;    ///< bubblewrap can forbid further ones
  std::vector<uid_hold> users{};      ///< as root: one for each slot, or nobody's for all
  bool own_uid = false;               ///< each slot has a user id that nobody else has
  bool filter = false;                ///< a seccomp filter refuses what no script needs of the kernel
  std::int64_t disk_mb = 0;           ///< size of a run's directory, a tmpfs; 0: a plain one, not bounded
  std::vector<std::string> hidden{};  ///< files with our secrets, which no script may see
  cgroup_base groups{};
  std::string why_not{};  ///< what bubblewrap said, if it does not work

  std::optional<std::int64_t> uid_of(std::int64_t slot) const;
  /// What a slot's supervisors keep open; -1: nothing.
  int hold_of(std::int64_t slot) const;
  /// What holds, for the log: "bubblewrap, cgroup v1 (memory, processes, cpu), own user, seccomp, disk 512 MiB".
  std::string describe() const;
  /// What does not hold, each a sentence for the operator; empty when all does.
  std::vector<std::string> warnings(settings const& with) const;
};

/// One test's command and where it runs.
struct command_line {
  std::vector<std::string> arguments{};  ///< the program first
  environment_list environment{};
  std::vector<std::string> read_only{};  ///< what this command needs to see besides the settings' own
  std::string path{};                    ///< a directory that its PATH needs besides the system's
};

/// What the supervisor is told to make of it. `slot` counts from 0; `unique` names the control group.
supervision plan(isolation const& how, toolbox const& tools, settings const& with, command_line what,
                 std::string const& scratch, std::int64_t slot, std::string const& unique);

/// Where scripts find their scratch directory.
std::string seen_scratch(isolation const& how, std::string const& scratch);

/// Why an offered job type cannot be run in this isolation after all; empty when it can. Takes a second or two.
std::string try_job_type(job_type type, isolation const& how, toolbox const& tools, settings const& with,
                         std::string const& supervisor);

/// Tries what works; `own_mounts`: what `take_own_mounts` said. Throws `std::runtime_error` when `sandbox.mode` is
/// bubblewrap and that does not work.
isolation find_isolation(toolbox const& tools, settings const& with, std::vector<std::string> hidden,
                         std::string const& supervisor, bool own_mounts);

}  // namespace svc::runner
