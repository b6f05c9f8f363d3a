#pragma once

#include "svc/core/async.hpp"

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Ways to start coroutines, and to keep them running.

namespace svc {

/// Logs an exception that a coroutine without a waiting caller has let out, and counts it like an exception
/// of a handler (`loop_activity::note_failure`). The thread continues. Does not count `unavailable`, because
/// unreachable stores are counted elsewhere. On a thread whose loop has no activity it only logs. Ignores
/// null.
void note_uncaught(std::exception_ptr const& failure) noexcept;

/// Starts a coroutine that nobody waits for. With `asio::detached` an exception that the coroutine lets out would be
/// lost without a trace. Work that others wait for must catch its exceptions itself, because the waiters need an
/// answer.
template <class T>
void spawn_task(executor const& executor, task<T> work) {
  asio::co_spawn(executor, std::move(work),
                 [](std::exception_ptr const& failure, auto const&... /*result*/) { note_uncaught(failure); });
}
template <class T>
void spawn_task(asio::io_context& io, task<T> work) {
  spawn_task(io.get_executor(), std::move(work));
}

/// Logs the exception that ended work without a waiting caller. `work` is a constant sentence.
void log_failure(std::string_view work, std::exception_ptr const& failure);

/// Runs `run` until it returns. If it throws instead, because of a bug or exhausted memory, logs that, calls
/// `reset`, and starts `run` again after a second. So a loop on which others depend never ends unnoticed.
/// `goes_on` returns false once the loop is no longer needed.
task<> keep_running(std::string work, std::function<bool()> goes_on, std::function<void()> reset,
                    std::function<task<>()> run);

/// Runs all tasks at the same time until the last one has ended. Then throws the exception of the first one that
/// failed.
task<> together(std::vector<task<>> all);

}  // namespace svc
