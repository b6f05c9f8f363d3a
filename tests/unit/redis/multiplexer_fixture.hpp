#pragma once

#include "redis/multiplexer.hpp"
#include "unit/redis/render.hpp"

#include <doctest/doctest.h>

namespace svc::redis {

/// Seconds after an arbitrary start: the multiplexer never reads the time itself.
inline steady::time_point at(int seconds) {
  return steady::time_point(std::chrono::seconds(1000 + seconds));
}

class probe final : public waiter {
 public:
  explicit probe(int until = 100) : waiter(deadline(at(until))) {}
  /// Patient: its reply is late from `late` on.
  probe(int until, int late) : waiter(deadline(at(until)), at(late)) {}
  void resume() override { ++resumed; }
  void resume_later() override { ++resumed; }
  std::string text() const {
    if (result.state == delivery::missed) return "missed";
    if (result.state == delivery::unsent) return "unsent";
    return render(result.value);
  }

  int resumed = 0;
};

/// A multiplexer and the far end of its stream.
struct mux_fixture {
  explicit mux_fixture(std::size_t max_commands = 100, steady::duration longest_gap = {},
                       steady::duration prompt = {})
      : mux(max_commands, counters, longest_gap, prompt) {}

  bool send(probe& probe, std::string_view word) {
    std::array<std::string_view, 2> const words{"ECHO", word};
    return mux.submit({.head = words}, &probe);
  }
  /// Behind ASKING.
  bool send_asking(probe& probe, std::string_view word) {
    std::array<std::string_view, 2> const words{"ECHO", word};
    return mux.submit({.head = words, .asking = true}, &probe);
  }
  bool send_unwanted(std::string_view word) {
    std::array<std::string_view, 2> const words{"ECHO", word};
    return mux.submit({.head = words}, nullptr);
  }
  /// Writes at most `count` bytes of what is staged.
  void write(std::size_t count = std::string::npos) {
    if (!mux.stage(now)) return;
    auto const piece = mux.staged().substr(0, count);
    wire += piece;
    mux.wrote(piece.size(), now);
  }
  void write_all() {
    while (mux.stage(now)) write();
  }
  /// Feeds and resumes; records the order in `order`.
  void receive(std::string_view bytes) {
    mux.feed(bytes, now);
    while (waiter* const waiter = mux.next()) resume(waiter);
  }
  void expire(int seconds) {
    now = at(seconds);
    std::vector<waiter*> gone;
    mux.expire(now, gone);
    for (auto* waiter : gone) resume(waiter);
  }
  void end() {
    std::vector<waiter*> gone;
    mux.end(gone);
    for (auto* waiter : gone) resume(waiter);
  }
  void resume(waiter* waiter) {
    waiter->resume();
    order.push_back(static_cast<probe*>(waiter));
  }

  statistics counters;
  multiplexer mux;
  std::string wire;
  steady::time_point now = at(0);
  std::vector<probe*> order;
};

/// ECHO's request and reply.
inline std::string echo(std::string const& word) {
  return "*2\r\n$4\r\nECHO\r\n$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
}
inline std::string echoed(std::string const& word) {
  return "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
}

}  // namespace svc::redis
