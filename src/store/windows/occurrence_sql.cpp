#include "store/windows/occurrence_sql.hpp"

#include <algorithm>

namespace svc::store {
namespace {

constexpr postgres::statement lock_windows{"window_lock_project", R"(
SELECT archived_at IS NOT NULL FROM projects WHERE id = $1 FOR NO KEY UPDATE)"};

constexpr postgres::statement read_window_time{"window_time", "SELECT clock_timestamp()"};

constexpr postgres::statement free_finished{"window_free_finished", R"(
UPDATE maintenance_windows SET slot = NULL
 WHERE project_id = $1 AND slot IS NOT NULL AND over_at <= clock_timestamp())"};

// At most 100 windows finish between two deletions.
constexpr postgres::statement delete_finished{"window_delete_finished", R"(
DELETE FROM maintenance_windows
 WHERE id = ANY (ARRAY(SELECT w.id FROM maintenance_windows w WHERE w.project_id = $1 AND w.slot IS NULL
                        ORDER BY w.over_at DESC, w.id DESC OFFSET $2)))"};

// $1 windows, $2 the time, $3 and $4 the starts of their planned occurrences, $5 whether announced ones stay. One
// whose end alone changes stays, and gets its new end below, so that visitors do not read that it is cancelled.
constexpr postgres::statement delete_unplanned{"occurrence_delete_unplanned", R"(
DELETE FROM maintenance_occurrences o
 WHERE o.window_id = ANY ($1) AND o.starts_at > $2
   AND NOT EXISTS (SELECT FROM unnest($3::uuid[], $4::timestamptz[]) p (window_id, starts_at)
                    WHERE p.window_id = o.window_id AND p.starts_at = o.starts_at)
   AND NOT ($5 AND EXISTS (SELECT FROM page_occurrences a WHERE a.occurrence_id = o.id))
RETURNING o.window_id, o.starts_at)"};

// $7: an occurrence that overlaps an announced one is left out, because both are the same start by different rules.
constexpr postgres::statement insert_planned{"occurrence_insert", R"(
INSERT INTO maintenance_occurrences (id, project_id, window_id, starts_at, ends_at, exclude_from_uptime)
SELECT p.id, $1, p.window_id, p.starts_at, p.ends_at, p.excludes
  FROM unnest($2::uuid[], $3::uuid[], $4::timestamptz[], $5::timestamptz[], $6::boolean[])
       p (id, window_id, starts_at, ends_at, excludes)
 WHERE NOT ($7 AND EXISTS (SELECT FROM page_occurrences a
                            WHERE a.window_id = p.window_id AND a.ends_at > p.starts_at AND a.starts_at < p.ends_at
                              AND a.starts_at <> p.starts_at AND a.cancelled_at IS NULL))
ON CONFLICT ON CONSTRAINT maintenance_occurrences_start_once
   DO UPDATE SET ends_at = excluded.ends_at, exclude_from_uptime = excluded.exclude_from_uptime
    WHERE maintenance_occurrences.ends_at <> excluded.ends_at
RETURNING window_id, starts_at)"};

constexpr postgres::statement trim_occurrences{"occurrence_trim", R"(
DELETE FROM maintenance_occurrences
 WHERE id = ANY (ARRAY(SELECT o.id FROM maintenance_occurrences o WHERE o.project_id = $1
                        ORDER BY o.ends_at DESC, o.starts_at DESC OFFSET $2)))"};

// $2 the window, $3 to $5 its new targets.
constexpr postgres::statement lock_covered{"window_lock_covered", R"(
SELECT m.id FROM monitors m
 WHERE m.project_id = $1 AND m.deleted_at IS NULL
   AND ($3 OR m.id = ANY ($4)
        OR EXISTS (SELECT FROM monitor_tags g WHERE g.monitor_id = m.id AND g.tag_id = ANY ($5))
        OR m.id = ANY (ARRAY(SELECT monitors_of_window($1, $2))))
 ORDER BY m.id FOR NO KEY UPDATE)"};

constexpr postgres::statement touch_covered{"window_touch_covered", R"(
UPDATE monitors SET changed_at = clock_timestamp() WHERE id = ANY ($1))"};

// A paused monitor has no time of a decision, and gets none.
constexpr postgres::statement look_at_covered{"window_look_at_covered", R"(
UPDATE monitor_status s SET look_at = clock_timestamp()
  FROM monitors m
 WHERE m.id = s.monitor_id AND s.monitor_id = ANY ($1) AND s.verdict <> 'up' AND m.enabled)"};

/// One row of `occurrence_insert`.
struct planned_row {
  uuid id, window;
  windows::interval interval;
  bool excludes;
};

std::vector<planned_row> planned_rows_of(std::vector<planned_window> const& all) {
  std::vector<planned_row> out;
  for (auto const& each : all) {
    for (auto const& interval : each.plan.ahead) {
      out.push_back({uuid::generate_v7(), each.id, interval, each.exclude_from_uptime});
    }
  }
  return out;
}

postgres::query delete_unplanned_query(std::vector<planned_window> const& all, std::vector<planned_row> const& rows,
                                       timestamp now, bool keep_announced) {
  auto const ids = postgres::column<uuid>(all, [](planned_window const& each) { return each.id; });
  postgres::parameters values(ids, now);
  values.add_array(rows, [](planned_row const& row) { return row.window; });
  values.add_array(rows, [](planned_row const& row) { return row.interval.starts_at; });
  values.add(keep_announced);
  return {delete_unplanned, std::move(values)};
}

postgres::query insert_planned_query(uuid project, std::vector<planned_row> const& rows, bool keep_announced) {
  postgres::parameters values(project);
  values.add_array(rows, [](planned_row const& row) { return row.id; });
  values.add_array(rows, [](planned_row const& row) { return row.window; });
  values.add_array(rows, [](planned_row const& row) { return row.interval.starts_at; });
  values.add_array(rows, [](planned_row const& row) { return row.interval.ends_at; });
  values.add_array(rows, [](planned_row const& row) { return row.excludes; });
  values.add(keep_announced);
  return {insert_planned, std::move(values)};
}

}  // namespace

postgres::query lock_windows_query(uuid project) {
  return {lock_windows, postgres::parameters(project)};
}

postgres::query window_time_query() {
  return {read_window_time, {}};
}

void retire_windows(uuid project, std::vector<postgres::query>& queries) {
  queries.push_back({free_finished, postgres::parameters(project)});
  queries.push_back({delete_finished, postgres::parameters(project, windows::most_finished)});
}

void write_occurrences(uuid project, std::vector<planned_window> const& all, timestamp now,
                       std::vector<postgres::query>& queries, announced_fate announced) {
  auto const rows = planned_rows_of(all);
  bool const keep = announced == announced_fate::kept;
  queries.push_back(delete_unplanned_query(all, rows, now, keep));
  queries.push_back(insert_planned_query(project, rows, keep));
  queries.push_back(trim_occurrences_query(project));
}

postgres::query trim_occurrences_query(uuid project) {
  return {trim_occurrences, postgres::parameters(project, windows::most_occurrences)};
}

postgres::query lock_covered_query(uuid project, uuid window, windows::window_targets const& targets) {
  return {lock_covered, postgres::parameters(project, window, targets.all, targets.monitors, targets.tags)};
}

void touch_monitors(std::vector<uuid> const& locked, std::vector<postgres::query>& queries) {
  if (locked.empty()) return;
  queries.push_back({touch_covered, postgres::parameters(locked)});
  queries.push_back({look_at_covered, postgres::parameters(locked)});
}

}  // namespace svc::store
