// What one token can make the service keep.
#include "attack.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

TEST_CASE("attack by bodies that are never finished: their memory is bounded, and nobody else notices") {
  attack_stage stage;
  bystander beside(stage);
  auto const all = unfinished_bodies(stage);
  auto const got = attack(stage, beside, all, attack_time());
  print(got, all);
  judge(got);
}

}  // namespace
}  // namespace svc::test
