#pragma once

#include "runner/cgroup.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace svc::runner {

/// Kills and reaps until nothing of what was started is left: the group's members, every descendant of this process
/// (which is their subreaper, so that none escapes by a double fork), and, where a user id is theirs alone, all of
/// that user's. Returns how many are left when ten seconds were not enough (a process in an uninterruptible wait).
std::int64_t sweep(cgroup const& group, std::optional<std::int64_t> own_uid);

/// The processes below `root`, itself not among them.
std::vector<pid_t> descendants(pid_t root);

}  // namespace svc::runner
