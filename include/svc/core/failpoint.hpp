#pragma once

// Named points where tests make the service stall, fail or die. Only builds with SVC_FAILPOINTS hold them;
// `release` does not contain the names (a test greps the binary).

#ifdef SVC_FAILPOINTS

#include "svc/core/async.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace svc::failpoint {

/// Reads `name=action[:argument][,...]` from SVC_FAILPOINTS or the admin listener's `POST /debug/failpoints`.
/// Actions: `delay:MS`; `block:MS`, which keeps the thread busy; `sleep:MS`, which keeps it without using the
/// processor; `throw`, as if a store were out of reach; `bug`, which throws an exception that no caller
/// expects; `exit`; each with an optional `*N` to fire N times only. Returns false on a bad line; nothing
/// changes then.
bool configure(std::string_view spec);

/// Executes the action that is configured for `name`, if any.
task<> hit(std::string_view name);
void hit_now(std::string_view name);
/// Returns true if an action is configured for `name`.
bool is_set(std::string_view name);

/// Sets the virtual clock: the whole seconds, e.g. `31`, by which the database's time is moved forward for
/// ages and expiry. `POST /debug/clock` calls it. Returns false for any other text.
bool set_clock(std::string_view seconds);
std::chrono::microseconds clock_offset();
/// Stops the clock at this time since 1970, to which the offset is added; `std::nullopt` lets it run again.
void hold_clock(std::optional<std::chrono::microseconds> instant);
std::optional<std::chrono::microseconds> held_clock();

}  // namespace svc::failpoint

#define SVC_FAILPOINT(name) co_await ::svc::failpoint::hit(name)
#define SVC_FAILPOINT_NOW(name) ::svc::failpoint::hit_now(name)
#define SVC_FAILPOINT_SET(name) ::svc::failpoint::is_set(name)
#else
#define SVC_FAILPOINT(name) static_cast<void>(0)
#define SVC_FAILPOINT_NOW(name) static_cast<void>(0)
#define SVC_FAILPOINT_SET(name) false
#endif
