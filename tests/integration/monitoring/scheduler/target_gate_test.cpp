// Tests which callers may connect to a target that others use.
#include "monitoring/checks/target_gate.hpp"

#include "support/run_task.hpp"

#include <doctest/doctest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <vector>

using namespace svc;
using namespace std::chrono_literals;

namespace {

using scheduler::target_gate;

/// Callers of a gate, who stay until the test makes them leave.
struct crowd {
  explicit crowd(target_gate::limits limits, account* book = nullptr) : gate(limits, book) {}

  void come(std::string const& where, uuid project, milliseconds patience = 10s, uuid organization = {}) {
    auto const n = static_cast<std::size_t>(came++);
    positions.resize(n + 1);
    cancels.emplace_back();
    owners.push_back({organization, project});
    wheres.push_back(where);
    enter(n, false, patience);
  }
  void leave(std::size_t n) {
    positions[n].reset();
    settle();
  }
  void come_back(std::size_t n, milliseconds patience = 10s) { enter(n, true, patience); }
  void settle() {
    io.restart();
    while (io.poll() > 0) {
    }
  }
  /// Returns how many steps ran meanwhile.
  std::size_t pass(milliseconds time) {
    io.restart();
    return io.run_for(time);
  }
  bool is_through(std::size_t n) const { return positions[n].has_value(); }
  std::size_t inside(uuid project) const {
    std::size_t out = 0;
    for (std::size_t n = 0; n < positions.size(); ++n) out += owners[n].project == project && is_through(n) ? 1 : 0;
    return out;
  }

  std::size_t inside_of(uuid organization) const {
    std::size_t out = 0;
    for (std::size_t n = 0; n < positions.size(); ++n)
      out += owners[n].organization == organization && is_through(n) ? 1 : 0;
    return out;
  }

  asio::io_context io{1};
  target_gate gate;
  std::deque<asio::cancellation_signal> cancels;
  int came = 0;
  std::vector<std::optional<target_gate::permit>> positions;
  std::vector<target_gate::owner> owners;
  std::vector<std::string> wheres;
  std::vector<std::size_t> through, ended;

 private:
  void enter(std::size_t n, bool returns, milliseconds patience) {
    asio::co_spawn(io, gate.enter(wheres[n], owners[n], returns, deadline::after(patience)),
                   asio::bind_cancellation_slot(cancels[n].slot(), [this, n](std::exception_ptr, auto permit) {
                     ended.push_back(n);
                     if (permit) through.push_back(n);
                     positions[n] = std::move(permit);
                   }));
    settle();
  }
};

/// Allows no additional place for newcomers.
target_gate::limits only(std::size_t indexes) {
  return {.at_a_time = indexes, .most_at_all = indexes};
}

uuid const id = uuid::generate_v7(), other = uuid::generate_v7(), third = uuid::generate_v7();

}  // namespace

TEST_CASE("a limited number of checks is at one target at a time, and waiting projects take turns") {
  crowd all(only(2));
  for (int i = 0; i < 6; ++i) all.come("10.0.0.1 80", id);
  for (int i = 0; i < 2; ++i) all.come("10.0.0.1 80", other);
  CHECK(all.through == std::vector<std::size_t>{0, 1});
  // Another target is not affected.
  all.come("10.0.0.1 81", id);
  CHECK(all.through.back() == 8);
  for (std::size_t n : {0U, 1U, 8U}) all.leave(n);
  // The later project has one of the two places.
  CHECK(all.inside(other) == 1);
  CHECK(all.inside(id) == 1);
  for (std::size_t i = 3; i < all.through.size(); ++i) all.leave(all.through[i]);
  CHECK(all.through.size() == 9);
}

TEST_CASE("a project whose checks hang at a target keeps no other project out") {
  crowd all({});
  for (int i = 0; i < 20; ++i) all.come("10.0.0.1 80", id);
  CHECK(all.inside(id) == 8);
  // A newcomer finds a place at once, and its next check follows as soon as it leaves.
  for (int i = 0; i < 6; ++i) all.come("10.0.0.1 80", other);
  CHECK(all.is_through(20));
  CHECK(all.inside(other) == 1);
  for (std::size_t n = 20; n < 25; ++n) {
    all.leave(n);
    CHECK(all.is_through(n + 1));
  }
  CHECK(all.inside(id) == 8);
  for (int i = 0; i < 6; ++i) all.come("10.0.0.1 80", other);
  // Places that the first project gives back go to the other one until each has half.
  for (std::size_t n = 0; n < 5; ++n) all.leave(n);
  CHECK(all.inside(id) == 4);
  CHECK(all.inside(other) == 4);
  all.come("10.0.0.1 80", third);
  CHECK(all.inside(third) == 1);
  // If nobody else waits, a project may hold all places again.
  for (std::size_t n = 20; n < all.positions.size(); ++n) {
    all.cancels[n].emit(asio::cancellation_type::terminal);
    all.leave(n);
  }
  CHECK(all.inside(id) == 8);
}

