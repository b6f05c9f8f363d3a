// All attacks at once, with the traffic of another tenant: `TEST_SOAK=1800` is the number of seconds, `SVC_BIN` the
// program.
#include "attack.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <iterator>

namespace svc::test {
namespace {

void add(attackers& target, attackers more) {
  target.insert(target.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

TEST_CASE("soak: all attackers at once, and the runs and requests of another tenant continue") {
  std::chrono::seconds const how_long(long_form("TEST_SOAK", 0));
  if (how_long.count() == 0) return;
  attack_fixture fixture;
  bystander beside(fixture);
  attackers all;
  for (auto* const make : {&partial_records, &hostile_json, &unfinished_bodies, &large_scripts, &connection_hoarders,
                           &talkative_runs, &trigger_flood, &many_secrets, &page_flood})
    add(all, make(fixture));
  attack_budget const within{.memory = 512L * 1024 * 1024, .turn_ms = 50};
  auto const got = attack(fixture, beside, all, how_long, within);
  std::printf("all attackers for %lld s against %s\n", static_cast<long long>(how_long.count()),
              service_binary().c_str());
  print(got, all);
  evaluate(got, within);
}

}  // namespace
}  // namespace svc::test
