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

/// The task of the supervisor of one test's processes. Sent over a socket, never as arguments, because it holds
/// secrets.
struct supervision {
  std::string program{};
  std::vector<std::string> arguments{};  ///< argv, the name first
  environment_list environment{};
  std::string directory{};
  /// Handed to the program at descriptor `sealed_descriptor`, separated by NUL; empty: none.
  std::vector<std::string> sealed_arguments{};
  std::optional<std::int64_t> uid{};  ///< also the group id; nothing: ours
  bool own_uid = false;               ///< no other slot of this machine has that uid: see `sweep`
  cgroup_base groups{};
  std::string group_name{};
  run_limits limits{};
  bool limit_processes = false;  ///< by RLIMIT_NPROC, where no control group limits them
  bool limit_memory = false;     ///< by RLIMIT_DATA, for each process separately
  bool filter = false;           ///< use a seccomp filter; if it cannot be set, that is an error
  bool sandboxed = false;        ///< the program is bubblewrap: SIGTERM goes to its child's process group

  static constexpr int sealed_descriptor = 9;
  static constexpr int filter_descriptor = 10;  ///< bubblewrap reads the filter there
};

/// How it ended. Everything that was started is gone by then, except for `left` processes.
struct supervision_report {
  std::string error{};  ///< not empty: nothing was started, or it is unknown how it ended
  int exit_code = 0;    ///< 128 + signal for a signal
  std::int64_t memory_kills = 0;
  std::int64_t refused_forks = 0;
  std::int64_t left = 0;
  bool outlasted = false;  ///< it was asked to end, but had to be killed
};

/// One line each.
std::string to_line(supervision const& supervision);
std::optional<supervision> read_supervision(std::string_view line);
std::string to_line(supervision_report const& report);
std::optional<supervision_report> read_report(std::string_view line);

/// What the runner may send to a supervisor after its task: a line that asks it to end the program, with the
/// milliseconds from SIGTERM to SIGKILL.
std::string end_line(milliseconds grace);
std::optional<milliseconds> read_end_line(std::string_view line);

/// The whole life of the supervisor, a separate process between the runner and what it runs. Reads its task from
/// `control` and starts the program. When that ends, or `end_line`'s time is over, or the other end of `control`
/// closes (the runner wants it at once, or is dead), kills every descendant, reports and returns the exit code.
/// Standard output and error are the program's.
int supervise(int control);

}  // namespace svc::runner
