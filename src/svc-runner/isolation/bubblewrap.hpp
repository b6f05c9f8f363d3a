#pragma once

#include "svc-runner/environment.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace svc::runner {

/// The view of a script inside bubblewrap. A value.
struct sandbox_view {
  std::string scratch{};                 ///< becomes /work; the only other writable places are /tmp and /dev/shm
  bool network = false;                  ///< the network of this machine; false: only a separate loopback interface
  std::vector<std::string> read_only{};  ///< paths in addition to those of the system
  std::vector<std::string> hidden{};     ///< files that contain our secrets, at any path
  std::int64_t tmp_mb = 1024;            ///< size of /tmp, and of /dev/shm
  std::int64_t processes = 0;            ///< limited by RLIMIT_NPROC inside; 0: limited elsewhere
  bool filter = false;                   ///< a seccomp program is at `supervision::filter_descriptor`
  bool no_more_namespaces = true;        ///< bubblewrap 0.8 and newer
};

inline constexpr std::string_view sandbox_work = "/work";

/// Returns bubblewrap's options, which include the environment; they must not appear in a list of processes.
std::vector<std::string> bubblewrap_options(sandbox_view const& view, environment_list const& environment);

/// Returns the arguments after the options: the command, run by a shell that limits its processes if `view.processes`
/// is set.
std::vector<std::string> bubblewrap_command(sandbox_view const& view, std::vector<std::string> const& command);

}  // namespace svc::runner
