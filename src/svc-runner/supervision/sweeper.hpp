#pragma once

#include "svc-runner/supervision/cgroup.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace svc::runner {

/// Sends SIGTERM to the process group of the program that a supervisor started and has not reaped, or to the program
/// while it has no group of its own; `sandboxed`: to the group of what runs inside bubblewrap. Processes that left
/// the group get no SIGTERM and are killed by `sweep`.
void ask_to_end(pid_t program, bool sandboxed);

/// Kills and reaps until nothing of what was started is left: the group's members, every descendant of this process
/// (which is a subreaper, so that none escapes by a double fork; the end of bubblewrap's first process ends its whole
/// PID namespace), and, if they have a user id of their own, that user's processes in this process's own PID
/// namespace and control groups. Processes of other namespaces are never touched, because containers of this machine
/// may use the same user id. Returns how many are left when ten seconds were not enough (a process in an
/// uninterruptible wait).
std::int64_t sweep(cgroup const& group, std::optional<std::int64_t> own_uid);

/// The descendants of `root`, without `root` itself.
std::vector<pid_t> descendants(pid_t root);

}  // namespace svc::runner
