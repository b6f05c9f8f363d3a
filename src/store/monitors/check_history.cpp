#include "svc/store/monitors/check_history.hpp"

#include "store/monitors/summary_rows.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/postgres/pool.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace svc::store {
namespace {

constexpr std::int64_t hour_micros = 3'600'000'000, day_micros = 24 * hour_micros;

// Reads packed results, then single results that are not packed in the same snapshot. A late result belongs to the
// hour that it is stored in, which follows the hour of its start. $1 monitor, $2 first hour, $3 the hour after the
// last.
constexpr auto open_results =
    sql(" UNION ALL SELECT r.hour, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, r.covers, r.result"
        " FROM check_packing p JOIN check_raw r ON (r.hour, r.monitor_id) > (p.hour, coalesce(p.after,"
        " '00000000-0000-0000-0000-000000000000'::uuid))"
        " WHERE r.monitor_id = $1 AND r.started_ms >= ($2::bigint - 1) * 3600000 AND r.started_ms < $3::bigint"
        " * 3600000 AND r.hour >= $2 AND r.hour < $3");
constexpr auto read_hours_of_sql =
    sql("SELECT hour,", sum_columns,
        ", NULL::integer, NULL::bytea FROM check_hours WHERE ring = ANY (ARRAY(SELECT generate_series(0, "
        "39))::smallint[]) AND monitor_id = $1 AND hour >= $2 AND hour < $3",
        open_results);
constexpr postgres::statement read_hours_of{"history_hours", read_hours_of_sql};
constexpr auto read_days_of_sql =
    sql("SELECT day * 24,", sum_columns,
        ", NULL::integer, NULL::bytea FROM check_days WHERE monitor_id = $1 AND day >= $2 / 24"
        " AND day * 24 < $3",
        open_results);
constexpr postgres::statement read_days_of{"history_days", read_days_of_sql};

// An open outage lasts until now; its known time is the time that its location has covered, as in the list of
// outages. For a monitor with more outages than are kept, the newest are read.
constexpr postgres::statement read_outages{"history_outages", R"(
SELECT o.started_at, coalesce(o.ended_at, now.at),
       CASE WHEN o.ended_at IS NOT NULL THEN o.excluded_seconds
            ELSE greatest(0, floor(extract(epoch FROM now.at - o.started_at))::bigint
                             - coalesce((SELECT max(c.covered) FROM check_states c WHERE c.monitor_id = $1), 0)) END
  FROM (SELECT clock_timestamp() AS at) now
 CROSS JOIN (SELECT * FROM outages
              WHERE monitor_id = $1 AND started_at < $3 AND coalesce(ended_at, 'infinity') > $2
              ORDER BY started_at DESC LIMIT 10001) o
 ORDER BY o.started_at)"};

/// The requested period as whole hours or days, in microseconds.
struct whole_parts {
  std::int64_t first, last, width;
};

whole_parts parts_of(timestamp start, timestamp end, history_resolution resolution) {
  auto const width = resolution == history_resolution::hour ? hour_micros : day_micros;
  return {start.micros / width * width, (end.micros + width - 1) / width * width, width};
}

/// Adds the part of an outage that lies in this period. Its excluded time is spread evenly over the outage. The
/// result is rounded up, so that no downtime of the list is lost.
void add_outage(downtime& downtime, postgres::row outage, std::int64_t first, std::int64_t until) {
  auto const begin = outage.time(0).micros, end = outage.time(1).micros;
  if (end <= first || begin >= until) return;
  ++downtime.outages;
  auto const inside = std::min(end, until) - std::max(begin, first), lasted = end - begin;
  auto const known = std::max<std::int64_t>(0, lasted - outage.integer(2) * 1'000'000);
  if (inside <= 0) return;
  downtime.micros += static_cast<std::int64_t>(
      std::ceil(static_cast<double>(inside) * static_cast<double>(known) / static_cast<double>(lasted)));
}

/// Adds outages to the parts that they overlap. Parts and outages are in order, and outages do not overlap.
void add_outages(std::vector<history_part>& parts, postgres::rows const& outages, std::int64_t width) {
  int first = 0;
  for (auto& part : parts) {
    auto const start = part.start.micros, end = start + width;
    while (first < outages.size() && outages[first].time(1).micros <= start) ++first;
    for (int i = first; i < outages.size() && outages[i].time(0).micros < end; ++i) {
      add_outage(part.down, outages[i], start, end);
    }
  }
}

/// A single result covers no time in the future, and only whole seconds. Otherwise the observed time would exceed the
/// downtime of a monitor that was never up.
void add_row(observed_sum& sum, postgres::row r, std::int64_t now) {
  if (r.is_null(10)) return sum.add(read_sum(r, 1));
  auto const result = read_raw(r.bytes(10));
  sum.summary.add(result);
  sum.observed += std::min(r.integer(9), std::max<std::int64_t>(0, now - result.started_ms * 1000) / 1'000'000);
}

struct read_history {
  std::map<std::int64_t, observed_sum> parts{};  ///< by the start of the part, in microseconds
  postgres::rows outages{};
};

task<read_history> read_parts(postgres::pool& db, uuid monitor, whole_parts parts, std::int64_t now, deadline until) {
  std::vector<postgres::query> ask{
      {parts.width == hour_micros ? read_hours_of : read_days_of,
       postgres::parameters(monitor, parts.first / hour_micros, parts.last / hour_micros)},
      {read_outages, postgres::parameters(monitor, timestamp{parts.first}, timestamp{parts.last})}};
  auto const found = settled(co_await db.run(std::move(ask), until));
  read_history out{.outages = found[1]};
  for (int i = 0; i < found[0].size(); ++i) {
    auto const hour = found[0][i].integer(0) * hour_micros;
    add_row(out.parts[hour / parts.width * parts.width], found[0][i], now);
  }
  co_return out;
}

}  // namespace

std::optional<std::int64_t> uptime_of(std::int64_t observed_seconds, std::int64_t downtime_micros) {
  if (observed_seconds <= 0) return std::nullopt;
  if (downtime_micros <= 0) return 1'000'000;
  // Observed microseconds without downtime, divided by observed seconds, are millionths.
  return std::clamp<std::int64_t>((observed_seconds * 1'000'000 - downtime_micros) / observed_seconds, 0, 999'999);
}

task<std::vector<history_part>> check_history::series(uuid monitor, timestamp first, timestamp end,
                                                      history_resolution resolution, deadline until) {
  auto const wanted = parts_of(first, end, resolution);
  auto const now = system_now().micros;
  auto const read = co_await read_parts(db_, monitor, wanted, now, until);
  std::vector<history_part> out;
  for (auto const& [start, sum] : read.parts) {
    out.push_back({timestamp{start}, sum, {}});
    auto& observed = out.back().sum.observed;
    observed = bounded_observed(observed, start, std::min(start + wanted.width, now));
  }
  add_outages(out, read.outages, wanted.width);
  co_return out;
}

task<history_part> check_history::sum(uuid monitor, timestamp first, timestamp end, history_resolution resolution,
                                      deadline until) {
  auto const wanted = parts_of(first, end, resolution);
  auto const now = system_now().micros;
  auto const read = co_await read_parts(db_, monitor, wanted, now, until);
  history_part out{.start = {wanted.first}};
  for (auto const& [start, sum] : read.parts) out.sum.add(sum);
  out.sum.observed = bounded_observed(out.sum.observed, wanted.first, std::min(wanted.last, now));
  for (int i = 0; i < read.outages.size(); ++i) add_outage(out.down, read.outages[i], wanted.first, wanted.last);
  co_return out;
}

}  // namespace svc::store
