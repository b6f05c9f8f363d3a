#pragma once

#include <cstdint>
#include <string_view>

namespace svc::runner {

/// True if a `/proc/PID/status` shows a living process of `user` in the PID namespace of the reader, and the
/// process's
/// `/proc/PID/cgroup` equals the reader's. Pure. Containers below the reader's namespace may use the same user id:
/// their processes have a second number in the line `NSpid`.
bool is_own_process(std::string_view status, std::string_view cgroup, std::int64_t user, std::string_view own_cgroup);

/// Sends SIGKILL to each process of `user` that is in this process's own PID namespace and control groups, and
/// returns their number. Does not use `kill(-1)`, because that also reaches into every PID namespace below this one.
std::int64_t kill_own_processes(std::int64_t user);

}  // namespace svc::runner
