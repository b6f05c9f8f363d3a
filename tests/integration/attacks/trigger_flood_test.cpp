// Tests the effect of one project on the queue of runners that others share.
#include "attack.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

TEST_CASE("attack by a flood of triggers: it delays the runs of others that share its runners by one run per slot") {
  attack_fixture fixture({"SVC_LIMITS_CLI_LIMIT=1000000", "SVC_LIMITS_TRIGGER_DEFAULT_LIMIT=1000000",
                          "SVC_LIMITS_PROJECT_LIMIT=1000000"});
  bystander beside(fixture, std::chrono::milliseconds(300));
  auto const all = trigger_flood(fixture);
  // One run of the flood takes 300 ms; waiting for thousands of them on two slots would take minutes.
  attack_budget const within{.run = std::chrono::milliseconds(3000)};
  auto const got = attack(fixture, beside, all, attack_time(), within);
  print(got, all);
  evaluate(got, within);
}

}  // namespace
}  // namespace svc::test
