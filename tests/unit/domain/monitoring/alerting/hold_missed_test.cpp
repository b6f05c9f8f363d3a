// Holds that no decision has seen, and checks of parents that are not worth a request.
#include "unit/domain/monitoring/alerting/played.hpp"

#include <doctest/doctest.h>

namespace svc::alerting {
namespace {

/// A parent that is up, with its newest check at that time.
parent_state router_seen_at(std::int64_t second) {
  return {.id = id_of(50), .conclusive = true, .conclusive_at = at_second(second)};
}

}  // namespace

TEST_CASE("a hold that starts and ends between two decisions of a muted outage needs another failing check") {
  played p;
  p.result('+', 0);
  p.monitor.muted_until = at_second(1010);
  CHECK(text_of(p.result('-', 60).alerts) == "failure 100/0 to 1 muted");
  // These results need no decision.
  for (std::int64_t second = 120; second < 1000; second += 60) p.store_result('-', second);
  SUBCASE("maintenance") {
    p.monitor.maintenance = {{at_second(100), at_second(1000)}};
    CHECK(p.look(1010).release.empty());
    CHECK(p.last.requests_check);
    CHECK(p.last.look_again <= at_second(1080));
    SUBCASE("which fails") {
      CHECK(text_of(p.result('-', 1020).release) == "failure 100/0 to 1");
      CHECK_FALSE(p.look(1021).requests_check);
    }
    SUBCASE("which does not end in time") {
      CHECK(text_of(p.look(1080).release) == "failure 100/0 to 1");
      CHECK_FALSE(p.last.requests_check);
    }
  }
  SUBCASE("a parent") {
    p.monitor.parents = {router_seen_at(1000)};
    p.monitor.parents[0].last_ended_at = at_second(1000);
    CHECK(p.look(1010).release.empty());
    CHECK(p.last.requests_check);
    CHECK(text_of(p.result('-', 1020).release) == "failure 100/0 to 1");
  }
  SUBCASE("none since the newest check") {
    p.monitor.maintenance = {{at_second(100), at_second(1000)}};
    p.store_result('-', 1005);
    CHECK(text_of(p.look(1010).release) == "failure 100/0 to 1");
    CHECK_FALSE(p.last.requests_check);
  }
}

TEST_CASE("a check that started in a second window, which no decision has seen, does not confirm the failure") {
  played p;
  p.result('+', 0);
  p.monitor.maintenance = {{at_second(30), at_second(100)}, {at_second(105), at_second(115)}};
  CHECK(text_of(p.result('-', 60).alerts) == "failure 100/0 to 1 maintenance");
  CHECK(p.look(100).requests_check);
  p.store_result('-', 110);
  CHECK(p.look(120).release.empty());
  CHECK(p.last.requests_check);
  CHECK(text_of(p.result('-', 121).release) == "failure 100/0 to 1");
}

TEST_CASE("a child beyond the limit of changes has its parents not checked at once") {
  played p;
  p.monitor.parents = {router_seen_at(-30)};
  p.monitor.limited_until = at_second(5000);
  CHECK(text_of(p.result('-', 0).alerts) == "failure 100/0 to 1 limited");
  CHECK(p.last.requests_parents.empty());
}

}  // namespace svc::alerting
