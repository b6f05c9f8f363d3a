// What one token can do to the waits of a worker by bytes beneath TLS. `TEST_ATTACK=60` is the long form of each
// attack: so many seconds.
#include "attack.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

TEST_CASE("attack by TLS records that are begun and never finished: nobody else notices") {
  attack_stage stage;
  bystander beside(stage);
  auto const all = partial_records(stage);
  auto const got = attack(stage, beside, all, attack_time());
  print(got, all);
  judge(got);
}

}  // namespace
}  // namespace svc::test
