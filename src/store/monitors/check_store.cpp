#include "svc/store/monitors/check_store.hpp"

#include "store/monitors/deciding.hpp"
#include "store/monitors/due_monitors.hpp"
#include "store/monitors/hold_rows.hpp"
#include "store/monitors/verdict_rows.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/postgres/pool.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <unordered_map>

namespace svc::store {
namespace {

// The columns that `read_watched` reads, in its order; $1 is the location.
constexpr auto watched_columns =
    sql(" m.id, m.project_id, p.organization_id, m.type, m.target, m.config, m.interval_seconds, m.changed_at, "
        "m.alert_config, s.verdict,"
        " s.outage_id IS NOT NULL,",
        check_state_columns);
constexpr auto watched_tables =
    sql("FROM monitors m JOIN projects p ON p.id = m.project_id JOIN monitor_status s ON s.monitor_id = m.id "
        "JOIN check_states c ON c.monitor_id = m.id AND c.location_id = $1 ");
constexpr auto is_watched = sql("m.enabled AND m.deleted_at IS NULL AND m.type <> 'heartbeat'");

constexpr auto read_watched_rows_sql =
    sql("SELECT", watched_columns, watched_tables, "WHERE m.shard = ANY ($2::bigint[]) AND ", is_watched,
        " AND p.archived_at IS NULL");
constexpr postgres::statement read_watched_rows{"checks_read", read_watched_rows_sql};

// A transaction ends within seconds, so a change that was not visible at the last look is at most that old. The
// statement reads no configurations, because most of the changes are known from earlier looks.
constexpr postgres::statement read_changed{"checks_changed", R"(
SELECT m.id, m.changed_at, m.enabled AND m.deleted_at IS NULL AND m.type <> 'heartbeat' AND p.archived_at IS NULL
  FROM monitors m JOIN projects p ON p.id = m.project_id
 WHERE m.changed_at > statement_timestamp() - interval '45 s' AND m.shard = ANY ($1::bigint[]))"};

constexpr auto read_some_sql = sql("SELECT", watched_columns, watched_tables, "WHERE m.id = ANY ($2) AND ",
                                   is_watched, " AND p.archived_at IS NULL");
constexpr postgres::statement read_some{"checks_read_some", read_some_sql};

// For nearly all due monitors no decision is needed: the verdict is up, and all votes are for up, not degraded, and
// fresh until a later time. For these monitors the next look is postponed.
constexpr postgres::statement put_off{"verdict_put_off", R"(
WITH due AS MATERIALIZED (
  SELECT s.monitor_id FROM monitor_status s WHERE s.look_at <= statement_timestamp()
   ORDER BY s.look_at LIMIT 1000 FOR UPDATE SKIP LOCKED
)
UPDATE monitor_status s SET look_at = v.fresh_until
  FROM due JOIN monitors m ON m.id = due.monitor_id CROSS JOIN LATERAL (
    SELECT min(c.evidence_at) + greatest(m.interval_seconds * interval '2.5 s', interval '3 min') AS fresh_until
      FROM check_states c WHERE c.monitor_id = m.id
    HAVING bool_and(c.says = 'up' AND NOT c.degraded AND c.fails = 0 AND c.check_version = m.check_version
                    AND c.evidence_at IS NOT NULL)) v
 WHERE s.monitor_id = due.monitor_id AND s.verdict = 'up' AND m.enabled AND m.deleted_at IS NULL
   AND v.fresh_until > statement_timestamp())"};

constexpr auto take_due_monitors_sql = due_monitors_sql(
    "SELECT s.monitor_id FROM monitor_status s WHERE s.look_at <= statement_timestamp()"
    " ORDER BY s.look_at");
constexpr postgres::statement take_due_monitors{"verdict_take_due", take_due_monitors_sql};

constexpr auto postpone_look_sql = postpone_sql("monitor_status", "look_at");
constexpr postgres::statement postpone_look{"verdict_postpone", postpone_look_sql};

watched_monitor read_watched(postgres::row r) {
  auto const row = read_state(r, 11);
  check_memory knows{.revision = row.revision,
                     .check_version = row.check_version,
                     .last_slot = row.last_slot,
                     .state = row.state,
                     .covered = row.covered,
                     .status = verdict_named(r.text(9)),
                     .outage_open = r.boolean(10),
                     .limits = thresholds_of(r.is_null(8) ? std::nullopt : std::optional(r.text(8)))};
  return {.id = r.id(0),
          .project = r.id(1),
          .organization = r.id(2),
          .type = std::string(r.text(3)),
          .target = r.maybe_text(4).value_or(""),
          .config = std::string(r.text(5)),
          .interval = std::chrono::seconds(r.integer(6)),
          .changed_at = r.time(7),
          .knows = std::move(knows)};
}

std::vector<watched_monitor> read_all(postgres::rows const& found) {
  std::vector<watched_monitor> out;
  out.reserve(static_cast<std::size_t>(found.size()));
  for (int i = 0; i < found.size(); ++i) out.push_back(read_watched(found[i]));
  return out;
}

// A transaction with a check for the same request waits here, and then finds the request closed.
constexpr postgres::statement lock_requests{"request_lock", R"(
SELECT id FROM check_requests WHERE id = ANY ($1) AND closed_at IS NULL ORDER BY id FOR UPDATE)"};

/// A requested check uses no slot of a regular check, not even of a late one. It gets the slot right after the last
/// counted one. If no check has counted yet, its slot is its start.
void give_slot(arrived_result& result, location_row const& row) {
  if (result.request) result.kept.slot = row.last_slot > 0 ? row.last_slot + 1 : result.kept.started_ms;
}

/// The state of a monitor's row after the decision is committed.
check_memory memory_after(decision_step const& s, location_row const& row) {
  auto out = s.monitor->memory_of(row);
  out.status = s.made.becomes;
  out.outage_open = s.made.opened || (out.outage_open && !s.made.closed);
  return out;
}

/// Monitors whose occurrences one statement reads. Each may have many windows, and a statement must end in time.
constexpr std::size_t most_in_maintenance = 500;

/// Adds the occurrences that cover these monitors.
task<std::vector<watched_monitor>> with_maintenance(postgres::pool& db, std::vector<watched_monitor> all,
                                                    deadline until) {
  std::unordered_map<uuid, known_maintenance, uuid_hash> known;
  for (std::size_t i = 0; i < all.size(); i += most_in_maintenance) {
    auto const some = std::span(all).subspan(i, std::min(most_in_maintenance, all.size() - i));
    auto const ids = postgres::column<uuid>(some, [](watched_monitor const& each) { return each.id; });
    auto const found = settled(co_await db.run(maintenance_ahead_query(ids, known_to_holders), until));
    for (auto& [id, each] : read_maintenance_ahead(found, known_to_holders)) known.emplace(id, std::move(each));
  }
  for (auto& each : all) {
    if (auto const mine = known.find(each.id); mine != known.end()) each.maintenance = std::move(mine->second);
  }
  co_return all;
}

template <class Result>
void sort_by_monitor(std::vector<Result> const& results, std::vector<std::size_t>& order, auto const& id) {
  order.resize(results.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return id(results[i]); });
}

}  // namespace

