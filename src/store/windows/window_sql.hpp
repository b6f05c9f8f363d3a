#pragma once

#include "store/sql/sql_text.hpp"
#include "svc/domain/monitoring/windows/window.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"

// Shared parts of the statements that read maintenance windows.

namespace svc::store {

/// The occurrence `n` of window `w` that has started and ends last. It is the active one if it has not ended. The
/// occurrences of a window follow one another, except that an edited rule, or a change of the clocks, may let one
/// start before the former one ends.
inline constexpr auto newest_started =
    sql("(SELECT r.* FROM (SELECT o.id, o.starts_at, o.ends_at FROM maintenance_occurrences o"
        " WHERE o.window_id = w.id AND o.starts_at <= statement_timestamp() ORDER BY o.starts_at DESC LIMIT 2) r"
        " ORDER BY r.ends_at DESC, r.starts_at DESC LIMIT 1) n");

/// The contract's word for the state of window `w`.
inline constexpr auto state_of_window =
    sql("CASE WHEN w.over_at <= statement_timestamp() THEN 'finished' WHEN EXISTS (SELECT FROM ", newest_started,
        " WHERE n.ends_at > statement_timestamp()) THEN 'active' ELSE 'scheduled' END");

/// The columns that `read_window_row` reads, in its order. The number of all monitors of a project is counted
/// already.
inline constexpr auto window_columns = sql(
    " w.id, w.name, w.description, w.all_monitors, w.starts_at, w.ends_at, w.cron, w.time_zone,"
    " w.duration_minutes, w.first_at, w.until_at, w.exclude_from_uptime, ",
    state_of_window,
    ", n.id, n.starts_at, n.ends_at, f.id, f.starts_at, f.ends_at,"
    " CASE WHEN w.all_monitors THEN coalesce((SELECT u.used FROM project_usage u WHERE u.project_id = w.project_id"
    " AND u.kind = 'monitors'), 0) ELSE (SELECT count(*) FROM monitors_of_window(w.project_id, w.id)) END,"
    " ARRAY(SELECT t.monitor_id FROM maintenance_targets t WHERE t.window_id = w.id AND t.monitor_id IS NOT NULL"
    " ORDER BY t.slot),"
    " ARRAY(SELECT t.tag_id FROM maintenance_targets t WHERE t.window_id = w.id AND t.tag_id IS NOT NULL"
    " ORDER BY t.slot),"
    " w.created_by, w.version, w.created_at, w.updated_at, w.over_at, w.planned_until,"
    " ARRAY(SELECT g.page_id FROM maintenance_window_pages g WHERE g.window_id = w.id ORDER BY g.slot),"
    " ARRAY(SELECT t.component_id FROM maintenance_window_components t WHERE t.window_id = w.id ORDER BY t.slot),"
    " w.announcement_title, w.announcement_body, w.announce_hours, w.notify ");
inline constexpr auto window_tables =
    sql("FROM maintenance_windows w LEFT JOIN LATERAL ", newest_started,
        " ON n.ends_at > statement_timestamp()"
        " LEFT JOIN LATERAL (SELECT o.id, o.starts_at, o.ends_at FROM maintenance_occurrences o"
        " WHERE o.window_id = w.id AND o.starts_at > statement_timestamp() ORDER BY o.starts_at LIMIT 1) f ON true ");

inline constexpr auto get_window_sql =
    sql("SELECT", window_columns, window_tables, "WHERE w.project_id = $1 AND w.id = $2");
inline constexpr postgres::statement get_window{"window_get", get_window_sql};

/// Reads the columns above, starting at column `first`.
windows::window read_window_row(postgres::row r, int first = 0);

/// Read columns of `get_window` that are not part of the value: the end of the last occurrence, and the time up to
/// which starts have rows.
std::optional<timestamp> read_over_at(postgres::row r);
std::optional<timestamp> read_planned_until(postgres::row r);

}  // namespace svc::store
