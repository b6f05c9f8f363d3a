// What one token can do to the workers by what it sends, or does not send. `TEST_ATTACK=60` is the long form: each
// attack lasts 60 seconds.
#include "attack.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

/// One fixture for all of these, because creating it takes longer than an attack.
attack_fixture& shared_fixture() {
  static attack_fixture fixture;
  return fixture;
}

void play(attackers const& all, attack_budget const& within = {}) {
  bystander beside(shared_fixture());
  auto const got = attack(shared_fixture(), beside, all, attack_time(), within);
  print(got, all);
  judge(got, within);
}

TEST_CASE("attack by TLS records that are begun and never finished: nobody else notices") {
  play(partial_records(shared_fixture()));
}

TEST_CASE("attack by bodies of ten million bytes that are expensive to parse: nobody else notices") {
  // Three times what the bodies of a user may hold, as operators are told, in each of two workers; and what any load
  // adds: connections, pools, records, and what was freed in the last seconds, which the allocator gives back later
  // (five runs in turn: 135 to 224 MiB in all).
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
