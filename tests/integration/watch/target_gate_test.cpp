// Who may connect to a target when others do.
#include "svc/watch/target_gate.hpp"

#include "support/run_task.hpp"

#include <doctest/doctest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

using namespace svc;
using namespace std::chrono_literals;

namespace {

/// Callers of a gate, who stay until they are told to leave.
struct crowd {
  explicit crowd(watch::target_gate::limits of) : gate(of) {}

  void come(std::string const& where, uuid project, milliseconds patience = 10s) {
    auto const n = static_cast<std::size_t>(came++);
    places.resize(n + 1);
    cancels.emplace_back();
    projects.push_back(project);
    asio::co_spawn(io, gate.enter(where, project, deadline::after(patience)),
                   asio::bind_cancellation_slot(cancels.back().slot(),
                                                [this, n](std::exception_ptr, watch::target_gate::place p) {
                                                  ended.push_back(n);
                                                  if (p) through.push_back(n);
                                                  places[n] = std::move(p);
                                                }));
    settle();
  }
  void leave(std::size_t n) {
    places[n] = {};
    settle();
  }
  void leave_for_a_while(std::size_t n) {
    places[n].leave();
    settle();
  }
  void come_back(std::size_t n, milliseconds patience = 10s) {
    asio::co_spawn(io, places[n].come_back(deadline::after(patience)), [this, n](std::exception_ptr, bool back) {
      ended.push_back(n);
      if (back) through.push_back(n);
    });
    settle();
  }
  void settle() {
    io.restart();
    while (io.poll() > 0) {
    }
  }
  /// How many steps were made meanwhile.
  std::size_t pass(milliseconds time) {
    io.restart();
    return io.run_for(time);
  }

  asio::io_context io{1};
  watch::target_gate gate;
  std::deque<asio::cancellation_signal> cancels;
  int came = 0;
  std::vector<watch::target_gate::place> places;
  std::vector<uuid> projects;
  std::vector<std::size_t> through, ended;
};

uuid const one = uuid::generate_v7(), other = uuid::generate_v7();

}  // namespace

TEST_CASE("so many are at one target at a time, and projects that wait for it go in turn") {
  crowd all({.at_a_time = 2});
  for (int i = 0; i < 6; ++i) all.come("10.0.0.1 80", one);
  for (int i = 0; i < 2; ++i) all.come("10.0.0.1 80", other);
  CHECK(all.through == std::vector<std::size_t>{0, 1});
  // Another target is not affected.
  all.come("10.0.0.1 81", one);
  CHECK(all.through.back() == 8);
  for (std::size_t n : {0U, 1U, 8U}) all.leave(n);
  std::vector<uuid> who;
  for (std::size_t i = 3; i < 5; ++i) who.push_back(all.projects[all.through[i]]);
  // The one that came later has one of the two places.
  CHECK(std::ranges::count(who, other) == 1);
  for (std::size_t i = 3; i < all.through.size(); ++i) all.leave(all.through[i]);
  CHECK(all.through.size() == 9);
}

TEST_CASE("so many a minute of a project go to one target; another project has its own number") {
  crowd all({.at_a_time = 100, .per_minute = 3});
  for (int i = 0; i < 4; ++i) all.come("10.0.0.1 80", one, 50ms);
  CHECK(all.through.size() == 3);
  all.come("10.0.0.1 80", other, 50ms);
  CHECK(all.through.size() == 4);
  // Its further attempts count too.
  all.places[4].count(2);
  all.come("10.0.0.1 80", other, 50ms);
  CHECK(all.through.size() == 4);
  all.pass(100ms);
  CHECK(all.ended.size() == 6);
  CHECK(all.through.size() == 4);
  all.come("10.0.0.2 80", one, 50ms);
  CHECK(all.through.size() == 5);
}

TEST_CASE("who waits too long, is one too many, or is given up does not go through and keeps no place") {
  crowd all({.at_a_time = 1, .most_waiting = 2});
  all.come("10.0.0.1 80", one);
  all.come("10.0.0.1 80", one, 300ms);
  all.come("10.0.0.1 80", one);
  all.come("10.0.0.1 80", one);
  CHECK(all.ended == std::vector<std::size_t>{0, 3});
  all.pass(400ms);
  CHECK(all.ended == std::vector<std::size_t>{0, 3, 1});
  all.cancels[2].emit(asio::cancellation_type::terminal);
  all.come("10.0.0.1 80", one);
  all.leave(0);
  CHECK(all.through == std::vector<std::size_t>{0, 4});
}

TEST_CASE("who leaves for a while lets another in, and comes back before all who wait for their first time") {
  crowd all({.at_a_time = 1, .per_minute = 2, .most_waiting = 1});
  all.come("10.0.0.1 80", one);
  all.come("10.0.0.1 80", one);
  all.leave_for_a_while(0);
  CHECK(all.through == std::vector<std::size_t>{0, 1});
  all.come("10.0.0.1 80", one);
  // Neither the number of those that wait nor that of the minute keeps it out.
  all.come_back(0);
  all.leave(1);
  CHECK(all.through == std::vector<std::size_t>{0, 1, 0});
  all.leave(0);
  CHECK(all.through == std::vector<std::size_t>{0, 1, 0});
}

TEST_CASE("who comes back takes its project's turn, not another's") {
  crowd all({.at_a_time = 1});
  all.come("10.0.0.1 80", one);
  all.leave_for_a_while(0);
  all.come("10.0.0.1 80", one);
  all.come("10.0.0.1 80", other);
  all.come_back(0);
  all.leave(1);
  CHECK(all.through == std::vector<std::size_t>{0, 1, 2});
  all.leave(2);
  CHECK(all.through == std::vector<std::size_t>{0, 1, 2, 0});
}

TEST_CASE("who comes back too late has no place, and gives none back twice") {
  crowd all({.at_a_time = 1});
  all.come("10.0.0.1 80", one);
  all.leave_for_a_while(0);
  all.come("10.0.0.1 80", other);
  all.come_back(0, 20ms);
  all.pass(40ms);
  CHECK(all.through == std::vector<std::size_t>{0, 1});
  CHECK(all.ended == std::vector<std::size_t>{0, 1, 0});
  all.leave(0);
  all.come("10.0.0.1 80", one);
  CHECK(all.through.size() == 2);
  all.leave(1);
  CHECK(all.through == std::vector<std::size_t>{0, 1, 2});
}

TEST_CASE("who waits for a place sleeps, also when nothing of its project counts any more") {
  crowd all({.at_a_time = 1, .per_minute = 1, .minute = 20ms});
  all.come("10.0.0.1 80", one);
  all.come("10.0.0.1 80", one);
  CHECK(all.pass(200ms) < 200);
  CHECK(all.through.size() == 1);
  all.leave(0);
  CHECK(all.through.size() == 2);
}

TEST_CASE("of a project that goes to one target all the time as many pass in each minute") {
  crowd all({.at_a_time = 100, .per_minute = 3, .minute = 400ms});
  auto const began = steady::now();
  for (int i = 0; i < 12; ++i) all.come("10.0.0.1 80", one);
  CHECK(all.through.size() == 3);
  while (all.through.size() < 12 && steady::now() - began < 10s) all.pass(5ms);
  CHECK(all.through.size() == 12);
  CHECK(steady::now() - began >= 1200ms);
}
