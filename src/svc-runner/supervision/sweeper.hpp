#pragma once

#include "svc-runner/supervision/cgroup.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace svc::runner {

/// Sends SIGTERM to the process group of the program that a supervisor started and has not reaped, or to the program
/// while it has no group of its own; `sandboxed`: to the group of the processes inside bubblewrap. Processes that
/// left the group get no SIGTERM and are killed by `sweep`.
void ask_to_end(pid_t program, bool sandboxed);

/// Kills and reaps until no started process is left:
/// - the group's members;
/// - every descendant of this process, which is a subreaper, so that none escapes by a double fork (the end of
///   bubblewrap's first process ends its whole PID namespace);
/// - if they have a user id of their own, that user's processes in this process's own PID namespace and control
/// groups.
///  Processes of other namespaces are never touched, because containers of this machine may use the same user id.
/// Returns how many are left when ten seconds were not enough (a process in an uninterruptible wait).
std::int64_t sweep(cgroup const& group, std::optional<std::int64_t> own_uid);

/// Returns the descendants of `root`, without `root` itself.
std::vector<pid_t> descendants(pid_t root);

/// Returns true if a `/proc/PID/status` shows a living process of `user` in the PID namespace of the reader, and the
/// process's `/proc/PID/cgroup` equals the reader's. Pure. Containers below the reader's namespace may use the same
/// user id: their processes have a second number in the line `NSpid`.
bool is_own_process(std::string_view status, std::string_view cgroup, std::int64_t user, std::string_view own_cgroup);

/// Sends SIGKILL to each process of `user` that is in this process's own PID namespace and control groups, and
/// returns their number. Does not use `kill(-1)`, because that also reaches into every PID namespace below this one.
std::int64_t kill_own_processes(std::int64_t user);

}  // namespace svc::runner
