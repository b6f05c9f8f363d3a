#pragma once

#include "integration/monitoring/scheduler/monitor_fixture.hpp"

#include "svc/store/windows/window_store.hpp"

#include <algorithm>
#include <string>

namespace svc::test {

/// The shop with maintenance windows and parents of monitors. Results are of the present, because a failure is
/// released only by a check that started after its suppression.
struct hold_shop : watched_shop {
  /// Starts a window of an hour that covers one monitor.
  windows::window start_window(uuid monitor) {
    auto made = wait(plans.start(as_ed(), ed, monitor, std::chrono::minutes(60), {}, soon()));
    REQUIRE(made.has_value());
    return *made;
  }
  void end_window(uuid window) { REQUIRE(wait(plans.end(as_ed(), window, soon())).has_value()); }
  /// Lets the window's time pass, as the clock does: nobody writes to the monitors.
  void pass_window(uuid window) {
    as_owner(
        "UPDATE maintenance_windows SET starts_at = starts_at - interval '2 h', ends_at = statement_timestamp(),"
        " over_at = statement_timestamp() WHERE id = '" +
        window.to_string() +
        "'; UPDATE maintenance_occurrences SET starts_at = starts_at - interval '2 h', ends_at = clock_timestamp()"
        " WHERE window_id = '" +
        window.to_string() + "'");
  }
  void depend(uuid child, uuid parent) {
    as_owner(
        "INSERT INTO monitor_dependencies (project_id, monitor_id, parent_id, slot) SELECT project_id, id, '" +
        parent.to_string() +
        "', 1 + (SELECT count(*) FROM monitor_dependencies WHERE monitor_id = m.id) FROM monitors m WHERE id = '" +
        child.to_string() + "'");
  }

  /// Counts the result of a check that starts now.
  store::result_fate see(uuid monitor, checks::status ended) {
    auto result = result_at(monitor, 0, ended, get(monitor).check_version);
    newest_ = std::max(newest_ + 1, number({{"quiet_now",
                                             "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8"
                                             " + 1"}}));
    result.kept.slot = result.kept.started_ms = newest_;
    auto fate = decide(std::move(result));
    CHECK(fate.counted);
    return fate;
  }
  void fail(uuid monitor) { see(monitor, checks::status::down); }
  void pass(uuid monitor) { see(monitor, checks::status::up); }
  /// Decides on each monitor that is due by the clock. Returns their number.
  std::int64_t look() { return wait(checks.look(soon())); }
  /// Decides on all monitors, due or not.
  void look_at_all() {
    as_owner("UPDATE monitor_status SET look_at = now()");
    look();
  }
  /// Lets more time pass than checks with all retries take, since the failures and the ends of suppressions.
  void pass_wait() {
    as_owner(
        "UPDATE monitor_status SET quiet_ended_at = quiet_ended_at - interval '2 min',"
        " last_ended_at = last_ended_at - interval '2 min';"
        "UPDATE maintenance_occurrences SET starts_at = starts_at - interval '2 min',"
        " ends_at = ends_at - interval '2 min' WHERE ends_at <= now();"
        "UPDATE check_states SET failing_since = failing_since - interval '2 min';"
        "UPDATE outages SET started_at = started_at - interval '2 min', detected_at = detected_at - interval '2 min'"
        " WHERE ended_at IS NULL");
    look_at_all();
  }

  /// Returns the alerts of a monitor, the oldest first: type/number/status, or the reason of a suppressed one.
  std::string alerts_of(uuid monitor) {
    return words(
        "SELECT type || '/' || number || '/' || coalesce(suppressed_by, status) FROM alerts WHERE target_id = '" +
        monitor.to_string() + "' ORDER BY created_at, id");
  }
  std::int64_t requests_of(uuid monitor) {
    return number({{"quiet_requests", "SELECT count(*) FROM check_requests WHERE monitor_id = $1"},
                   postgres::parameters(monitor)});
  }
  std::string causes_of(uuid monitor) {
    return words("SELECT coalesce(caused_by::text, 'none') FROM outages WHERE monitor_id = '" + monitor.to_string() +
                 "' ORDER BY started_at, id");
  }
  uuid open_outage(uuid monitor) {
    auto const open = get(monitor).open_outage;
    REQUIRE(open.has_value());
    return *open;
  }

  store::window_store plans{pool};

 private:
  std::int64_t newest_ = 0;
};

inline constexpr char const* suppressed_by_maintenance = "monitor_failure/0/maintenance";
inline constexpr char const* suppressed_by_dependency = "monitor_failure/0/dependency";
inline constexpr char const* sent_failure = "monitor_failure/0/pending";
inline constexpr char const* sent_failure_and_end = "monitor_failure/0/pending monitor_recovery/0/pending";

}  // namespace svc::test
