#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace svc::test {

/// Direct children, from /proc. Process groups would not do: each PostgreSQL session leads its own.
std::vector<pid_t> children_of(pid_t parent);

/// The process title: in PostgreSQL's sessions it shows the user and the current activity. Empty when the process has
/// gone.
std::string title_of(pid_t pid);

/// Resident bytes; 0 when the process has gone.
long resident_memory(pid_t pid);

}  // namespace svc::test
