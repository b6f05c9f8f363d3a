#pragma once

#include "svc-runner/environment.hpp"
#include "svc-runner/settings.hpp"
#include "svc-runner/supervision/cgroup.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::runner {

/// The task of the supervisor of one test's processes. The runner sends it over a socket, never as arguments, because
/// it contains secrets.
struct supervision {
  std::string program{};
  std::vector<std::string> arguments{};  ///< argv, the name first
  environment_list environment{};
  std::string directory{};
  /// Handed to the program at descriptor `sealed_descriptor`, separated by NUL; empty: none.
  std::vector<std::string> sealed_arguments{};
  std::optional<std::int64_t> uid{};  ///< also the group id; nothing: the runner's own
  bool own_uid = false;               ///< no other slot of this machine has that uid: see `sweep`
  cgroup_base groups{};
  std::string group_name{};
  run_limits limits{};
  bool limit_processes = false;  ///< with RLIMIT_NPROC, if no control group limits them
  bool limit_memory = false;     ///< with RLIMIT_DATA, for each process separately
  bool filter = false;           ///< use a seccomp filter; a filter that cannot be set is an error
  bool sandboxed = false;        ///< the program is bubblewrap: SIGTERM goes to its child's process group

  static constexpr int sealed_descriptor = 9;
  static constexpr int filter_descriptor = 10;  ///< bubblewrap reads the filter there
};

/// The end of the test's processes. All started processes are gone by then, except for `left` processes.
struct supervision_report {
  std::string error{};  ///< not empty: no process was started, or the end is unknown
  int exit_code = 0;    ///< 128 + signal for a signal
  std::int64_t memory_kills = 0;
  std::int64_t refused_forks = 0;
  std::int64_t left = 0;
  bool outlasted = false;  ///< the program ignored the request to end and had to be killed
};

/// Conversions to and from one line each.
std::string to_line(supervision const& supervision);
std::optional<supervision> read_supervision(std::string_view line);
std::string to_line(supervision_report const& report);
std::optional<supervision_report> read_report(std::string_view line);

/// The message that the runner may send to a supervisor after its task: a line that asks it to end the program, with
/// the milliseconds from SIGTERM to SIGKILL.
std::string end_line(milliseconds grace);
std::optional<milliseconds> read_end_line(std::string_view line);

/// Runs the supervisor, a separate process between the runner and its test, from start to end. Reads its task from
/// `control` and starts the program. It waits until the program ends, the time of `end_line` is over, or the other
/// end of `control` closes. The runner closes it for an immediate stop; it also closes if the runner dies. Then the
/// supervisor kills every descendant, reports and returns the exit code. Standard output and error belong to the
/// program.
int supervise(int control);

}  // namespace svc::runner
