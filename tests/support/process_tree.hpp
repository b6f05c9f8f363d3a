#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace svc::test {

/// Direct children by /proc: each PostgreSQL session leads its own process group.
std::vector<pid_t> children_of(pid_t parent);

/// What a process calls itself: PostgreSQL's sessions say who is logged in and what they do. Empty when it has gone.
std::string title_of(pid_t of);

}  // namespace svc::test
