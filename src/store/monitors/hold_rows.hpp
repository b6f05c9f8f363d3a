#pragma once

#include "store/sql/sql_text.hpp"
#include "svc/domain/monitoring/alerting/monitor.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"
#include "svc/store/monitors/check_store.hpp"

#include <cstdint>
#include <utility>
#include <vector>

// Rows that hold alerts back: occurrences of maintenance windows, and parents.

namespace svc::store {

/// True if window `w` covers monitor `m` of the same project.
inline constexpr auto window_covers =
    sql("(w.all_monitors OR EXISTS (SELECT FROM maintenance_targets t WHERE t.window_id = w.id"
        " AND t.monitor_id = m.id) OR EXISTS (SELECT FROM monitor_tags g JOIN maintenance_targets t"
        " ON t.window_id = w.id AND t.tag_id = g.tag_id WHERE g.monitor_id = m.id))");

/// Returns the query of the parents of these monitors; read each row with `read_parent`. Column 0 is the monitor.
/// Locks nothing: a parent that changes at the same time makes its children decide again.
postgres::query parents_query(std::vector<uuid> const& monitors);
alerting::parent_state read_parent(postgres::row r);

/// Returns the query of the occurrences that cover these monitors now, or have ended within the last ten minutes;
/// read each row with `read_quiet_time`, from column 1 on. Column 0 is the monitor.
postgres::query maintenance_query(std::vector<uuid> const& monitors);
alerting::quiet_time read_quiet_time(postgres::row r, int first);

/// Bounds the occurrences that are read for a monitor: the first `most` of those that start within three of its
/// intervals, but at least within `shortest` and at most within `longest`. The windows that cover the monitor share
/// `most`, but at least `of_window` of each are read.
struct maintenance_bound {
  std::chrono::seconds longest, shortest;
  std::int64_t most, of_window;
};
/// A result covers one interval. Schedulers read again before the occurrences that they know last for less than two
/// intervals.
inline constexpr maintenance_bound known_to_holders{std::chrono::days(3), std::chrono::hours(6), 64, 64};
/// Results of heartbeats cover the time until the next signal, which may be a month. They are read with each signal,
/// so many windows of a monitor share the rows.
inline constexpr maintenance_bound known_to_heartbeats{std::chrono::days(35), std::chrono::days(35), 64, 2};
/// Returns the query of the occurrences that cover these monitors now or later, or have ended within the last ten
/// minutes; read the answer with `read_maintenance_ahead`. Deleted monitors have no row.
postgres::query maintenance_ahead_query(std::vector<uuid> const& monitors, maintenance_bound bound);
std::vector<std::pair<uuid, known_maintenance>> read_maintenance_ahead(postgres::rows const& found,
                                                                       maintenance_bound bound);

/// Returns the query that requests immediate checks of these monitors at this location. It skips those that cannot be
/// checked, and those with an open request. A transaction must run this query before it answers a request. The query
/// may wait for another transaction that answers a request, and holds only requests with smaller ids at that time.
/// After an answer, the transaction may run the query only for monitors whose requests it has answered.
postgres::query request_checks_query(std::vector<uuid> const& monitors, uuid location);

/// Returns the query that makes a decision due on the monitors that depend on these and have an open outage. It must
/// be the last query that locks anything. Monitors that other transactions have locked, or that exceed a bound, look
/// by themselves within a minute.
postgres::query look_at_children_query(std::vector<uuid> const& parents);

}  // namespace svc::store
