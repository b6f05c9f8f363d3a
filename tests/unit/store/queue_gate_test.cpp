#include "svc/store/runs/queue_gate.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace svc;
using svc::store::queue_gate;
using svc::store::queue_state;

namespace {

uuid project(std::uint8_t n) {
  uuid out;
  out.bytes[15] = n;
  return out;
}

/// Requests places, after counting if required; returns the places that it got.
std::vector<queue_gate::reservation> ask(queue_gate& gate, std::int64_t wanted, std::int64_t queued,
                                         steady::time_point now) {
  std::vector<queue_gate::reservation> out;
  for (auto const& count : gate.uncounted({{project(1), wanted}}, now)) gate.counted(count, queued, now);
  while (std::ssize(out) < wanted && gate.state(project(1), now) == queue_state::room)
    out.push_back(gate.take(project(1)));
  return out;
}

}  // namespace

TEST_CASE("one count admits a share, or all that wait while there is ample room") {
  struct {
    char const* name;
    std::int64_t queued, wanted;
    std::size_t let_in;
    queue_state then;
  } const cases[] = {
      {"an empty queue", 0, 64, 64, queue_state::uncounted},
      {"just ample", 800, 64, 64, queue_state::uncounted},
      {"not ample", 801, 64, 32, queue_state::uncounted},
      {"one alone leaves the rest of the share", 801, 1, 1, queue_state::room},
      {"less room than a share", 995, 64, 5, queue_state::uncounted},
      {"full", 1000, 64, 0, queue_state::full},
      {"beyond, after the quota was lowered", 3000, 64, 0, queue_state::full},
  };
  auto const now = steady::now();
  for (auto const& c : cases) {
    CAPTURE(c.name);
    queue_gate gate({.limit = 1000, .share = 32, .ample = 200});
    CHECK(ask(gate, c.wanted, c.queued, now).size() == c.let_in);
    CHECK(gate.state(project(1), now) == c.then);
    CHECK(gate.state(project(2), now) == queue_state::uncounted);
  }
}

TEST_CASE("a full queue is counted again after a while, an open one when its share is used up") {
  auto const now = steady::now();
  queue_gate gate({.limit = 10, .share = 4, .ample = 1000});
  CHECK(ask(gate, 4, 10, now).empty());
  CHECK(gate.uncounted({{project(1), 4}}, now + milliseconds(249)).empty());
  CHECK(gate.uncounted({{project(1), 4}}, now + milliseconds(250)).size() == 1);
  CHECK(ask(gate, 3, 0, now + milliseconds(250)).size() == 3);
  CHECK(gate.uncounted({{project(1), 1}}, now).empty());
  CHECK(gate.uncounted({{project(1), 2}}, now).size() == 1);
}

TEST_CASE("without a quota nothing is counted") {
  queue_gate gate;
  CHECK(gate.uncounted({{project(1), 64}}, steady::now()).empty());
  CHECK(gate.state(project(1), steady::now()) == queue_state::room);
  auto const spot = gate.take(project(1));
}

TEST_CASE("a slot that made no run passes to another trigger; one that outlives the gate passes to none") {
  auto const now = steady::now();
  std::vector<queue_gate::reservation> late;
  {
    queue_gate gate({.limit = 10, .share = 2, .ample = 1000});
    auto two = ask(gate, 2, 0, now);
    CHECK(gate.state(project(1), now) == queue_state::uncounted);
    two.front().give_back();
    two.clear();
    CHECK(gate.state(project(1), now) == queue_state::room);
    late = ask(gate, 1, 0, now);
  }
  late.clear();
}

TEST_CASE("runs in flight are subtracted from a count that cannot have seen them") {
  auto const now = steady::now();
  queue_gate gate({.limit = 10, .share = 4, .ample = 1000});
  auto const on_their_way = ask(gate, 4, 6, now);
  CHECK(on_their_way.size() == 4);
  CHECK(ask(gate, 4, 6, now).empty());
  CHECK(gate.state(project(1), now) == queue_state::full);
}

TEST_CASE("more instances make less room ample, for all copies of a gate") {
  auto const now = steady::now();
  queue_gate gate({.limit = 100, .share = 4, .ample = 50});
  queue_gate copy = gate;
  CHECK(ask(copy, 20, 10, now).size() == 20);
  gate.change({.limit = 100, .share = 4, .ample = 200});
  CHECK(ask(copy, 20, 10, now).size() == 4);
}

TEST_CASE("several workers exceed the quota by at most a batch per instance, and use all of it") {
  struct {
    int instances, workers;
  } const cases[] = {{1, 1}, {1, 2}, {2, 2}, {4, 2}, {2, 8}, {3, 100}};
  auto const now = steady::now();
  for (auto const& c : cases) {
    CAPTURE(c.instances);
    CAPTURE(c.workers);
    std::mt19937 dice(17);
    std::int64_t const limit = 5000;
    std::vector<queue_gate> gates;
    for (int i = 0; i < c.instances * c.workers; ++i)
      gates.emplace_back(queue_gate::make_bounds(limit, c.workers, c.instances));
    // Each worker has at most one batch in flight; it counts, and what it admits is committed some turns later.
    std::vector<std::vector<queue_gate::reservation>> sent(gates.size());
    std::int64_t queued = 0;
    for (int turn = 0; turn < 60'000; ++turn) {
      auto const owner = dice() % gates.size();
      if (sent[owner].empty()) {
        sent[owner] = ask(gates[owner], 1 + dice() % 64, std::min(queued, limit), now + milliseconds(turn));
      } else {
        queued += std::ssize(sent[owner]);
        sent[owner].clear();
      }
    }
    for (auto const& each : sent) queued += std::ssize(each);
    CHECK(queued >= limit);
    CHECK(queued <= limit + std::int64_t(c.instances) * std::max(64, c.workers));
  }
}
