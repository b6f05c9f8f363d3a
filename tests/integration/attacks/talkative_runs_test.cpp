// Tests the effect of scripts that print a lot on the Redis that all tenants share.
#include "attack.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

TEST_CASE("attack by runs that print as much as is accepted: the runs of others end, with their output") {
  attack_fixture fixture;
  // The limit is small enough for a test to reach in its time.
  fixture.stores().redis({"CONFIG", "SET", "maxmemory", "64mb"});
  bystander beside(fixture);
  auto const all = talkative_runs(fixture);
  attack_budget const within{.memory = 192L * 1024 * 1024};
  auto const got = attack(fixture, beside, all, attack_time(), within);
  print(got, all);
  evaluate(got, within);
}

}  // namespace
}  // namespace svc::test
