// Tests the effect of strangers who visit status pages without a pause on the users of the API.
#include "attack.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace svc::test {
namespace {

/// Two clients and the service share the processors of the machine, which alone costs others this time.
constexpr double share_of_machine_ms = 20;

TEST_CASE("attack by floods of status pages and guesses of names: users of the API wait at most twice as long") {
  attack_fixture fixture;
  bystander alone(fixture);
  auto const quiet = attack(fixture, alone, {}, attack_time());
  bystander beside(fixture);
  auto const all = page_flood(fixture);
  auto const got = attack(fixture, beside, all, attack_time());
  print(quiet, {});
  print(got, all);
  evaluate(got);
  CHECK(got.others.p99_ms <= std::max(2 * quiet.others.p99_ms, quiet.others.p99_ms + share_of_machine_ms));
}

}  // namespace
}  // namespace svc::test
