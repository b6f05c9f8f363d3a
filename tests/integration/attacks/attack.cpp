#include "attack.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>

namespace svc::test {
namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds look{100};
constexpr milliseconds usual{1000};  ///< limit for a request of a new client after the attack
constexpr seconds progress{30};
/// The service counts its turns once a second.
constexpr milliseconds until_counted{1200};
/// Sanitizers make everything slower and larger, so these figures would be meaningless.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool measures = false;
#else
constexpr bool measures = true;
#endif
constexpr double mib = 1024.0 * 1024;

void say(attack_report const& so_far, bystander const& beside, seconds passed) {
  auto const now = beside.figures();
  std::printf("%5lld s: %zu requests, %zu failures, p99 %.1f ms, %zu runs, %.0f MiB at most\n",
              static_cast<long long>(passed.count()), now.requests, now.failures(), now.p99_ms, now.triggered,
              static_cast<double>(so_far.memory_most) / mib);
  for (auto const& each : now.complaints) std::printf("  ! %s\n", each.c_str());
  std::fflush(stdout);
}

/// Waits until a new client is served as usual, and each run of the bystander has ended.
void await_recovery(attack_report& out, bystander& beside, seconds patience) {
  auto const start = clock::now();
  for (;;) {
    auto const took = beside.probe();
    out.lost_runs = beside.unfinished();
    out.recovery = std::chrono::duration_cast<milliseconds>(clock::now() - start);
    out.recovered = took && *took < usual && out.lost_runs == 0;
    if (out.recovered || out.recovery > patience) return;
    std::this_thread::sleep_for(look);
  }
}

}  // namespace

seconds attack_time() {
  return seconds(long_form("TEST_ATTACK", 3));
}

attack_report attack(attack_fixture& fixture, bystander& beside, attackers const& all, seconds how_long,
                     attack_budget const& within) {
  attack_report out;
  beside.begin();
  // The first requests are slow even without attackers.
  std::this_thread::sleep_for(until_counted);
  auto const turns_before = fixture.turns();
  out.memory_before = out.memory_most = fixture.memory();
  for (auto const& attacker : all) attacker->begin();
  auto const start = clock::now();
  for (auto next = start + progress; clock::now() < start + how_long; std::this_thread::sleep_for(look)) {
    out.memory_most = std::max(out.memory_most, fixture.memory());
    if (clock::now() < next) continue;
    say(out, beside, std::chrono::duration_cast<seconds>(clock::now() - start));
    next += progress;
  }
  if (within.run.count() > 0) out.slowest_run_ms = beside.slowest_run_ms();
  for (auto const& attacker : all) attacker->end();
  beside.stop_asking();
  await_recovery(out, beside, within.recovery);
  out.memory_after = fixture.memory();
  out.memory_most = std::max(out.memory_most, out.memory_after);
  std::this_thread::sleep_for(until_counted);
  auto const turns_after = fixture.turns();
  beside.end();
  out.slow_turns = within.turn_ms == 50 ? turns_after.above_50_ms - turns_before.above_50_ms
                                        : turns_after.above_20_ms - turns_before.above_20_ms;
  out.stalls = turns_after.stalls - turns_before.stalls;
  out.longest_turn = turns_after.longest_seconds;
  out.others = beside.figures();
  return out;
}

void print(attack_report const& report, attackers const& all) {
  for (auto const& attacker : all)
    std::printf("  %-28s %8zu times, %zu refused %s\n", attacker->name().c_str(), attacker->acts(),
                attacker->refused(), attacker->last_refusal().c_str());
  std::printf("  others: %zu requests, %zu 5xx, %zu refused, %zu broken, %zu wrong; p50 %.1f ms, p99 %.1f ms\n",
              report.others.requests, report.others.server_errors, report.others.refused, report.others.broken,
              report.others.wrong, report.others.p50_ms, report.others.p99_ms);
  std::printf("  runs: %zu triggered, %zu lost, %zu lost claims, slowest %.0f ms\n", report.others.triggered,
              report.lost_runs, report.others.lost_claims, report.slowest_run_ms);
  std::printf(
      "  turns that were too long: %.0f, stalls %.0f, longest %.1f ms; memory %.0f MiB, at most %.0f, afterwards "
      "%.0f; "
      "recovery %lld "
      "ms\n",
      report.slow_turns, report.stalls, report.longest_turn * 1000, static_cast<double>(report.memory_before) / mib,
      static_cast<double>(report.memory_most) / mib, static_cast<double>(report.memory_after) / mib,
      static_cast<long long>(report.recovery.count()));
  for (auto const& each : report.others.complaints) std::printf("  ! %s\n", each.c_str());
  std::fflush(stdout);
}

void evaluate(attack_report const& report, attack_budget const& within) {
  CHECK(report.others.requests > 20);
  CHECK(report.others.triggered > 3);
  CHECK(report.others.server_errors == 0);
  CHECK(report.others.refused == 0);
  CHECK(report.others.broken == 0);
  CHECK(report.others.wrong == 0);
  CHECK(report.others.lost_claims == 0);
  CHECK(report.lost_runs == 0);
  CHECK(report.recovered);
  CHECK(report.stalls == 0);
  CHECK(report.recovery <= within.recovery);
  if (within.run.count() > 0) CHECK(report.slowest_run_ms <= static_cast<double>(within.run.count()));
  if (!measures) return;
  // An effect of a kind of request shows in each request of that kind. A single long turn may be the machine's own: a
  // thread's clock counts the time that a hypervisor took from it.
  CHECK(report.slow_turns <= 1);
  CHECK(report.memory_most - report.memory_before <= within.memory);
}

}  // namespace svc::test
