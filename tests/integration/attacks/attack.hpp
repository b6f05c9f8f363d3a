#pragma once

#include "attacker.hpp"
#include "bystander.hpp"

#include <chrono>

namespace svc::test {

/// The limits for the effect of an attack on others.
struct attack_budget {
  long memory = 96L * 1024 * 1024;  ///< maximum growth of the process at any time
  std::chrono::seconds recovery{10};
  /// Limit of a turn, 20 or 50. libpq copies a script of 5 MiB in one turn, which takes 20 ms on a machine where a
  /// page fault takes 13 us.
  int turn_ms = 20;
  std::chrono::milliseconds run{0};  ///< limit from a trigger to the end of its run during the attack; 0: not checked
};

/// The result of an attack.
struct attack_report {
  bystander_figures others{};
  std::size_t lost_runs = 0;
  double slow_turns = 0;    ///< turns longer than the budget
  double stalls = 0;        ///< turns of more than a second, including those that have not ended
  double longest_turn = 0;  ///< in seconds, since the start of the service
  long memory_before = 0, memory_most = 0, memory_after = 0;
  double slowest_run_ms = 0;
  std::chrono::milliseconds recovery{0};
  bool recovered = false;
};

/// Runs the attackers next to `beside` for `how_long`, then waits until everything is as before. Prints a line of
/// progress every half minute.
attack_report attack(attack_fixture& fixture, bystander& beside, attackers const& all, std::chrono::seconds how_long,
                     attack_budget const& within = {});
void print(attack_report const& report, attackers const& all);
/// Checks the promises: no failure and no lost run of others, no longer turn, bounded memory, recovery.
void evaluate(attack_report const& report, attack_budget const& within = {});

/// Returns the duration of an attack in the short form; `TEST_ATTACK` makes it longer.
std::chrono::seconds attack_time();

}  // namespace svc::test