alerting::observed_result arrived_result::seen() const {
  return {checks::conclusion_of(kept.ended), kept.degraded, timestamp{kept.started_ms * 1000}, failure};
}

void mark_maintenance(arrived_result& result, std::span<alerting::quiet_time const> times) {
  timestamp const began{result.kept.started_ms * 1000};
  result.kept.maintenance = alerting::is_quiet(times, began);
  result.covers = alerting::length_outside(times, began, result.covers);
}

covered_time next_covered(covered_time time, checks::conclusion says, std::int64_t seconds, std::uint32_t fails,
                          bool outage_open) {
  if (says == checks::conclusion::none) return time;
  if (says == checks::conclusion::good)
    return outage_open ? covered_time{time.in_all + seconds, time.well + seconds} : covered_time{};
  // Good results between failing ones belong to the outage.
  bool const begins = fails == 1 && !outage_open;
  return {(begins ? 0 : time.in_all) + seconds, 0};
}

counted_result result_of_location(check_memory const& knows, arrived_result result) {
  auto const seen = result.seen();
  auto after = alerting::next_location_state(knows.state, seen, knows.limits, knows.outage_open);
  auto const covered = next_covered(knows.covered, seen.says, result.covers.count(), after.fails, knows.outage_open);
  return {std::move(result), knows.revision, std::move(after), covered};
}

task<std::vector<watched_monitor>> check_store::read(std::vector<std::int64_t> shards, deadline until) {
  postgres::query ask{read_watched_rows, postgres::parameters(location_, shards)};
  auto all = read_all(settled(co_await db_.run(std::move(ask), until)));
  co_return co_await with_maintenance(db_, std::move(all), until);
}

task<std::vector<monitor_news>> check_store::changed(std::vector<std::int64_t> shards, deadline until) {
  auto const found = settled(co_await db_.run(postgres::query{read_changed, postgres::parameters(shards)}, until));
  std::vector<monitor_news> out;
  for (int i = 0; i < found.size(); ++i) out.push_back({found[i].id(0), found[i].time(1), found[i].boolean(2)});
  co_return out;
}

