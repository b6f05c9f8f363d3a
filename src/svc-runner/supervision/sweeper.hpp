#pragma once

#include "svc-runner/supervision/cgroup.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace svc::runner {

/// Sends SIGTERM to the process group of the program that a supervisor started; `sandboxed`: to that of what runs in
/// its bubblewrap. What left the group hears nothing and is killed by `sweep`.
void ask_to_end(pid_t program, bool sandboxed);

/// Kills and reaps until nothing of what was started is left: the group's members, every descendant of this process
/// (which is their subreaper, so that none escapes by a double fork), and, where a user id is theirs alone, all of
/// that user's. Returns how many are left when ten seconds were not enough (a process in an uninterruptible wait).
std::int64_t sweep(cgroup const& group, std::optional<std::int64_t> own_uid);

/// The processes below `root`, itself not among them.
std::vector<pid_t> descendants(pid_t root);

}  // namespace svc::runner
