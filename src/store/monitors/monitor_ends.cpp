#include "svc/store/monitors/monitor_ends.hpp"

#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"

#include <algorithm>

namespace svc::store {
namespace {

constexpr std::int64_t ended_at_once = 500, bounded_at_once = 500, least_of_monitor = 100;
constexpr std::int64_t projects_at_once = 20, alerts_at_once = 5000;
constexpr std::int64_t deleted_at_once = 20;  // with up to 1 000 beats each

constexpr postgres::statement delete_outages{"ends_outages", R"(
DELETE FROM outages
 WHERE id = ANY (ARRAY(SELECT o.id FROM outages o
                        WHERE o.ended_at < statement_timestamp() - $1::bigint * interval '1 day'
                        ORDER BY o.ended_at LIMIT $2 FOR UPDATE SKIP LOCKED))
RETURNING project_id)"};

constexpr postgres::statement delete_monitors{"ends_monitors", R"(
DELETE FROM monitors
 WHERE id = ANY (ARRAY(SELECT m.id FROM monitors m
                        WHERE m.deleted_at < statement_timestamp() - $1::bigint * interval '1 day'
                        ORDER BY m.deleted_at LIMIT $2 FOR UPDATE SKIP LOCKED))
RETURNING project_id)"};

constexpr postgres::statement delete_requests{"ends_requests", R"(
DELETE FROM check_requests
 WHERE id = ANY (ARRAY(SELECT r.id FROM check_requests r
                        WHERE r.requested_at < statement_timestamp() - interval '1 hour'
                        ORDER BY r.requested_at LIMIT $1 FOR UPDATE SKIP LOCKED)))"};

// $1 the monitor to start after, $2 the number of monitors, $3 the limit of a project, $4 the least share of a
// monitor. The index on a monitor's failures at a location finds the newest failure to delete.
constexpr postgres::statement delete_surplus_failures{"ends_failures", R"(
WITH batch AS MATERIALIZED (
  SELECT m.id, greatest($4::bigint, $3::bigint / greatest(1, u.used)) AS most
    FROM monitors m LEFT JOIN project_usage u ON u.project_id = m.project_id AND u.kind = 'monitors'
   WHERE m.id > $1 ORDER BY m.id LIMIT $2
), bounds AS MATERIALIZED (
  SELECT c.monitor_id, c.location_id,
         (SELECT n.started_ms FROM check_failures n
           WHERE n.monitor_id = c.monitor_id AND n.location_id = c.location_id
           ORDER BY n.started_ms DESC OFFSET s.most LIMIT 1) AS newest
    FROM batch s JOIN check_states c ON c.monitor_id = s.id
), gone AS (
  DELETE FROM check_failures
   WHERE ctid = ANY (ARRAY(SELECT o.ctid FROM bounds b CROSS JOIN LATERAL (
                             SELECT f.ctid FROM check_failures f
                              WHERE f.monitor_id = b.monitor_id AND f.location_id = b.location_id
                                AND f.started_ms <= b.newest LIMIT 10000) o))
)
SELECT (SELECT id FROM batch ORDER BY id DESC LIMIT 1), (SELECT count(*) FROM batch))"};

// $1 the monitor to start after, $2 the number of monitors, $3 the limit of a monitor. The index on a monitor's
// outages finds the newest outage to delete.
constexpr postgres::statement delete_surplus_outages{"ends_surplus_outages", R"(
WITH batch AS MATERIALIZED (
  SELECT m.id FROM monitors m WHERE m.id > $1 ORDER BY m.id LIMIT $2
), bounds AS MATERIALIZED (
  SELECT b.id, n.started_at
    FROM batch b CROSS JOIN LATERAL (
           SELECT o.started_at FROM outages o WHERE o.monitor_id = b.id
            ORDER BY o.started_at DESC, o.id DESC OFFSET $3 LIMIT 1) n
), gone AS (
  DELETE FROM outages
   WHERE ctid = ANY (ARRAY(SELECT o.ctid FROM bounds b CROSS JOIN LATERAL (
                             SELECT f.ctid FROM outages f
                              WHERE f.monitor_id = b.id AND f.started_at <= b.started_at AND f.ended_at IS NOT NULL
                              ORDER BY f.started_at LIMIT 1000) o))
  RETURNING project_id
)
SELECT (SELECT id FROM batch ORDER BY id DESC LIMIT 1), (SELECT count(*) FROM batch),
       ARRAY(SELECT DISTINCT project_id FROM gone))"};

// $1 the project to start after, $2 the number of projects, $3 the limit of a project, $4 the most alerts at once.
// The index of a project's list finds the newest alert to delete. Decisions need the first alerts of an open outage
// or period, and its newest reminder.
constexpr postgres::statement delete_surplus_alerts{"ends_surplus_alerts", R"(
WITH batch AS MATERIALIZED (
  SELECT p.id FROM projects p WHERE p.id > $1 ORDER BY p.id LIMIT $2
), bounds AS MATERIALIZED (
  SELECT b.id, n.created_at
    FROM batch b CROSS JOIN LATERAL (
           SELECT a.created_at FROM alerts a WHERE a.project_id = b.id
            ORDER BY a.created_at DESC, a.id DESC OFFSET $3 LIMIT 1) n
), gone AS (
  DELETE FROM alerts
   WHERE id = ANY (ARRAY(SELECT o.id FROM bounds b CROSS JOIN LATERAL (
                           SELECT a.id FROM alerts a
                            WHERE a.project_id = b.id AND a.created_at <= b.created_at
                              AND (a.status <> 'pending' OR a.message_id IS NULL)
                              AND (NOT EXISTS (SELECT FROM monitor_status s WHERE s.monitor_id = a.target_id
                                                  AND a.about IN (s.outage_id, s.period_id))
                                   OR EXISTS (SELECT FROM alerts n WHERE n.about = a.about AND n.type = a.type
                                                 AND n.number > a.number AND a.number > 0))
                            ORDER BY a.created_at, a.id LIMIT $4) o
                          LIMIT $4))
  RETURNING message_id, project_id
)
SELECT (SELECT id FROM batch ORDER BY id DESC LIMIT 1), (SELECT count(*) FROM batch), (SELECT count(*) FROM gone),
       ARRAY(SELECT DISTINCT message_id FROM gone WHERE message_id IS NOT NULL),
       ARRAY(SELECT DISTINCT project_id FROM gone))"};

constexpr postgres::statement delete_messages_of_alerts{"ends_messages", R"(
DELETE FROM messages m
 WHERE m.id = ANY ($1) AND m.ended_at IS NOT NULL AND NOT EXISTS (SELECT FROM alerts a WHERE a.message_id = m.id))"};

/// Returns the id of the last owner of a batch, to continue after it, or nothing after the last batch.
std::optional<uuid> next_after(postgres::row const& batch, std::int64_t most) {
  return batch.integer(1) < most ? std::nullopt : batch.maybe_id(0);
}

}  // namespace

task<bool> monitor_ends::drop_old(monitor_retention keep, deadline until) {
  postgres::query ask_outages{delete_outages, postgres::parameters(keep.outage_days, ended_at_once)};
  auto const outages = settled(co_await db_.run(std::move(ask_outages), until));
  report_changes(deleted_, "outage", read_ids(outages));
  postgres::query ask_requests{delete_requests, postgres::parameters(ended_at_once)};
  auto const requests = settled(co_await db_.run(std::move(ask_requests), until));
  // Monitors are deleted last, because the deletion cascades.
  postgres::query ask_monitors{delete_monitors, postgres::parameters(keep.deleted_days, deleted_at_once)};
  auto const monitors = settled(co_await db_.run(std::move(ask_monitors), until));
  report_changes(deleted_, "monitor", read_ids(monitors));
  co_return outages.affected() == ended_at_once || requests.affected() == ended_at_once ||
      monitors.affected() == deleted_at_once;
}

task<std::optional<uuid>> monitor_ends::bound_failures(std::optional<uuid> after, deadline until) {
  postgres::query ask{delete_surplus_failures,
                      postgres::parameters(after.value_or(uuid{}), bounded_at_once, most_failures, least_of_monitor)};
  auto const found = settled(co_await db_.run(std::move(ask), until));
  co_return next_after(found.front(), bounded_at_once);
}

task<std::optional<uuid>> monitor_ends::bound_outages(std::optional<uuid> after, deadline until) {
  postgres::query ask{delete_surplus_outages,
                      postgres::parameters(after.value_or(uuid{}), bounded_at_once, most_outages)};
  auto const found = settled(co_await db_.run(std::move(ask), until));
  report_changes(deleted_, "outage", found.front().ids(2));
  co_return next_after(found.front(), bounded_at_once);
}

task<std::optional<uuid>> monitor_ends::bound_alerts(std::optional<uuid> after, std::int64_t most, deadline until) {
  postgres::query ask{delete_surplus_alerts,
                      postgres::parameters(after.value_or(uuid{}), projects_at_once, most, alerts_at_once)};
  auto const found = settled(co_await db_.run(std::move(ask), until));
  auto const row = found.front();
  report_changes(deleted_, "alert", row.ids(4));
  if (auto const messages = row.ids(3); !messages.empty())
    settled(co_await db_.run(postgres::query{delete_messages_of_alerts, postgres::parameters(messages)}, until));
  // The same projects may have more to delete.
  if (row.integer(2) == alerts_at_once) co_return after.value_or(uuid{});
  co_return next_after(row, projects_at_once);
}

}  // namespace svc::store