task<std::vector<watched_monitor>> check_store::read_these(std::vector<uuid> monitors, deadline until) {
  postgres::query ask{read_some, postgres::parameters(location_, monitors)};
  auto all = read_all(settled(co_await db_.run(std::move(ask), until)));
  co_return co_await with_maintenance(db_, std::move(all), until);
}

task<std::vector<std::pair<uuid, known_maintenance>>> check_store::read_maintenance(std::vector<uuid> monitors,
                                                                                    deadline until) {
  auto const found = settled(co_await db_.run(maintenance_ahead_query(monitors, known_to_holders), until));
  co_return read_maintenance_ahead(found, known_to_holders);
}

task<std::vector<bool>> check_store::count(std::vector<counted_result> results, deadline until) {
  std::vector<std::size_t> order;
  sort_by_monitor(results, order, [](counted_result const& r) { return r.result.monitor; });
  std::vector<counted_result> sorted;
  sorted.reserve(results.size());
  for (auto i : order) sorted.push_back(std::move(results[i]));
  auto const found = settled(co_await db_.run(count_query(location_, sorted, true), until));
  std::vector<bool> out(sorted.size(), false);
  for (int i = 0; i < found.size(); ++i) out[order[static_cast<std::size_t>(found[i].integer(0) - 1)]] = true;
  co_return out;
}

task<std::vector<result_fate>> check_store::decide(std::vector<arrived_result> results, deadline until) {
  std::vector<std::size_t> order;
  sort_by_monitor(results, order, [](arrived_result const& r) { return r.monitor; });
  auto const ids = postgres::column<uuid>(order, [&](std::size_t i) { return results[i].monitor; });
  auto work = co_await db_.begin(until);
  auto locked = read_locked(settled(co_await work.run(lock_and_read_monitors(ids))));
  std::vector<uuid> asked, open;
  for (auto const& each : results) {
    if (each.request) asked.push_back(*each.request);
  }
  if (!asked.empty()) {
    postgres::query lock{lock_requests, postgres::parameters(asked)};
    open = read_ids(settled(co_await work.run(std::move(lock))));
  }
  SVC_FAILPOINT("checks.locked");
  std::vector<result_fate> out(results.size());
  std::vector<decision_step> steps;
  steps.reserve(results.size());
  for (auto i : order) {
    auto* monitor = locked.find(results[i].monitor);
    auto* row = monitor == nullptr ? nullptr : monitor->at(location_);
    if (row == nullptr || !monitor->state.live) continue;
    if (!counts(*monitor, *row, results[i], open)) {
      out[i].knows = monitor->memory_of(*row);
      continue;
    }
    give_slot(results[i], *row);
    steps.push_back(count_and_decide(*monitor, *row, std::move(results[i]), locked.now));
    auto const& state = monitor->state;
    bool const waits = state.is_muted(locked.now) || state.is_in_maintenance(locked.now);
    out[i] = {true, memory_after(steps.back(), *row), waits};
  }
  if (steps.empty()) co_return out;
  auto const done = settled(co_await work.commit(writes_of(steps, location_, locked.now)));
  if (static_cast<std::size_t>(done.front().size()) != steps.size()) {
    throw std::logic_error("a result did not count in a row that was locked for it");
  }
  notify_decided(decided_, steps);
  co_return out;
}

task<std::int64_t> check_store::look(deadline until) {
  settled(co_await db_.run(postgres::query{put_off, {}}, until));
  auto const decide = [this](std::int64_t most, std::vector<uuid>& taken, deadline limit) {
    return decide_due(most, taken, limit);
  };
  co_return co_await decide_on_due(db_, decide, postpone_look, static_cast<std::int64_t>(most_decided), until);
}

task<std::int64_t> check_store::decide_due(std::int64_t most, std::vector<uuid>& taken, deadline until) {
  auto work = co_await db_.begin(until);
  auto const ids =
      read_ids(settled(co_await work.run(postgres::query{take_due_monitors, postgres::parameters(most)})));
  if (ids.empty()) co_return 0;
  taken = ids;
  auto locked = read_locked(settled(co_await work.run(lock_and_read_monitors(ids))));
  std::vector<decision_step> steps;
  steps.reserve(locked.all.size());
  for (auto& each : locked.all) steps.push_back({&each, decide_now(each, locked.now), {}});
  settled(co_await work.commit(writes_of(steps, location_, locked.now)));
  notify_decided(decided_, steps);
  co_return static_cast<std::int64_t>(ids.size());
}

}  // namespace svc::store
