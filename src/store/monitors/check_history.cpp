#include "svc/store/check_history.hpp"

#include "store/monitors/summary_rows.hpp"
#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"

#include <algorithm>
#include <map>

namespace svc::store {
namespace {

constexpr std::int64_t hour_micros = 3'600'000'000, day_micros = 24 * hour_micros;

// What is packed, and behind it single results, which are packed meanwhile or not in one snapshot with it. $1
// monitor, $2 first hour, $3 the hour after the last.
#define SVC_OPEN_RESULTS                                                                          \
  " UNION ALL SELECT r.hour, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, r.covers, r.result"  \
  " FROM check_packing p JOIN check_raw r ON (r.hour, r.monitor_id) > (p.hour, coalesce(p.after," \
  " '00000000-0000-0000-0000-000000000000'::uuid))"                                               \
  " WHERE r.monitor_id = $1 AND r.started_ms >= $2::bigint * 3600000 AND r.started_ms < $3::bigint * 3600000"
constexpr postgres::statement read_hours_of{
    "history_hours",
    "SELECT hour," SVC_SUM_COLUMNS
    ", NULL::integer, NULL::bytea FROM check_hours WHERE ring = ANY (ARRAY(SELECT generate_series(0, "
    "39))::smallint[]) AND monitor_id = $1 AND hour >= $2 AND hour < $3" SVC_OPEN_RESULTS};
constexpr postgres::statement read_days_of{
    "history_days", "SELECT day * 24," SVC_SUM_COLUMNS
                    ", NULL::integer, NULL::bytea FROM check_days WHERE monitor_id = $1 AND day >= $2 / 24"
                    " AND day * 24 < $3" SVC_OPEN_RESULTS};
#undef SVC_OPEN_RESULTS

// One that is open lasts until now, and of it is known what its location has covered. Of a monitor that has more than
// are kept, the newest.
constexpr postgres::statement read_outages{"history_outages", R"(
SELECT o.started_at, coalesce(o.ended_at, now.at),
       CASE WHEN o.ended_at IS NOT NULL THEN o.excluded_seconds
            ELSE greatest(0, extract(epoch FROM now.at - o.started_at)::bigint
                             - coalesce((SELECT max(c.covered) FROM check_states c WHERE c.monitor_id = $1), 0)) END
  FROM (SELECT clock_timestamp() AS at) now
 CROSS JOIN (SELECT * FROM outages
              WHERE monitor_id = $1 AND started_at < $3 AND coalesce(ended_at, 'infinity') > $2
              ORDER BY started_at DESC LIMIT 10001) o
 ORDER BY o.started_at)"};

std::int64_t begin_of(timestamp at, std::int64_t width) {
  return at.micros - at.micros % width;
}

/// Adds what of an outage lies in this time. What is not known of it is spread over all of it.
void add_outage(downtime& to, postgres::row outage, std::int64_t from, std::int64_t until) {
  auto const begin = outage.time(0).micros, end = outage.time(1).micros;
  auto const inside = std::min(end, until) - std::max(begin, from);
  if (inside <= 0) return;
  auto const lasted = end - begin;
  auto const known = std::max<std::int64_t>(0, lasted - outage.integer(2) * 1'000'000);
  to.micros += static_cast<std::int64_t>(static_cast<double>(inside) * static_cast<double>(known) /
                                         static_cast<double>(lasted));
  ++to.outages;
}

/// Adds to parts, which are in order, what of outages, in order and one after the other, lies in them.
void add_outages(std::vector<history_part>& to, postgres::rows const& outages, std::int64_t width, timestamp until) {
  int first = 0;
  for (auto& part : to) {
    auto const from = part.start.micros, end = std::min(from + width, until.micros);
    while (first < outages.size() && outages[first].time(1).micros <= from) ++first;
    for (int i = first; i < outages.size() && outages[i].time(0).micros < end; ++i) {
      add_outage(part.down, outages[i], from, end);
    }
  }
}

void add_row(observed_sum& to, postgres::row r) {
  if (r.is_null(10)) return to.add(read_sum(r, 1));
  to.of.add(read_raw(r.bytes(10)));
  to.observed += r.integer(9);
}

struct read_history {
  std::map<std::int64_t, observed_sum> parts{};  ///< by their begin, in microseconds
  postgres::rows outages{};
};

task<read_history> read_parts(postgres::pool& db, uuid monitor, timestamp from, timestamp to, std::int64_t width,
                              deadline until) {
  auto const first = begin_of(from, width);
  auto const beyond = (to.micros + hour_micros - 1) / hour_micros;
  std::vector<postgres::query> ask{{width == hour_micros ? read_hours_of : read_days_of,
                                    postgres::parameters(monitor, first / hour_micros, beyond)},
                                   {read_outages, postgres::parameters(monitor, timestamp{first}, to)}};
  auto const found = settled(co_await db.run(std::move(ask), until));
  read_history out{.outages = found[1]};
  for (int i = 0; i < found[0].size(); ++i) {
    add_row(out.parts[begin_of({found[0][i].integer(0) * hour_micros}, width)], found[0][i]);
  }
  co_return out;
}

std::int64_t width_of(history_resolution by) {
  return by == history_resolution::hour ? hour_micros : day_micros;
}

}  // namespace

std::optional<std::int64_t> uptime_of(std::int64_t observed_seconds, std::int64_t downtime_micros) {
  if (observed_seconds <= 0) return std::nullopt;
  if (downtime_micros <= 0) return 1'000'000;
  auto const up = std::max<std::int64_t>(0, observed_seconds * 1'000'000 - downtime_micros);
  // In seconds' thousandths, 800 days of them, it stays far below 2^63.
  return std::min<std::int64_t>(up / 1000 * 1'000'000 / (observed_seconds * 1000), 999'999);
}

task<std::vector<history_part>> check_history::series(uuid monitor, timestamp from, timestamp to,
                                                      history_resolution by, deadline until) {
  auto const width = width_of(by);
  auto const read = co_await read_parts(db_, monitor, from, to, width, until);
  std::vector<history_part> out;
  for (auto const& [start, sum] : read.parts) out.push_back({timestamp{start}, sum, {}});
  add_outages(out, read.outages, width, to);
  co_return out;
}

task<history_part> check_history::sum(uuid monitor, timestamp from, timestamp to, history_resolution by,
                                      deadline until) {
  auto const read = co_await read_parts(db_, monitor, from, to, width_of(by), until);
  history_part out{.start = {begin_of(from, width_of(by))}};
  for (auto const& [start, sum] : read.parts) out.sum.add(sum);
  for (int i = 0; i < read.outages.size(); ++i) {
    add_outage(out.down, read.outages[i], out.start.micros, to.micros);
  }
  co_return out;
}

}  // namespace svc::store
