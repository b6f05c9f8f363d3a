#include "svc/runner_api/claim_pace.hpp"

#include <doctest/doctest.h>

using namespace svc;
using namespace svc::runner_api;

TEST_CASE("a runner's claims keep a distance after one that found several runs, but not all that it asked for") {
  claim_pace pace;
  auto const runner = uuid::generate_v7(), other = uuid::generate_v7();
  steady::time_point const now{std::chrono::seconds(100)};
  struct {
    std::size_t runs, most;
    bool waits;
  } const cases[] = {{0, 100, false},   {1, 100, false}, {3, 100, false}, {4, 100, true}, {99, 100, true},
                     {100, 100, false}, {4, 4, false},   {40, 100, true}, {2, 100, false}};
  for (auto const& c : cases) {
    CAPTURE(c.runs);
    CAPTURE(c.most);
    pace.found(runner, c.runs, c.most, now);
    CHECK(pace.looks_at(runner) == (c.waits ? now + claim_pace::distance : steady::time_point::min()));
    CHECK(pace.looks_at(other) == steady::time_point::min());
  }
}

TEST_CASE("runners that are gone are not kept") {
  claim_pace pace;
  steady::time_point now{std::chrono::seconds(100)};
  auto const last = uuid::generate_v7();
  for (int i = 0; i < 1000; ++i) pace.found(uuid::generate_v7(), 10, 100, now);
  now += claim_pace::distance;
  pace.found(last, 10, 100, now);
  CHECK(pace.looks_at(last) == now + claim_pace::distance);
  CHECK(pace.size() == 1);
}
