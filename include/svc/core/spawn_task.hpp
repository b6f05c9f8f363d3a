#pragma once

#include "svc/core/async.hpp"

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <utility>

namespace svc {

/// Logs and counts an exception that a coroutine which nobody waits for has let out, as one of its thread's handlers
/// (`loop_activity::note_failure`); the thread goes on. `unavailable` is only logged: a store is gone, which others
/// count. A thread whose loop has no activity only logs. Null: nothing.
void note_uncaught(std::exception_ptr const& failure) noexcept;

/// Starts a coroutine that nobody waits for. With `asio::detached` an exception that the coroutine lets out would be
/// lost without a trace. Work that others wait for must catch its exceptions itself, because they must be answered.
template <class T>
void spawn_task(executor const& executor, task<T> work) {
  asio::co_spawn(executor, std::move(work),
                 [](std::exception_ptr const& failure, auto const&... /*result*/) { note_uncaught(failure); });
}
template <class T>
void spawn_task(asio::io_context& io, task<T> work) {
  spawn_task(io.get_executor(), std::move(work));
}

}  // namespace svc
