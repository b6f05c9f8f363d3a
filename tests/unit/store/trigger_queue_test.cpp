#include "store/runs/trigger_queue.hpp"

#include <doctest/doctest.h>

using svc::uuid;
using svc::store::trigger_queue;
using tickets = std::vector<trigger_queue::ticket>;

namespace {

uuid job(std::uint8_t n) {
  uuid out;
  out.bytes[15] = n;
  return out;
}

svc::steady::time_point const start = svc::steady::now();

}  // namespace

TEST_CASE("a lone trigger is sent at once; those after it are sent together when it is over") {
  trigger_queue queue;
  CHECK(queue.take(start).empty());
  REQUIRE(queue.push(1, {job(1)}));
  CHECK(queue.take(start) == tickets{1});
  for (trigger_queue::ticket t : {2, 3, 4}) REQUIRE(queue.push(t, {job(1)}));
  CHECK(queue.take(start).empty());
  queue.finished();
  CHECK(queue.take(start) == tickets{2, 3, 4});
  queue.finished();
  CHECK(queue.take(start).empty());
  // Taking nothing does not count as a batch in flight.
  REQUIRE(queue.push(5, {job(1)}));
  CHECK(queue.take(start) == tickets{5});
}

TEST_CASE("which triggers share a batch, in which order") {
  struct {
    char const* name;
    std::vector<trigger_queue::keys> waiting;  ///< tickets 1, 2, ...
    std::vector<tickets> batches;
  } const cases[] = {
      {"without keys, by job", {{job(2)}, {job(1)}, {job(2)}}, {{2, 1, 3}}},
      {"by key", {{job(1), "b"}, {job(1), "a"}, {job(1)}}, {{3, 2, 1}}},
      {"one key twice", {{job(1), "a"}, {job(1), "a"}, {job(1), "b"}}, {{1, 3}, {2}}},
      {"one key of two jobs", {{job(1), "a"}, {job(2), "a"}}, {{1, 2}}},
      {"one dedup key twice", {{job(1), "", "d"}, {job(1), "x", "d"}}, {{1}, {2}}},
      {"a key is no dedup key", {{job(1), "a"}, {job(1), "", "a"}}, {{2, 1}}},
      {"three times", {{job(1), "a"}, {job(1), "a"}, {job(1), "a"}}, {{1}, {2}, {3}}},
      {"either key", {{job(1), "a", "d"}, {job(1), "a"}, {job(1), "", "d"}, {job(1)}}, {{4, 1}, {3, 2}}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    trigger_queue queue;
    for (std::size_t i = 0; i < c.waiting.size(); ++i) REQUIRE(queue.push(i + 1, c.waiting[i]));
    for (tickets const& batch : c.batches) {
      CHECK(queue.take(start) == batch);
      queue.finished();
    }
    CHECK(queue.take(start).empty());
  }
}

TEST_CASE("a batch and the queue are bounded; a trigger that is withdrawn makes room") {
  trigger_queue queue({.batch = 2, .waiting = 3});
  for (trigger_queue::ticket t : {1, 2, 3}) CHECK(queue.push(t, {job(1)}));
  CHECK_FALSE(queue.push(4, {job(1)}));
  CHECK(queue.drop(2));
  CHECK_FALSE(queue.drop(2));
  CHECK(queue.push(4, {job(1)}));
  CHECK(queue.take(start) == tickets{1, 3});
  CHECK_FALSE(queue.drop(1));
  queue.finished();
  CHECK(queue.take(start) == tickets{4});
}

TEST_CASE("under load a batch waits until the last one left some time ago, or enough triggers wait") {
  trigger_queue queue({.distance = svc::milliseconds(3), .several = 2, .enough = 4});
  auto const entry = [](int ms) { return start + svc::milliseconds(ms); };
  trigger_queue::ticket last = 0;
  auto const push = [&](int count) {
    for (int i = 0; i < count; ++i) REQUIRE(queue.push(++last, {job(1)}));
  };
  // One trigger is no load.
  push(1);
  CHECK(queue.take(start).size() == 1);
  queue.finished();
  push(2);
  CHECK(queue.take(start).size() == 2);
  queue.finished();
  push(1);
  CHECK(queue.leaves() == entry(3));
  CHECK(queue.take(entry(2)).empty());
  push(2);
  CHECK(queue.take(entry(3)).size() == 3);
  queue.finished();
  push(3);
  CHECK(queue.take(entry(4)).empty());
  push(1);
  CHECK(queue.take(entry(4)).size() == 4);
  queue.finished();
  // The load is over.
  push(1);
  CHECK(queue.take(entry(7)).size() == 1);
  queue.finished();
  push(1);
  CHECK(queue.take(entry(7)).size() == 1);
}
