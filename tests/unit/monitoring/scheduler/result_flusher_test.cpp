#include "monitoring/scheduler/result_flusher.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace svc;
using namespace svc::scheduler;
using namespace std::chrono_literals;
using checks::status;

TEST_CASE("a statement has five seconds, and no longer than its holder has left") {
  statement_deadlines deadlines;
  auto const before = steady::now();
  CHECK(deadlines.next().at() >= before + 5s);
  CHECK(deadlines.next().at() <= steady::now() + 5s);
  CHECK_FALSE(deadlines.ended());
  deadline const end(before + 1s);
  deadlines.end_by(end);
  CHECK(deadlines.next().at() == end.at());
  CHECK_FALSE(deadlines.ended());
  // The last statement gives the shards back: the end is put off for it.
  deadlines.end_by(deadline(before + 1h));
  CHECK(deadlines.next().at() <= steady::now() + 5s);
  deadlines.end_by(deadline(before));
  CHECK(deadlines.ended());
}

TEST_CASE(
    "a stored result covers its interval only if it is scheduled and conclusive, and has details unless it is "
    "plain") {
  struct {
    std::string name;
    status ended;
    bool degraded, requested;
    std::chrono::seconds covers;
    bool details;
  } const cases[] = {
      {"up", status::up, false, false, 60s, false},          {"degraded", status::up, true, false, 60s, true},
      {"down", status::down, false, false, 60s, true},       {"error", status::error, false, false, 0s, true},
      {"up on request", status::up, false, true, 0s, false}, {"down on request", status::down, false, true, 0s, true},
  };
  check_order order{.monitor = uuid::generate_v7(), .check_version = 3, .interval = 60s};
  store::check_request request{.id = uuid::generate_v7()};
  request.asked_by = checks::kind::manual;
  for (auto const& c : cases) {
    CAPTURE(c.name);
    check_report found{.attempts = 2};
    found.result.ended = c.ended;
    found.result.degraded = c.degraded;
    if (c.ended != status::up) found.result.known.error = checks::failure(checks::code::connect_refused);
    auto const stored = pending_result(order, {.monitor = order.monitor, .slot = 1000, .next = 61'000},
                                       c.requested ? std::optional(request) : std::nullopt, 1500, std::move(found));
    CHECK(stored.monitor == order.monitor);
    CHECK(stored.check_version == 3);
    CHECK(stored.covers == c.covers);
    CHECK(stored.details.empty() != c.details);
    CHECK(stored.kept.slot == 1000);
    CHECK(stored.kept.started_ms == 1500);
    CHECK(stored.kept.attempts == 2);
    CHECK(stored.kept.asked_by == (c.requested ? checks::kind::manual : checks::kind::scheduled));
    CHECK(stored.request.has_value() == c.requested);
    CHECK(stored.failure.has_value() == (c.ended != status::up));
  }
}

TEST_CASE("a result covers the time until the next slot, and at most the interval") {
  struct {
    std::string name;
    std::int64_t slot, began, next;
    std::chrono::seconds covers;
  } const cases[] = {
      {"at its slot", 100'000, 100'020, 160'000, 60s},
      {"half an interval late", 100'000, 130'000, 160'000, 60s},
      {"the first check of a monitor", 139'000, 140'000, 160'000, 20s},
      {"the first check, in whole seconds", 139'000, 140'300, 160'000, 19s},
      {"the first check, over a slot", 159'000, 160'500, 220'000, 59s},
      {"the first check, just before a slot", 159'300, 159'400, 160'000, 0s},
      {"the first check, after the next slot", 159'300, 160'100, 160'000, 0s},
  };
  check_order const order{.monitor = uuid::generate_v7(), .interval = 60s};
  for (auto const& c : cases) {
    CAPTURE(c.name);
    check_report found;
    found.result.ended = status::up;
    due_check const due{order.monitor, c.slot, c.next};
    CHECK(pending_result(order, due, std::nullopt, c.began, std::move(found)).covers == c.covers);
  }
}
