#pragma once

#include <linux/filter.h>

#include <vector>

namespace svc::runner {

using seccomp_program = std::vector<sock_filter>;

/// Which system calls a script may make: those that programs need, in the spirit of what container runtimes allow.
/// What is refused by name gets EPERM, and all that the list does not know ENOSYS, as an older kernel would say, so
/// that libraries fall back. `own_ipc`: System V memory and message queues die with its namespace; else they are
/// refused, because they would outlive the run. Throws `std::runtime_error`.
seccomp_program script_filter(bool own_ipc);

/// For the calling thread and what it starts, for ever; it has no_new_privs. Async-signal-safe.
bool install_filter(seccomp_program const& program);

}  // namespace svc::runner