TEST_CASE("while others wait a project holds at most its equal share") {
  struct {
    std::size_t projects;
    std::vector<std::size_t> share;
  } const cases[] = {{1, {8}}, {2, {4, 4}}, {3, {2, 2, 2}}, {8, {1, 1, 1, 1, 1, 1, 1, 1}}};
  for (auto const& c : cases) {
    CAPTURE(c.projects);
    crowd all(only(8));
    std::vector<uuid> projects;
    for (std::size_t p = 0; p < c.projects; ++p) projects.push_back(uuid::generate_v7());
    // Each project wants the whole target, the last one first.
    for (std::size_t p = c.projects; p-- > 0;)
      for (int i = 0; i < 40; ++i) all.come("10.0.0.1 80", projects[p]);
    for (int round = 0; round < 4; ++round) {
      auto const now = all.through;
      for (auto const n : now)
        if (all.is_through(n)) all.leave(n);
    }
    for (std::size_t p = 0; p < c.projects; ++p) CHECK(all.inside(projects[p]) >= c.share[p]);
  }
}

TEST_CASE("newcomers are bounded for the target, and for each organization") {
  uuid const organization = uuid::generate_v7(), neighbour = uuid::generate_v7();
  {
    crowd all({.at_a_time = 2, .most_at_all = 100});
    // Two places are shared by all, and two are for newcomers of this organization.
    for (int i = 0; i < 6; ++i) all.come("10.0.0.1 80", uuid::generate_v7(), 10s, organization);
    CHECK(all.through.size() == 4);
    for (int i = 0; i < 6; ++i) all.come("10.0.0.1 80", uuid::generate_v7(), 10s, neighbour);
    CHECK(all.through.size() == 6);
    // A newcomer's place goes to another newcomer of its organization.
    all.leave(2);
    CHECK(all.inside_of(organization) == 4);
    CHECK(all.inside_of(neighbour) == 2);
    // A shared place goes to nobody while the target has as many connections as there are shared places.
    for (std::size_t n : {0U, 1U}) all.leave(n);
    CHECK(all.inside_of(organization) == 2);
    CHECK(all.inside_of(neighbour) == 2);
    all.leave(3);
    CHECK(all.inside_of(organization) == 2);
  }
  crowd all({.at_a_time = 2, .most_at_all = 5});
  for (int i = 0; i < 9; ++i) all.come("10.0.0.1 80", uuid::generate_v7(), 10s, uuid::generate_v7());
  CHECK(all.through.size() == 5);
  all.leave(0);
  CHECK(all.through.size() == 6);
}

TEST_CASE("a project has a limit of checks per minute to one target; another project has its own number") {
  crowd all({.at_a_time = 100, .per_minute = 3});
  for (int i = 0; i < 4; ++i) all.come("10.0.0.1 80", id, 50ms);
  CHECK(all.through.size() == 3);
  all.come("10.0.0.1 80", other, 50ms);
  CHECK(all.through.size() == 4);
  // Its further connections count too.
  for (int i = 0; i < 2; ++i) all.positions[4]->count();
  all.come("10.0.0.1 80", other, 50ms);
  CHECK(all.through.size() == 4);
  all.pass(100ms);
  CHECK(all.ended.size() == 6);
  CHECK(all.through.size() == 4);
  all.come("10.0.0.2 80", id, 50ms);
  CHECK(all.through.size() == 5);
}

TEST_CASE("a project that has used up its minute leaves its share to others") {
  crowd all({.at_a_time = 4, .most_at_all = 4, .per_minute = 6});
  all.come("10.0.0.1 80", other);
  for (int i = 0; i < 5; ++i) all.positions[0]->count();
  all.come("10.0.0.1 80", other);
  for (int i = 0; i < 6; ++i) all.come("10.0.0.1 80", id);
  CHECK(all.inside(other) == 1);
  CHECK(all.inside(id) == 3);
}

TEST_CASE("a check that waits too long, exceeds the bound, or is cancelled does not pass and keeps no slot") {
  crowd all({.at_a_time = 1, .most_waiting = 2});
  all.come("10.0.0.1 80", id);
  all.come("10.0.0.1 80", id, 300ms);
  all.come("10.0.0.1 80", id);
  all.come("10.0.0.1 80", id);
  CHECK(all.ended == std::vector<std::size_t>{0, 3});
  all.pass(400ms);
  CHECK(all.ended == std::vector<std::size_t>{0, 3, 1});
  all.cancels[2].emit(asio::cancellation_type::terminal);
  all.come("10.0.0.1 80", id);
  all.leave(0);
  CHECK(all.through == std::vector<std::size_t>{0, 4});
}

