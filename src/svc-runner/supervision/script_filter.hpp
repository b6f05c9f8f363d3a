#pragma once

#include <linux/filter.h>

#include <vector>

namespace svc::runner {

using seccomp_program = std::vector<sock_filter>;

/// The system calls that a script may make: those that programs need, similar to what container runtimes allow. Calls
/// refused by name fail with EPERM, and calls not on any list with ENOSYS, as on an older kernel, so that libraries
/// fall back. `own_ipc`: the script has its own IPC namespace, with which its System V objects and message queues
/// vanish; without it they are refused, because they would outlive the run. Throws `std::runtime_error`.
seccomp_program script_filter(bool own_ipc);

/// Applies the filter permanently to the calling thread and its children; requires no_new_privs. Async-signal-safe.
bool install_filter(seccomp_program const& program);

}  // namespace svc::runner
