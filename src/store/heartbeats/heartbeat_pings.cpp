// Stores signals, and evaluates deadlines that pass without one.
#include "store/heartbeats/heartbeat_rows.hpp"
#include "store/heartbeats/heartbeat_take.hpp"
#include "store/monitors/due_monitors.hpp"
#include "store/monitors/hold_rows.hpp"
#include "store/sealing/project_key.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/domain/monitoring/checks/masked.hpp"

#include <algorithm>

namespace svc::store {
namespace {

// Each array has one element for each ping, and the pings belong to different monitors. For each monitor the last $9
// pings stay. Bodies stay for as many of them as its share of the project's $11 bodies allows, but for at least $10.
constexpr postgres::statement insert_pings{"beats_insert", R"(
WITH g AS MATERIALIZED (
  SELECT * FROM unnest((SELECT $1::uuid[]), (SELECT $2::bigint[]), (SELECT $3::text[]), (SELECT $4::bigint[]),
                       (SELECT $5::uuid[]), (SELECT $6::bigint[]), (SELECT $7::text[]))
                a (monitor_id, number, signal, exit_code, run_id, duration_ms, body)
), gone AS (
  DELETE FROM heartbeat_beats b USING g WHERE b.monitor_id = g.monitor_id AND b.number <= g.number - $9::bigint
), shares AS MATERIALIZED (
  SELECT g.monitor_id, g.number, greatest($10::bigint, $11::bigint / greatest(1, u.used)) AS bodies
    FROM g JOIN monitors m ON m.id = g.monitor_id
    LEFT JOIN project_usage u ON u.project_id = m.project_id AND u.kind = 'monitors'
   WHERE g.body <> ''
), emptied AS (
  UPDATE heartbeat_beats b SET body = NULL FROM shares s
   WHERE b.monitor_id = s.monitor_id AND b.body IS NOT NULL AND b.number > s.number - $9::bigint
     AND b.number <= s.number - s.bodies
)
INSERT INTO heartbeat_beats (monitor_id, number, at, signal, exit_code, run_id, duration_ms, body)
SELECT monitor_id, number, $8, signal, exit_code, run_id, duration_ms, nullif(body, '') FROM g)"};

// Reads the secrets of the project that owns the monitor.
constexpr auto read_ping_secrets_sql = sql("SELECT v.project_id,", variable_columns, variable_tables,
                                           "JOIN monitors m ON m.project_id = v.project_id"
                                           " WHERE m.id = $1 AND v.is_secret");
constexpr postgres::statement read_ping_secrets{"beat_secrets", read_ping_secrets_sql};

// Most looks find nothing; they take one round trip and no lock. Deadlines are evaluated until `evaluated_until`. An
// instance was alive after that time: the newest record that one listens is younger than $1. Every longer time
// without a record is a blind window that the same row contains. So only time that this statement knows to be covered
// is evaluated, even if the process freezes after it.
constexpr postgres::statement any_late{"heartbeats_late", R"(
SELECT coalesce((SELECT min(h.deadline_at) FROM heartbeats h WHERE h.deadline_at IS NOT NULL)
                <= statement_timestamp() - $1::bigint * interval '1 s', false)
       AND l.heard_at > statement_timestamp() - $1::bigint * interval '1 s',
       statement_timestamp() - $1::bigint * interval '1 s' AS evaluated_until, l.deaf_from, l.deaf_to
  FROM heartbeat_listening l)"};

constexpr auto take_late_sql =
    due_monitors_sql("SELECT h.monitor_id FROM heartbeats h WHERE h.deadline_at <= $2 ORDER BY h.deadline_at");
constexpr postgres::statement take_late{"heartbeats_take_late", take_late_sql};

constexpr auto postpone_deadline_sql = postpone_sql("heartbeats", "deadline_at");
constexpr postgres::statement postpone_deadline{"heartbeats_postpone", postpone_deadline_sql};

/// A ping with its result.
struct counted_ping {
  ping_row const* row;
  std::int64_t number;
  std::optional<std::chrono::milliseconds> took;
};

postgres::query insert_query(std::vector<counted_ping> const& all, timestamp now) {
  postgres::query out{insert_pings};
  auto& parameters = out.parameters;
  parameters.add_array(all, [](counted_ping const& b) { return b.row->ping.monitor; });
  parameters.add_array(all, [](counted_ping const& b) { return b.number; });
  parameters.add_array(all, [](counted_ping const& b) { return heartbeats::name_of(b.row->ping.signal.kind); });
  parameters.add_array(all, [](counted_ping const& b) {
    auto const& code = b.row->ping.signal.exit_code;
    return code ? std::optional<std::int64_t>(*code) : std::nullopt;
  });
  parameters.add_array(all, [](counted_ping const& b) { return b.row->ping.run; });
  parameters.add_array(all, [](counted_ping const& b) {
    return b.took ? std::optional<std::int64_t>(b.took->count()) : std::nullopt;
  });
  parameters.add_array(all, [](counted_ping const& b) { return std::string_view(b.row->ping.body); });
  parameters.add(now);
  parameters.add(most_pings);
  parameters.add(least_bodies);
  parameters.add(most_bodies_of_project);
  return out;
}

/// The work of one transaction on monitors that it has locked.
struct ping_turn {
  locked_monitors locked;
  std::vector<heartbeat_row> rows;
  std::vector<decision_step> steps{};

