#include "svc-runner/client/claim_keeper.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>

using namespace svc;
using namespace svc::runner;

TEST_CASE("heartbeats that start at different times converge, well within the lease") {
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

TEST_CASE("news of a heartbeat reaches each claim that it names, a cancellation once, and claims that ended leave") {
  std::string calls;
  bool finished_over = false;
  claim_list claims;
  for (std::string const id : {"kept", "cancelled", "lost", "finished"})
    claims.push_back(std::make_shared<kept_claim>(
        kept_claim{.run_id = id,
                   .over = [&finished_over, id] { return finished_over && id == "finished"; },
                   .cancelled = [&calls, id] { calls += id + " cancelled. "; },
                   .lost = [&calls, id] { calls += id + " lost. "; }}));
  CHECK_FALSE(apply_news(claims, {.lease_seconds = 7}));
  CHECK(claims.size() == 4);
  for (auto const& claim : claims) CHECK(claim->lease_seconds == 7);

  CHECK(apply_news(claims, {.lease_seconds = 8, .cancel = {"cancelled"}}));
  CHECK_FALSE(apply_news(claims, {.lease_seconds = 8, .cancel = {"cancelled", "unknown"}}));
  CHECK(calls == "cancelled cancelled. ");
  CHECK(claims.size() == 4);

  // A run that is over hears nothing any more.
  finished_over = true;
  CHECK(apply_news(claims, {.lease_seconds = 9, .cancel = {"finished"}, .lost = {"lost", "finished"}}));
  CHECK(calls == "cancelled cancelled. lost lost. ");
  REQUIRE(claims.size() == 2);
  CHECK(claims[0]->run_id == "kept");
  CHECK(claims[1]->run_id == "cancelled");
}
