#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>

namespace svc {

namespace asio = boost::asio;

/// Every object with I/O belongs to one worker: one thread, one `io_context`. The concrete executor type avoids the
/// type erasure of `any_io_executor` on each completion.
using executor = asio::io_context::executor_type;

/// A coroutine. It takes its parameters by value. Across `co_await` it keeps no reference to data that another
/// request can change.
template <class T = void>
using task = asio::awaitable<T, executor>;

using steady_timer =
    asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, executor>;

/// Completion token: `auto [ec, n] = co_await socket.async_read_some(buffer, awaiting);`
inline constexpr asio::as_tuple_t<asio::use_awaitable_t<executor>> awaiting{asio::use_awaitable_t<executor>{}};

/// Returns true if the coroutine was cancelled. Ask after each `co_await`, because the next one would throw.
inline bool is_cancelled(asio::cancellation_state const& state) {
  return state.cancelled() != asio::cancellation_type::none;
}

}  // namespace svc
