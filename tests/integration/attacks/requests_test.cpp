// Tests the effect of one token's requests, or of their missing parts, on the workers. `TEST_ATTACK=60` is the long
// form: each attack lasts 60 seconds.
#include "attack.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

/// Returns one fixture for all attacks, because creating it takes longer than an attack.
attack_fixture& shared_fixture() {
  static attack_fixture fixture;
  return fixture;
}

void play(attackers const& all, attack_budget const& within = {}) {
  bystander beside(shared_fixture());
  auto const got = attack(shared_fixture(), beside, all, attack_time(), within);
  print(got, all);
  evaluate(got, within);
}

TEST_CASE("attack by TLS records that are begun and never finished: nobody else notices") {
  play(partial_records(shared_fixture()));
}

TEST_CASE("attack by bodies of ten million bytes that are expensive to parse: nobody else notices") {
  // The limit is three times the body budget of a user, as the documents tell operators, in each of two workers. The
  // rest is for any load: connections, pools, records, and memory that was freed in the last seconds, which the
  // allocator returns later (five runs in turn: 135 to 224 MiB in all).
  constexpr long mib = 1024L * 1024;
  play(hostile_json(shared_fixture()), {.memory = (192 + 64) * mib});
}

TEST_CASE("attack by bodies that are never finished: their memory is bounded, and nobody else notices") {
  play(unfinished_bodies(shared_fixture()));
}

TEST_CASE("attack by scripts as large as any may be, made, changed and read: nobody else notices") {
  play(large_scripts(shared_fixture()), {.turn_ms = 50});
}

}  // namespace
}  // namespace svc::test
