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

}  // namespace

TEST_CASE("a lone trigger is sent at once; those after it are sent together when it is over") {
  trigger_queue queue;
  CHECK(queue.take().empty());
  REQUIRE(queue.push(1, {job(1)}));
  CHECK(queue.take() == tickets{1});
  for (trigger_queue::ticket t : {2, 3, 4}) REQUIRE(queue.push(t, {job(1)}));
  CHECK(queue.take().empty());
  queue.finished();
  CHECK(queue.take() == tickets{2, 3, 4});
  queue.finished();
  CHECK(queue.take().empty());
  // Taking nothing does not count as a batch in flight.
  REQUIRE(queue.push(5, {job(1)}));
  CHECK(queue.take() == tickets{5});
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
      CHECK(queue.take() == batch);
      queue.finished();
    }
    CHECK(queue.take().empty());
  }
}

TEST_CASE("a batch and the queue are bounded; a trigger that is withdrawn makes room") {
  trigger_queue queue({.batch = 2, .waiting = 3});
  for (trigger_queue::ticket t : {1, 2, 3}) CHECK(queue.push(t, {job(1)}));
  CHECK_FALSE(queue.push(4, {job(1)}));
  CHECK(queue.drop(2));
  CHECK_FALSE(queue.drop(2));
  CHECK(queue.push(4, {job(1)}));
  CHECK(queue.take() == tickets{1, 3});
  CHECK_FALSE(queue.drop(1));
  queue.finished();
  CHECK(queue.take() == tickets{4});
}
