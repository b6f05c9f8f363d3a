#pragma once

#include "support/private_redis.hpp"
#include "svc/redis/client.hpp"

#include <doctest/doctest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

namespace svc::redis {

using words = std::vector<std::string_view>;
using namespace std::chrono_literals;

/// Timeouts so long that a noisy machine misses nothing; tests of deadlines set their own.
inline settings patient(std::string const& url) {
  auto where = parse_url(url);
  where.command_deadline = 10s;
  where.silence_limit = 10s;
  where.connect_timeout = 10s;
  return where;
}

/// A worker of one test: its loop, and the calls of `on_change`.
struct worker {
  asio::io_context io{1};
  std::vector<bool> changes;

  std::function<void(bool)> listener() {
    return [this](bool connected) { changes.push_back(connected); };
  }

  /// Runs the loop until `condition`; false when that takes too long.
  template <class Condition>
  bool run_until(Condition condition) {
    auto const give_up = deadline::after(20s);
    while (!condition() && !give_up.passed()) {
      io.restart();
      io.run_one_for(100ms);
    }
    return condition();
  }

  template <class T>
  T run(task<T> outcome) {
    std::optional<T> result;
    std::exception_ptr failure;
    asio::co_spawn(io, std::move(outcome), [&](std::exception_ptr e, T value) {
      failure = e;
      result = std::move(value);
    });
    REQUIRE(run_until([&] { return result.has_value(); }));
    if (failure) std::rethrow_exception(failure);
    return std::move(*result);
  }

  void connect(client& c) {
    c.start();
    REQUIRE(run(c.wait_connected(deadline::after(15s))));
  }
  outcome ask(client& c, words const& command, steady::duration limit = 10s) {
    return run(c.command(command, deadline::after(limit)));
  }
};

/// The outcome of a command in a few words.
inline std::string text(outcome const& o) {
  if (o.state == delivery::missed) return "missed";
  if (o.state == delivery::unsent) return "unsent";
  if (o.value.kind == reply::type::integer) return std::to_string(o.value.number);
  return o.value.is_error() ? "-" + o.value.text : o.value.text;
}

/// Starts a command whose outcome is stored in `into`, which outlives the loop.
inline task<> ask_into(client& c, std::string word, deadline until, std::optional<outcome>& into) {
  std::array<std::string_view, 2> const command{"ECHO", word};
  into = co_await c.command(command, until);
}

}  // namespace svc::redis
