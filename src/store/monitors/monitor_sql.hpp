#pragma once

#include "store/monitors/hold_rows.hpp"
#include "store/sql/sql_text.hpp"
#include "store/sql/tag_sql.hpp"
#include "svc/domain/monitor.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"

// Shared parts of the statements that read and change monitors.

namespace svc::store {

/// The windows `w` of a project that have an active occurrence, which ends at `n.ends_at`. A project has at most 100
/// windows with a slot. A filter may follow.
consteval auto active_windows(auto const& project) {
  return sql(
      "maintenance_windows w CROSS JOIN LATERAL (SELECT o.ends_at FROM maintenance_occurrences o"
      " WHERE o.window_id = w.id AND o.starts_at <= statement_timestamp() ORDER BY o.starts_at DESC LIMIT 2) n"
      " WHERE w.project_id = ",
      project, " AND w.slot IS NOT NULL AND n.ends_at > statement_timestamp()");
}

/// The window whose active occurrence covers monitor `m` longest, as JSON: id, name, end in microseconds. NULL: none.
inline constexpr auto current_maintenance_of_monitor =
    sql("(SELECT jsonb_build_array(w.id, w.name, (extract(epoch FROM n.ends_at) * 1000000)::bigint) FROM ",
        active_windows("m.project_id"), " AND m.deleted_at IS NULL AND ", window_covers,
        " ORDER BY n.ends_at DESC, w.id LIMIT 1)");

/// The columns that `read_monitor_row` reads, in its order, without the last one, the current maintenance.
inline constexpr auto monitor_facts =
    sql(" m.id, m.name, m.description, m.type, m.target, m.frequency_minutes, m.frequency_seconds, m.enabled,"
        " m.config, m.attempts_seconds, m.alert_config, m.muted_until, s.verdict, s.since, s.reason_message,"
        " CASE WHEN s.verdict <> 'down' THEN (SELECT min(c.failing_since) FROM check_states c"
        " WHERE c.monitor_id = m.id AND c.fails > 0) END, s.outage_id,"
        " m.check_version, m.deleted_at, m.created_by, m.version, m.created_at, m.updated_at, s.reason,"
        " (SELECT coalesce(jsonb_agg(jsonb_build_array(c.location_id, c.says,"
        " (extract(epoch FROM c.seen_at) * 1000000)::bigint, c.fails, c.oks, c.response_ms)"
        " ORDER BY c.location_id), '[]') FROM check_states c WHERE c.monitor_id = m.id), ",
        tags_of("monitor_tags", "monitor_id = m.id"),
        ", ARRAY(SELECT d.parent_id FROM monitor_dependencies d JOIN monitors q ON q.id = d.parent_id"
        " WHERE d.monitor_id = m.id AND q.deleted_at IS NULL ORDER BY d.slot), ");
inline constexpr auto monitor_columns = sql(monitor_facts, current_maintenance_of_monitor, " ");
inline constexpr auto monitor_tables = sql("FROM monitors m JOIN monitor_status s ON s.monitor_id = m.id ");

inline constexpr auto get_monitor_sql =
    sql("SELECT", monitor_columns, monitor_tables, "WHERE m.project_id = $1 AND m.id = $2");
inline constexpr postgres::statement get_monitor{"monitor_get", get_monitor_sql};

/// Reads the columns above, starting at column `first`.
monitor read_monitor_row(postgres::row r, int first = 0);

}  // namespace svc::store
