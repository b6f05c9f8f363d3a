#include "store/monitors/summary_rows.hpp"
#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/monitors/check_history.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace svc::store {
namespace {

constexpr std::int64_t bar_hour = 3'600'000'000, bar_hours = 24;

// The monitors of the project among these, and their observed seconds by hour: of packed results, and of single
// results that are not packed in the same snapshot. A single result covers no time in the future. A monitor without
// any result has one row without an hour. $1 project, $2 ids, $3 first hour, $4 the hour after the last, $5 and $6
// the days of these hours as `ring` counts them, $7 now in milliseconds.
constexpr postgres::statement observed_of_monitors{"bars_observed", R"(
SELECT m.id, o.hour, o.observed
  FROM (SELECT DISTINCT w.id FROM unnest($2::uuid[]) w (id)) w
  JOIN monitors m ON m.id = w.id AND m.project_id = $1 AND m.deleted_at IS NULL
  LEFT JOIN LATERAL (
    SELECT p.hour, sum(p.observed)::bigint AS observed
      FROM (SELECT h.hour, h.observed FROM check_hours h
             WHERE h.ring = ANY (ARRAY[$5::smallint, $6::smallint]) AND h.monitor_id = m.id
               AND h.hour >= $3::bigint AND h.hour < $4::bigint
            UNION ALL
            SELECT r.hour, least(r.covers, greatest(0, ($7::bigint - r.started_ms) / 1000))
              FROM check_packing p
              JOIN check_raw r ON (r.hour, r.monitor_id) > (p.hour, coalesce(p.after,
                                                            '00000000-0000-0000-0000-000000000000'::uuid))
             WHERE r.monitor_id = m.id AND r.started_ms >= ($3::bigint - 1) * 3600000
               AND r.started_ms < $4::bigint * 3600000 AND r.hour >= $3::bigint AND r.hour < $4::bigint) p
     GROUP BY p.hour) o ON true)"};

// The downtime of the same monitors by hour, as `add_outage` computes it: the excluded time is spread evenly over the
// outage, an open one lasts until now, and each part is rounded up to microseconds. Outages of a monitor do not
// overlap, so of those that started before the first hour only the newest can reach into it. $2 and $3: first hour,
// the hour after the last.
constexpr postgres::statement downtime_of_monitors{"bars_downtime", R"(
SELECT s.monitor_id, t.hour,
       sum(ceil((least(s.last, (t.hour + 1) * 3600000000) - greatest(s.first, t.hour * 3600000000))::float8
                * greatest(0, s.last - s.first - s.excluded * 1000000)::float8 / (s.last - s.first)::float8))::bigint
  FROM (SELECT o.monitor_id, (extract(epoch FROM o.started_at) * 1000000)::bigint AS first,
               (extract(epoch FROM coalesce(o.ended_at, now.at)) * 1000000)::bigint AS last,
               CASE WHEN o.ended_at IS NOT NULL THEN o.excluded_seconds
                    ELSE greatest(0, floor(extract(epoch FROM now.at - o.started_at))::bigint
                                     - coalesce((SELECT max(c.covered) FROM check_states c
                                                  WHERE c.monitor_id = o.monitor_id), 0)) END AS excluded
          FROM (SELECT clock_timestamp() AS at) now CROSS JOIN unnest($1::uuid[]) w (id) CROSS JOIN LATERAL (
            SELECT i.* FROM outages i
             WHERE i.monitor_id = w.id AND i.started_at >= to_timestamp($2::bigint * 3600)
               AND i.started_at < to_timestamp($3::bigint * 3600)
            UNION ALL
            SELECT * FROM (SELECT b.* FROM outages b
                            WHERE b.monitor_id = w.id AND b.started_at < to_timestamp($2::bigint * 3600)
                            ORDER BY b.started_at DESC, b.id DESC LIMIT 1) b
             WHERE coalesce(b.ended_at, 'infinity') > to_timestamp($2::bigint * 3600)) o) s
 CROSS JOIN LATERAL generate_series(greatest(s.first / 3600000000, $2::bigint),
                                    least((s.last - 1) / 3600000000, $3::bigint - 1)) t (hour)
 WHERE s.last > s.first
 GROUP BY s.monitor_id, t.hour)"};

}  // namespace

timestamp first_hour_of_bars(timestamp now) {
  return {(now.micros / bar_hour + 1 - bar_hours) * bar_hour};
}

task<std::vector<monitor_bar>> check_history::bars(uuid project, std::vector<uuid> monitors, timestamp now,
                                                   deadline until) {
  auto const start = first_hour_of_bars(now);
  auto const first = start.micros / bar_hour, last = first + bar_hours;
  auto const ring = [](std::int64_t hour) { return hour / 24 % 40; };
  std::vector<postgres::query> ask{
      {observed_of_monitors,
       postgres::parameters(project, monitors, first, last, ring(first), ring(last - 1), now.micros / 1000)},
      {downtime_of_monitors, postgres::parameters(monitors, first, last)}};
  auto const found = settled(co_await db_.run(std::move(ask), until));
  std::map<uuid, monitor_bar> bars;
  auto const cell_of = [&](monitor_bar& bar, postgres::row r) -> bar_cell& {
    return bar.cells.at(static_cast<std::size_t>(r.integer(1) - first));
  };
  for (int i = 0; i < found[0].size(); ++i) {
    auto const r = found[0][i];
    auto& bar = bars.try_emplace(r.id(0), monitor_bar{.monitor = r.id(0), .start = start}).first->second;
    if (r.is_null(1)) continue;
    auto const begin = r.integer(1) * bar_hour;
    cell_of(bar, r).observed_seconds = bounded_observed(r.integer(2), begin, std::min(begin + bar_hour, now.micros));
  }
  for (int i = 0; i < found[1].size(); ++i) {
    auto const r = found[1][i];
    // Monitors of other projects are in no row of the first statement.
    if (auto const bar = bars.find(r.id(0)); bar != bars.end())
      cell_of(bar->second, r).down_micros = std::min(r.integer(2), bar_hour);
  }
  std::vector<monitor_bar> out;
  for (auto& [id, bar] : bars) out.push_back(std::move(bar));
  co_return out;
}

}  // namespace svc::store
