#include "svc/store/monitors/pack_store.hpp"

#include "store/monitors/summary_rows.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/postgres/pool.hpp"

#include <map>
#include <utility>

namespace svc::store {
namespace {

constexpr std::int64_t monitors_at_once = 2000;
constexpr std::int64_t dropped_at_once = 10'000;

// Only one instance packs at a time. An instance that does not get the row has nothing to do. The row is read in its
// state after the lock.
constexpr postgres::statement take_packing{"pack_take", R"(
SELECT p.hour, p.after, floor(extract(epoch FROM clock_timestamp() - interval '2 minutes') / 3600)::bigint
  FROM check_packing p FOR NO KEY UPDATE SKIP LOCKED)"};

// $1 the hour, $2 the monitor to start after, $3 the number of monitors, $4 the number of rows.
constexpr postgres::statement read_hour{"pack_read", R"(
WITH next AS MATERIALIZED (
  SELECT DISTINCT r.monitor_id FROM check_raw r
   WHERE r.ring = $1::bigint % 8 AND r.hour = $1 AND r.monitor_id > $2 ORDER BY r.monitor_id LIMIT $3
)
SELECT r.monitor_id, r.location_id, r.covers, r.result FROM check_raw r
 WHERE r.ring = $1 % 8 AND r.hour = $1 AND r.monitor_id > $2
   AND r.monitor_id <= (SELECT n.monitor_id FROM next n ORDER BY n.monitor_id DESC LIMIT 1)
 ORDER BY r.monitor_id, r.location_id, r.started_ms LIMIT $4)"};

constexpr auto read_days_sql = sql(R"(
SELECT monitor_id, location_id,)",
                                   sum_columns, R"(FROM check_days WHERE day = $1 AND monitor_id = ANY ($2))");
constexpr postgres::statement read_days{"pack_read_days", read_days_sql};

constexpr auto write_hours_sql = sql(R"(
INSERT INTO check_hours (ring, hour, monitor_id, location_id,)",
                                     sum_columns, R"(, results)
SELECT $1::bigint / 24 % 40, $1, a.*
  FROM unnest((SELECT $2::uuid[]), (SELECT $3::uuid[]), (SELECT $4::bigint[]), (SELECT $5::bigint[]),
              (SELECT $6::bigint[]), (SELECT $7::bigint[]), (SELECT $8::bigint[]), (SELECT $9::bigint[]),
              (SELECT $10::bigint[]), (SELECT $11::bytea[]), (SELECT $12::bytea[])) a)");
constexpr postgres::statement write_hours{"pack_write_hours", write_hours_sql};

constexpr auto write_days_sql = sql(R"(
INSERT INTO check_days (day, monitor_id, location_id,)",
                                    sum_columns, R"()
SELECT $1, a.*
  FROM unnest((SELECT $2::uuid[]), (SELECT $3::uuid[]), (SELECT $4::bigint[]), (SELECT $5::bigint[]),
              (SELECT $6::bigint[]), (SELECT $7::bigint[]), (SELECT $8::bigint[]), (SELECT $9::bigint[]),
              (SELECT $10::bigint[]), (SELECT $11::bytea[])) a
ON CONFLICT (monitor_id, location_id, day) DO UPDATE
   SET checks = excluded.checks, up = excluded.up, down = excluded.down, observed = excluded.observed,
       sum_ms = excluded.sum_ms, min_ms = excluded.min_ms, max_ms = excluded.max_ms, times = excluded.times)");
constexpr postgres::statement write_days{"pack_write_days", write_days_sql};

constexpr postgres::statement move_packing{"pack_move", "UPDATE check_packing SET hour = $1, after = $2"};

constexpr postgres::statement empty_raw{"pack_empty_raw", "SELECT empty_check_raw($1)"};
constexpr postgres::statement empty_hours{"pack_empty_hours", R"(
SELECT empty_check_hours(floor(extract(epoch FROM clock_timestamp()) / 86400)::bigint - $1))"};

constexpr postgres::statement delete_days{"pack_delete_days", R"(
DELETE FROM check_days
 WHERE ctid = ANY (ARRAY(SELECT d.ctid FROM check_days d
                          WHERE d.day < floor(extract(epoch FROM statement_timestamp()) / 86400)::bigint - $1 LIMIT $2)))"};

constexpr postgres::statement delete_failures{"pack_delete_failures", R"(
DELETE FROM check_failures
 WHERE ctid = ANY (ARRAY(SELECT f.ctid FROM check_failures f
                          WHERE f.stored_at < statement_timestamp() - $1::bigint * interval '1 day' LIMIT $2)))"};

using position_of_results = std::pair<uuid, uuid>;  // monitor, location

struct hour_of_results {
  observed_sum sum{};
  std::vector<checks::kept_result> results{};
};
using hours_of_results = std::map<position_of_results, hour_of_results>;

/// Counts the rows of complete monitors. If `most` rows were found, the last monitor may be incomplete, and its rows
/// belong to the next step.
int rows_of_whole_monitors(postgres::rows const& found, std::int64_t most) {
  int out = found.size();
  if (out < most) return out;
  auto const last = found[out - 1].id(0);
  while (out > 0 && found[out - 1].id(0) == last) --out;
  // No monitor has that many rows in an hour. If one had, its other rows would be dropped, because otherwise packing
  // would stop.
  return out > 0 ? out : found.size();
}

hours_of_results grouped(postgres::rows const& found, int count) {
  hours_of_results out;
  for (int i = 0; i < count; ++i) {
    auto& target = out[{found[i].id(0), found[i].id(1)}];
    target.results.push_back(read_raw(found[i].bytes(3)));
    target.sum.summary.add(target.results.back());
    target.sum.observed += found[i].integer(2);
  }
  return out;
}

std::vector<std::pair<position_of_results, observed_sum>> sums_of_day(hours_of_results const& hours,
                                                                      postgres::rows const& before) {
  std::map<position_of_results, observed_sum> sums;
  for (auto const& [position, hour] : hours) sums[position] = hour.sum;
  for (int i = 0; i < before.size(); ++i) {
    auto const found = sums.find({before[i].id(0), before[i].id(1)});
    if (found != sums.end()) found->second.add(read_sum(before[i], 2));
  }
  return {sums.begin(), sums.end()};
}

postgres::query write_hours_query(std::int64_t hour, hours_of_results const& hours) {
  postgres::query out{write_hours, postgres::parameters(hour)};
  using row = hours_of_results::value_type;
  out.parameters.add_array(hours, [](row const& r) { return r.first.first; });
  out.parameters.add_array(hours, [](row const& r) { return r.first.second; });
  add_sums(out.parameters, hours, [](row const& r) -> observed_sum const& { return r.second.sum; });
  out.parameters.add_array(hours, [](row const& r) { return checks::packed(r.second.results); });
  return out;
}

postgres::query write_days_query(std::int64_t day,
                                 std::vector<std::pair<position_of_results, observed_sum>> const& sums) {
  postgres::query out{write_days, postgres::parameters(day)};
  using row = std::pair<position_of_results, observed_sum>;
  out.parameters.add_array(sums, [](row const& r) { return r.first.first; });
  out.parameters.add_array(sums, [](row const& r) { return r.first.second; });
  add_sums(out.parameters, sums, [](row const& r) -> observed_sum const& { return r.second; });
  return out;
}

std::vector<uuid> monitors_of(hours_of_results const& hours) {
  std::vector<uuid> out;
  for (auto const& [position, hour] : hours) {
    if (out.empty() || out.back() != position.first) out.push_back(position.first);
  }
  return out;
}

}  // namespace