  heartbeat_row* find(uuid monitor) {
    auto const found = std::ranges::find(rows, monitor, &heartbeat_row::monitor);
    return found == rows.end() ? nullptr : &*found;
  }
  void count(locked_monitor& monitor, heartbeats::heartbeat_finding const& conclusion) {
    auto* row = monitor.at(own_location);
    if (row == nullptr) return;
    steps.push_back(count_and_decide(monitor, *row, result_of(conclusion, monitor, *row, locked.now), locked.now));
  }
  std::vector<postgres::query> writes() const {
    auto out = writes_of(steps, own_location, locked.now);
    out.push_back(write_heartbeats_query(rows));
    return out;
  }
};

std::vector<postgres::query> lock_and_read_heartbeats(std::vector<uuid> const& ids) {
  auto out = lock_and_read_monitors(ids);
  out.push_back(maintenance_ahead_query(ids, known_to_heartbeats));
  out.push_back(read_heartbeats_query(ids));
  return out;
}

ping_turn read_turn(std::vector<postgres::rows> const& answers, std::size_t pings) {
  ping_turn out{read_locked(answers), read_heartbeat_rows(answers.back())};
  for (auto& [id, known] : read_maintenance_ahead(answers[answers.size() - 2], known_to_heartbeats)) {
    if (auto* monitor = out.locked.find(id)) monitor->ahead = std::move(known.times);
  }
  // The steps hold references to elements, so the vector must not reallocate.
  out.steps.reserve(pings);
  return out;
}

/// Counts one ping. A ping of a paused monitor is only stored.
counted_ping count_ping(ping_turn& turn, ping_row const& ping_row, locked_monitor& monitor, heartbeat_row& row) {
  counted_ping out{&ping_row, ++row.pings, std::nullopt};
  row.follow(monitor, turn.locked.now);
  if (!row.is_evaluated(monitor)) {
    row.state.last_ping_at = turn.locked.now;
    return out;
  }
  auto const said = heartbeats::take(*row.config, row.state, ping_row.ping.signal, ping_row.ping.run.value_or(uuid{}),
                                     turn.locked.now);
  row.deadline = heartbeats::deadline_of(*row.config, row.state);
  if (!said) return out;
  out.took = said->took;
  turn.count(monitor, *said);
  return out;
}

/// The deadlines that may be evaluated: all until that time, except in a blind window.
struct evaluated_time {
  timestamp until{};
  std::optional<heartbeats::blind_window> blind_window{};
};

void evaluate_one(ping_turn& turn, locked_monitor& monitor, heartbeat_row& row, evaluated_time const& time) {
  row.deadline.reset();
  row.follow(monitor, turn.locked.now);
  if (!row.is_evaluated(monitor)) return;
  if (auto const said = heartbeats::evaluate(*row.config, row.state, time.blind_window, time.until))
    turn.count(monitor, *said);
  row.deadline = heartbeats::deadline_after(*row.config, row.state, time.blind_window);
}

}  // namespace

task<postgres::outcome<std::vector<bool>>> take_pings(postgres::pool& db, std::vector<ping_row> pings,
                                                      deadline until) {
  auto const ids = postgres::column<uuid>(pings, [](ping_row const& b) { return b.ping.monitor; });
  auto work = co_await db.begin(until);
  auto const answers = co_await work.run(lock_and_read_heartbeats(ids));
  if (!answers) co_return answers.error();
  auto turn = read_turn(*answers, pings.size());
  std::vector<bool> out;
  std::vector<counted_ping> counted;
  for (auto const& each : pings) {
    auto* monitor = turn.locked.find(each.ping.monitor);
    auto* row = turn.find(each.ping.monitor);
    out.push_back(monitor != nullptr && row != nullptr);
    if (out.back()) counted.push_back(count_ping(turn, each, *monitor, *row));
  }
  if (counted.empty()) co_return out;
  auto last = turn.writes();
  last.push_back(insert_query(counted, turn.locked.now));
  SVC_FAILPOINT("heartbeats.before_commit");
  auto const done = co_await work.commit(std::move(last));
  if (!done) co_return done.error();
  SVC_FAILPOINT("heartbeats.after_commit");
  if (pings.front().decided) notify_decided(*pings.front().decided, turn.steps);
  co_return out;
}

namespace {

/// Evaluates up to `most` heartbeats in one transaction (`due_transaction`).
task<std::int64_t> evaluate_batch(postgres::pool& db, evaluated_time time, std::int64_t most,
                                  std::vector<uuid>& taken, std::shared_ptr<decision_listeners const> decided,
                                  deadline until) {
  auto work = co_await db.begin(until);
  auto const ids =
      read_ids(settled(co_await work.run(postgres::query{take_late, postgres::parameters(most, time.until)})));
  if (ids.empty()) co_return 0;
  taken = ids;
  auto turn = read_turn(settled(co_await work.run(lock_and_read_heartbeats(ids))), ids.size());
  for (auto& row : turn.rows) {
    if (auto* monitor = turn.locked.find(row.monitor)) evaluate_one(turn, *monitor, row, time);
  }
  SVC_FAILPOINT("heartbeats.evaluating");
  settled(co_await work.commit(turn.writes()));
  SVC_FAILPOINT("heartbeats.evaluated");
  notify_decided(*decided, turn.steps);
  co_return static_cast<std::int64_t>(ids.size());
}

}  // namespace

task<std::int64_t> evaluate_late(postgres::pool& db, std::int64_t most,
                                 std::shared_ptr<decision_listeners const> decided, deadline until) {
  postgres::query look{any_late, postgres::parameters(std::int64_t(listening_age.count()))};
  auto const late = settled(co_await db.run(std::move(look), until));
  if (late.empty() || !late.front().boolean(0)) co_return 0;
  auto const r = late.front();
  evaluated_time time{.until = r.time(1)};
  if (!r.is_null(2)) time.blind_window = heartbeats::blind_window{r.time(2), r.time(3)};
  auto const evaluate = [&db, time, decided](std::int64_t count, std::vector<uuid>& taken, deadline limit) {
    return evaluate_batch(db, time, count, taken, decided, limit);
  };
  co_return co_await decide_on_due(db, evaluate, postpone_deadline, most, until);
}

task<std::string> kept_body(postgres::pool& db, master_keys& master, arrived_ping const& ping, deadline until) {
  // Opening more secrets, and building their patterns, would block the event loop for too long. Then the body is
  // dropped.
  constexpr std::size_t most_secret_bytes = 4UL * 1024;
  auto const found =
      settled(co_await db.run(postgres::query{read_ping_secrets, postgres::parameters(ping.monitor)}, until));
  std::size_t bytes = 0;
  for (int i = 0; i < found.size(); ++i) bytes += found[i].bytes(8).size();
  if (bytes > most_secret_bytes) co_return std::string();
  // A script that sends the output of its own ping command would expose the key.
  std::vector<secret_string> secrets{ping.key};
  for (int i = 0; i < found.size(); ++i) secrets.push_back(open_variable(master, found[i], 1, found[i].id(0)));
  co_return checks::masked_text(std::make_shared<secret_patterns const>(secrets), ping.body, longest_ping_body);
}

}  // namespace svc::store
