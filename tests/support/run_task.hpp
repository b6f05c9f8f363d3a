#pragma once

#include "svc/core/async.hpp"

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace svc::test {

/// Runs `io` until the task is over, and returns its value or throws its exception. Other work of `io` continues at
/// the next call.
template <class T>
T run_task(asio::io_context& io, task<T> content) {
  bool over = false;
  std::exception_ptr failure;
  io.restart();
  if constexpr (std::is_void_v<T>) {
    asio::co_spawn(io, std::move(content), [&](std::exception_ptr e) { over = true, failure = e; });
    while (!over && io.run_one() > 0) {
    }
    if (failure) std::rethrow_exception(failure);
  } else {
    // `optional`: asio default-constructs the value when the task threw, so the task's own type is wrapped.
    std::optional<T> value;
    auto wrap = [](task<T> inner, std::optional<T>& out) -> task<> { out.emplace(co_await std::move(inner)); };
    asio::co_spawn(io, wrap(std::move(content), value), [&](std::exception_ptr e) { over = true, failure = e; });
    while (!over && io.run_one() > 0) {
    }
    if (failure) std::rethrow_exception(failure);
    return std::move(value.value());
  }
}

}  // namespace svc::test
