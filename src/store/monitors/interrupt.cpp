#include "store/monitors/interrupt.hpp"

#include "store/sql/settled.hpp"

#include <array>

namespace svc::store {
namespace {

// The time of the last conclusive result belongs to the former check now. A slot that has counted stays counted.
constexpr postgres::statement remove_results{"monitor_votes_forget", R"(
UPDATE check_states
   SET revision = revision + 1, check_version = $2, says = 'none', fails = 0, oks = 0, errors = 0, slow = 0, plain = 0,
       degraded = false, failing_since = NULL, good_since = NULL, evidence_at = NULL, seen_at = NULL, failure = NULL,
       failure_message = NULL, error = NULL, error_message = NULL, response_ms = NULL, covered = 0,
       covered_well = 0
 WHERE monitor_id = $1)"};

constexpr postgres::statement list_switched_on{"monitors_switched_on", R"(
SELECT id FROM monitors WHERE project_id = $1 AND deleted_at IS NULL AND enabled)"};

constexpr postgres::statement renew_monitors{"monitors_renew", R"(
UPDATE monitors SET check_version = check_version + 1, changed_at = clock_timestamp() WHERE id = ANY ($1))"};

// A monitor of another type has no such row. The instance that takes the heartbeat finds another `check_version`, and
// computes the deadlines again.
constexpr postgres::statement plan_heartbeat{
    "heartbeat_plan_soon",
    "UPDATE heartbeats SET deadline_at = clock_timestamp() - interval '10 s' WHERE monitor_id = $1"};

}  // namespace

postgres::query plan_heartbeat_soon(uuid monitor) {
  return {plan_heartbeat, postgres::parameters(monitor)};
}

void interrupt_monitor(locked_monitor const& monitor, alerting::end_reason reason, timestamp now, bool goes_on,
                       std::int64_t check_version, std::vector<postgres::query>& queries) {
  auto made = alerting::interrupt(monitor.state, reason, now);
  if (goes_on) made.look_again = now + monitor.state.interval * 3;
  std::array const ifs{decision_row{.monitor = monitor, .made = made, .interrupts = true}};
  write_decisions(ifs, now, queries);
  queries.push_back({remove_results, postgres::parameters(monitor.id, check_version)});
  queries.push_back(plan_heartbeat_soon(monitor.id));
}

task<std::vector<postgres::query>> interrupt_monitors_of(postgres::unit_of_work& work, uuid project, bool goes_on) {
  std::vector<postgres::query> out;
  auto const ids =
      read_ids(settled(co_await work.run(postgres::query{list_switched_on, postgres::parameters(project)})));
  if (ids.empty()) co_return out;
  auto const locked = read_locked(settled(co_await work.run(lock_and_read_monitors(ids))));
  out.push_back({renew_monitors, postgres::parameters(ids)});
  auto const reason = goes_on ? alerting::end_reason::resumed : alerting::end_reason::paused;
  for (auto const& each : locked.all) {
    interrupt_monitor(each, reason, locked.now, goes_on, each.state.check_version + 1, out);
  }
  co_return out;
}

}  // namespace svc::store