TEST_CASE("a check that pauses lets another pass, and returns before all checks that wait for their first time") {
  crowd all({.at_a_time = 1, .per_minute = 2, .most_waiting = 1});
  all.come("10.0.0.1 80", id);
  all.come("10.0.0.1 80", id);
  all.leave(0);
  CHECK(all.through == std::vector<std::size_t>{0, 1});
  all.come("10.0.0.1 80", id);
  // Neither the number of waiting callers nor the limit of the minute keeps it out.
  all.come_back(0);
  all.leave(1);
  CHECK(all.through == std::vector<std::size_t>{0, 1, 0});
  all.leave(0);
  CHECK(all.through == std::vector<std::size_t>{0, 1, 0});
}

TEST_CASE("a check that returns takes its project's turn, not another's") {
  crowd all(only(1));
  all.come("10.0.0.1 80", id);
  all.leave(0);
  all.come("10.0.0.1 80", id);
  all.come("10.0.0.1 80", other);
  all.come_back(0);
  all.leave(1);
  CHECK(all.through == std::vector<std::size_t>{0, 1, 2});
  all.leave(2);
  CHECK(all.through == std::vector<std::size_t>{0, 1, 2, 0});
}

TEST_CASE("a check that returns too late has no slot, and releases none twice") {
  crowd all(only(1));
  all.come("10.0.0.1 80", id);
  all.leave(0);
  all.come("10.0.0.1 80", other);
  all.come_back(0, 20ms);
  all.pass(40ms);
  CHECK(all.through == std::vector<std::size_t>{0, 1});
  CHECK(all.ended == std::vector<std::size_t>{0, 1, 0});
  all.leave(0);
  all.come("10.0.0.1 80", id);
  CHECK(all.through.size() == 2);
  all.leave(1);
  CHECK(all.through == std::vector<std::size_t>{0, 1, 2});
}

TEST_CASE("a check that does not wait passes only if a slot is free and nobody of its project waits") {
  crowd all(only(1));
  CHECK(all.gate.try_enter("10.0.0.1 80", {{}, id}));
  all.come("10.0.0.1 80", id);
  CHECK_FALSE(all.gate.try_enter("10.0.0.1 80", {{}, id}));
  CHECK_FALSE(all.gate.try_enter("10.0.0.1 80", {{}, other}));
  CHECK(all.gate.try_enter("10.0.0.2 80", {{}, id}));
}

TEST_CASE("a check that waits for a slot sleeps, also when nothing of its project counts any more") {
  crowd all({.at_a_time = 1, .per_minute = 1, .minute = 20ms});
  all.come("10.0.0.1 80", id);
  all.come("10.0.0.1 80", id);
  CHECK(all.pass(200ms) < 200);
  CHECK(all.through.size() == 1);
  all.leave(0);
  CHECK(all.through.size() == 2);
}

TEST_CASE("a project that checks one target all the time passes the same number of checks in each minute") {
  crowd all({.at_a_time = 100, .per_minute = 3, .minute = 400ms});
  auto const began = steady::now();
  for (int i = 0; i < 12; ++i) all.come("10.0.0.1 80", id);
  CHECK(all.through.size() == 3);
  while (all.through.size() < 12 && steady::now() - began < 10s) all.pass(5ms);
  CHECK(all.through.size() == 12);
  CHECK(steady::now() - began >= 1200ms);
}

TEST_CASE(
    "a target that nobody uses is forgotten, and one with a guest, a queue or a connection of the last minute is "
    "not") {
  struct {
    char const* name;
    steady::duration minute, interval;
    int visitors;  ///< at one place, and none of them leaves
    std::size_t kept;
  } const cases[] = {
      {"nobody uses it", 1ms, 1ms, 0, 1},           {"its last connection still counts", 10s, 1ms, 0, 2},
      {"a check is at it", 1ms, 1ms, 1, 2},         {"a second check waits for it", 1ms, 1ms, 2, 2},
      {"the interval is not over", 1ms, 10s, 0, 2},
  };
  for (auto const& each : cases) {
    CAPTURE(each.name);
    crowd all({.at_a_time = 1, .minute = each.minute, .removal_interval = each.interval});
    all.come("old", id);
    all.leave(0);
    for (int i = 0; i < each.visitors; ++i) all.come("old", id);
    for (auto const then = steady::now() + 5ms; steady::now() < then;) all.settle();
    all.come("new", id);
    CHECK(all.gate.targets() == each.kept);
  }
}

TEST_CASE("the account knows the holders of connections to targets, and the checks that got none") {
  account book({.name = "target_connections", .total = 100, .project_share = 50});
  crowd all({.at_a_time = 2, .most_at_all = 2}, &book);
  all.come("a", id);
  all.come("b", other);
  all.come("a", id);
  CHECK(book.held() == 3);
  CHECK(book.sums_of({.project = id}).project == 2);
  CHECK(book.refused() == 0);
  all.come("a", id, 20ms);
  all.pass(100ms);
  CHECK(book.refused() == 1);
  // A caller that is given up was not refused.
  all.come("a", id);
  all.cancels.back().emit(asio::cancellation_type::terminal);
  all.settle();
  CHECK(book.refused() == 1);
  for (std::size_t n = 0; n < 3; ++n) all.leave(n);
  CHECK(book.held() == 0);
}
