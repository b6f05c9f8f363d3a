#include "svc-runner/client/claim_keeper.hpp"

#include <doctest/doctest.h>

using namespace svc;
using namespace svc::runner;

TEST_CASE("heartbeats that begin at different times end at the same one, well within the lease") {
  struct {
    char const* name;
    std::int64_t lease;
    std::int64_t now, other;  ///< milliseconds
    std::int64_t ends;
  } const cases[] = {
      {"half a lease", 30, 15'000, 29'000, 30'000},
      {"at most 20 s", 3600, 20'001, 39'000, 40'000},
      {"a lease of a second", 1, 10'000, 10'300, 10'500},
      {"not at once", 30, 29'950, 29'950, 30'050},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    for (auto const position : {c.now, c.other}) {
      auto const wait = heartbeat_wait(c.lease, steady::time_point(milliseconds(position)));
      CHECK(position + wait.count() == c.ends);
      CHECK(wait.count() <= c.lease * 1000 / 2 + 100);
    }
  }
}
