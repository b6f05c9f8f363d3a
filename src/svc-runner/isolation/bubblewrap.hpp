#pragma once

#include "svc-runner/environment.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace svc::runner {

/// What a script sees inside bubblewrap. A value.
struct sandbox_view {
  std::string scratch{};                 ///< becomes /work; the only other writable places are /tmp and /dev/shm
  bool network = false;                  ///< this machine's; false: only a loopback interface of its own
  std::vector<std::string> read_only{};  ///< further paths besides the system's
  std::vector<std::string> hidden{};     ///< files that hold our secrets, wherever they lie
  std::int64_t tmp_mb = 1024;            ///< size of /tmp, and of /dev/shm
  std::int64_t processes = 0;            ///< limited by RLIMIT_NPROC inside; 0: limited elsewhere
  bool filter = false;                   ///< a seccomp program is at `supervision::filter_descriptor`
  bool no_more_namespaces = true;        ///< bubblewrap 0.8 and newer
};

inline constexpr std::string_view sandbox_work = "/work";

/// bubblewrap's options, which include the environment; they must not appear in a list of processes.
std::vector<std::string> bubblewrap_options(sandbox_view const& view, environment_list const& environment);

/// What follows the options: the command, run by a shell that limits its processes if `view.processes` is set.
std::vector<std::string> bubblewrap_command(sandbox_view const& view, std::vector<std::string> const& command);

}  // namespace svc::runner
