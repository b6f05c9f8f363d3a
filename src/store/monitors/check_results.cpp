#include "store/monitors/summary_rows.hpp"
#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/monitors/check_history.hpp"

#include <algorithm>
#include <limits>
#include <span>

namespace svc::store {
namespace {

// $1 monitor, $2 and $3 bounds of the start. Also returns the hour up to which all results are packed, from the same
// snapshot. Returns a row of NULLs if there is no result.
constexpr postgres::statement read_open_results{"results_open", R"(
SELECT CASE WHEN p.after >= $1::uuid THEN p.hour ELSE p.hour - 1 END, r.location_id, r.result
  FROM check_packing p
  LEFT JOIN check_raw r ON r.monitor_id = $1 AND r.started_ms >= $2 AND r.started_ms < $3
       AND (r.hour, r.monitor_id) > (p.hour, coalesce(p.after, '00000000-0000-0000-0000-000000000000'::uuid)))"};

// $2 is the newest wanted hour, $3 the oldest, within at most three days. The days are named, so that PostgreSQL
// opens only their partitions, not all forty.
constexpr postgres::statement read_packed_results{"results_packed", R"(
SELECT h.hour, h.location_id, h.results FROM check_hours h
 WHERE h.ring = ANY (ARRAY[($3::integer / 24 % 40)::smallint, (($3::integer / 24 + 1) % 40)::smallint,
                           ($2::integer / 24 % 40)::smallint])
   AND h.monitor_id = $1 AND h.hour BETWEEN $3::integer AND $2::integer
 ORDER BY h.hour DESC)"};

constexpr postgres::statement read_details{"results_details", R"(
SELECT location_id, started_ms, details FROM check_failures WHERE monitor_id = $1 AND started_ms = ANY ($2))"};

constexpr std::int64_t hour_ms = 3'600'000;
// Most pages lie within few hours. For most monitors that are checked rarely, a page lies within two days.
constexpr std::int64_t hours_at_first = 3, hours_at_once = 48;
constexpr std::int64_t most_hours = 35 * 24;  // results are kept no longer

struct results_page {
  std::int64_t first, last;  // bounds of the start, in milliseconds
  std::optional<checks::status> ended;
  std::vector<listed_result> found{};

  void take(uuid location, checks::kept_result const& result) {
    if (result.started_ms < first || result.started_ms >= last || (ended && result.ended != *ended)) return;
    found.push_back({location, result, {}});
  }
};

std::int64_t begin_of_result(listed_result const& result) {
  return result.result.started_ms;
}

/// Requires `all` to be in order, newest first.
task<std::vector<listed_result>> with_details(postgres::pool& db, uuid monitor, std::vector<listed_result> all,
                                              std::size_t skipped, deadline until) {
  std::span const shown = std::span(all).subspan(std::min(skipped, all.size()));
  if (shown.empty()) co_return all;
  auto const begins = postgres::column<std::int64_t>(shown, begin_of_result);
  auto const found =
      settled(co_await db.run(postgres::query{read_details, postgres::parameters(monitor, begins)}, until));
  for (int i = 0; i < found.size(); ++i) {
    auto const same = std::ranges::equal_range(shown, found[i].integer(1), std::ranges::greater(), begin_of_result);
    auto const iterator = std::ranges::find(same, found[i].id(0), &listed_result::location);
    if (iterator != same.end()) iterator->details = found[i].text(2);
  }
  co_return all;
}

}  // namespace

task<std::vector<listed_result>> check_history::results(uuid monitor, result_filter filter, result_count wanted,
                                                        deadline until) {
  constexpr auto never = std::numeric_limits<std::int64_t>::max();
  results_page page{filter.start ? filter.start->micros / 1000 : 0, filter.end ? filter.end->micros / 1000 : never,
                    filter.ended};
  postgres::query ask{read_open_results, postgres::parameters(monitor, page.first, page.last)};
  auto const open = settled(co_await db_.run(std::move(ask), until));
  for (int i = 0; i < open.size(); ++i) {
    if (!open[i].is_null(1)) page.take(open[i].id(1), read_raw(open[i].bytes(2)));
  }
  // A late result is stored in the hour after its own.
  auto newest = std::min(open.front().integer(0), page.last / hour_ms + 1);
  auto const oldest = std::max(page.first / hour_ms, newest - most_hours);
  for (auto at_once = hours_at_first; page.found.size() < wanted.most && newest >= oldest;
       at_once = std::min(4 * at_once, hours_at_once)) {
    auto const first = std::max(oldest, newest - at_once + 1);
    postgres::query more{read_packed_results, postgres::parameters(monitor, newest, first)};
    auto const hours = settled(co_await db_.run(std::move(more), until));
    for (int i = 0; i < hours.size(); ++i) {
      auto const results = checks::read_packed(hours[i].bytes(2));
      if (!results) throw std::logic_error("a stored hour of results is not valid");
      for (auto const& each : *results) page.take(hours[i].id(1), each);
    }
    newest = first - 1;
  }
  std::ranges::sort(page.found, std::ranges::greater(), begin_of_result);
  if (page.found.size() > wanted.most) page.found.resize(wanted.most);
  co_return co_await with_details(db_, monitor, std::move(page.found), wanted.skipped, until);
}

}  // namespace svc::store
