// What one token can do to a worker by bodies that take long to parse.
#include "attack.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

TEST_CASE("attack by bodies of ten million bytes that are dear to parse: nobody else notices") {
  attack_stage stage;
  bystander beside(stage);
  auto const all = hostile_json(stage);
  // Four bodies at a time, as they came and as they were read.
  attack_budget const within{.memory = 256L * 1024 * 1024};
  auto const got = attack(stage, beside, all, attack_time(), within);
  print(got, all);
  judge(got, within);
}

}  // namespace
}  // namespace svc::test