task<pack_store::step> pack_store::pack(deadline until) {
  auto work = co_await db_.begin(until);
  auto const taken = settled(co_await work.run(postgres::query{take_packing, {}}));
  if (taken.empty()) co_return step{};
  auto const hour = taken.front().integer(0), open = taken.front().integer(2);
  step out{.lag_hours = std::max<std::int64_t>(0, open - hour)};
  if (hour >= open) co_return out;
  out.more = true;
  auto const after = taken.front().maybe_id(1).value_or(uuid{});
  postgres::query read{read_hour, postgres::parameters(hour, after, monitors_at_once, most_rows_)};
  auto const found = settled(co_await work.run(std::move(read)));
  auto const hours = grouped(found, rows_of_whole_monitors(found, most_rows_));
  SVC_FAILPOINT("pack.read");
  if (hours.empty()) {
    std::vector<postgres::query> last{{move_packing, postgres::parameters(hour + 1, nullptr)}};
    settled(co_await work.commit(std::move(last)));
    // This query runs separately, because it waits for readers. If it fails, the next hour in this partition empties
    // the partition.
    settled(co_await db_.run(postgres::query{empty_raw, postgres::parameters(hour)}, until));
    co_return out;
  }
  postgres::query ask{read_days, postgres::parameters(hour / 24, monitors_of(hours))};
  auto const before = settled(co_await work.run(std::move(ask)));
  for (auto const& [position, each] : hours) out.results += static_cast<std::int64_t>(each.results.size());
  std::vector<postgres::query> last{write_hours_query(hour, hours),
                                    write_days_query(hour / 24, sums_of_day(hours, before)),
                                    {move_packing, postgres::parameters(hour, hours.rbegin()->first.first)}};
  settled(co_await work.commit(std::move(last)));
  co_return out;
}

task<bool> pack_store::drop_old(check_retention keep, deadline until) {
  postgres::query days{delete_days, postgres::parameters(keep.summary_days, dropped_at_once)};
  postgres::query failures{delete_failures, postgres::parameters(keep.failure_days, dropped_at_once)};
  auto const gone_days = settled(co_await db_.run(std::move(days), until)).affected();
  auto const gone_failures = settled(co_await db_.run(std::move(failures), until)).affected();
  // This query is the last, because it waits for readers.
  settled(co_await db_.run(postgres::query{empty_hours, postgres::parameters(keep.result_days)}, until));
  co_return gone_days == dropped_at_once || gone_failures == dropped_at_once;
}

}  // namespace svc::store
