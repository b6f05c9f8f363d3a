#include "store/monitors/hold_rows.hpp"

#include <utility>

namespace svc::store {
namespace {

// A monitor has at most ten parents. The results of another version of a parent say nothing.
constexpr postgres::statement read_parents{"verdict_read_parents", R"(
SELECT d.monitor_id, p.id, p.enabled AND s.verdict = 'down', s.outage_id, s.last_ended_at,
       p.enabled AND p.type <> 'heartbeat' AND s.verdict IN ('up', 'degraded'), c.evidence_at, coalesce(c.failing, false),
       p.attempts_seconds
  FROM monitor_dependencies d JOIN monitors p ON p.id = d.parent_id JOIN monitor_status s ON s.monitor_id = p.id
 CROSS JOIN LATERAL (SELECT max(c.evidence_at) AS evidence_at, bool_or(c.fails > 0) AS failing FROM check_states c
                      WHERE c.monitor_id = p.id AND c.check_version = p.check_version) c
 WHERE d.monitor_id = ANY ($1) AND p.deleted_at IS NULL
 ORDER BY d.monitor_id, d.slot)"};

constexpr postgres::statement read_quiet_times{"verdict_read_maintenance", R"(
SELECT o.monitor_id, o.starts_at, o.ends_at, o.exclude_from_uptime
  FROM maintenance_of($1, statement_timestamp() - interval '10 minutes', statement_timestamp()) o)"};

// $2 the longest and $3 the shortest horizon in seconds, $4 the number of occurrences of a monitor, $5 of each of its
// windows at least. A project has at most 100 windows with a slot, and of each the newest occurrences that have
// started and the next ones are read by the window's key. Each monitor has a row, which tells until when its
// occurrences are known.
constexpr auto read_ahead_sql =
    sql("SELECT m.id, m.known_until, o.starts_at, o.ends_at, o.exclude_from_uptime FROM ("
        "SELECT q.id, q.project_id, statement_timestamp()"
        " + least($2::bigint, greatest($3::bigint, 3 * q.interval_seconds)) * interval '1 s' AS known_until"
        " FROM monitors q WHERE q.id = ANY ($1) AND q.deleted_at IS NULL) m LEFT JOIN LATERAL ("
        "SELECT o.* FROM (SELECT w.id, count(*) OVER () AS of_monitor FROM maintenance_windows w"
        " WHERE w.project_id = m.project_id AND w.slot IS NOT NULL AND ",
        window_covers,
        ") w CROSS JOIN LATERAL ("
        "(SELECT r.starts_at, r.ends_at, r.exclude_from_uptime FROM maintenance_occurrences r"
        " WHERE r.window_id = w.id AND r.starts_at <= statement_timestamp() ORDER BY r.starts_at DESC LIMIT 2)"
        " UNION ALL "
        "(SELECT r.starts_at, r.ends_at, r.exclude_from_uptime FROM maintenance_occurrences r"
        " WHERE r.window_id = w.id AND r.starts_at > statement_timestamp() AND r.starts_at < m.known_until"
        " ORDER BY r.starts_at LIMIT greatest($5::bigint, $4::bigint / w.of_monitor))) o"
        " WHERE o.ends_at > statement_timestamp() - interval '10 minutes'"
        " ORDER BY o.starts_at LIMIT $4) o ON true"
        " ORDER BY m.id, o.starts_at");
constexpr postgres::statement read_ahead{"maintenance_read_ahead", read_ahead_sql};

constexpr postgres::statement request_checks{"request_confirm", R"(
INSERT INTO check_requests (id, monitor_id, location_id, shard, kind)
SELECT gen_random_uuid(), m.id, $2, m.shard, 'confirm'
  FROM monitors m JOIN projects p ON p.id = m.project_id
 WHERE m.id = ANY ($1) AND m.enabled AND m.deleted_at IS NULL AND m.type <> 'heartbeat' AND p.archived_at IS NULL
 ORDER BY m.id
ON CONFLICT (monitor_id, location_id) WHERE closed_at IS NULL DO NOTHING)"};

constexpr postgres::statement look_at_children{"verdict_look_at_children", R"(
UPDATE monitor_status SET look_at = clock_timestamp()
 WHERE monitor_id = ANY (ARRAY(
   SELECT s.monitor_id
     FROM (SELECT d.monitor_id FROM monitor_dependencies d WHERE d.parent_id = ANY ($1) LIMIT 2000) d
     JOIN monitor_status s ON s.monitor_id = d.monitor_id
    WHERE s.outage_id IS NOT NULL AND (s.look_at IS NULL OR s.look_at > clock_timestamp())
    LIMIT 1000 FOR NO KEY UPDATE OF s SKIP LOCKED)))"};

}  // namespace

postgres::query parents_query(std::vector<uuid> const& monitors) {
  return {read_parents, postgres::parameters(monitors)};
}

alerting::parent_state read_parent(postgres::row r) {
  return {.id = r.id(1),
          .down = r.boolean(2),
          .outage = r.maybe_id(3),
          .last_ended_at = r.maybe_time(4),
          .conclusive = r.boolean(5),
          .conclusive_at = r.maybe_time(6),
          .failing = r.boolean(7),
          .attempts_take = std::chrono::seconds(r.integer(8))};
}

postgres::query maintenance_query(std::vector<uuid> const& monitors) {
  return {read_quiet_times, postgres::parameters(monitors)};
}

alerting::quiet_time read_quiet_time(postgres::row r, int first) {
  return {r.time(first), r.time(first + 1), r.boolean(first + 2)};
}

postgres::query maintenance_ahead_query(std::vector<uuid> const& monitors, maintenance_bound bound) {
  return {read_ahead, postgres::parameters(monitors, std::int64_t(bound.longest.count()),
                                           std::int64_t(bound.shortest.count()), bound.most, bound.of_window)};
}

std::vector<std::pair<uuid, known_maintenance>> read_maintenance_ahead(postgres::rows const& found,
                                                                       maintenance_bound bound) {
  std::vector<std::pair<uuid, known_maintenance>> out;
  for (int i = 0; i < found.size(); ++i) {
    auto const r = found[i];
    if (out.empty() || out.back().first != r.id(0)) out.push_back({r.id(0), {.until = r.time(1)}});
    if (!r.is_null(2)) out.back().second.times.push_back(read_quiet_time(r, 2));
  }
  for (auto& [id, known] : out) {
    if (static_cast<std::int64_t>(known.times.size()) >= bound.most)
      known.until = std::min(known.until, known.times.back().starts_at);
  }
  return out;
}

postgres::query request_checks_query(std::vector<uuid> const& monitors, uuid location) {
  return {request_checks, postgres::parameters(monitors, location)};
}

postgres::query look_at_children_query(std::vector<uuid> const& parents) {
  return {look_at_children, postgres::parameters(parents)};
}

}  // namespace svc::store
