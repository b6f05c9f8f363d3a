// Decisions that the clock asks for: their cost, and one monitor among others whose decision always fails.
#include "integration/monitoring/scheduler/monitor_fixture.hpp"

#include "svc/store/heartbeats/heartbeat_store.hpp"

#include <regex>

using namespace svc;
using namespace svc::test;

namespace {

/// Refuses each outage and alert of this monitor, as a defect in its data would.
void refuse_outcomes_of(watched_shop& db, uuid monitor) {
  auto const quoted = "'" + monitor.to_string() + "'";
  db.as_owner(
      "CREATE FUNCTION refuse_outcome() RETURNS trigger LANGUAGE plpgsql AS"
      " $$BEGIN RAISE EXCEPTION 'planted'; END$$;"
      "CREATE TRIGGER planted BEFORE INSERT ON outages FOR EACH ROW WHEN (NEW.monitor_id = " +
      quoted +
      ") EXECUTE FUNCTION refuse_outcome();"
      "CREATE TRIGGER planted BEFORE INSERT ON alerts FOR EACH ROW WHEN (NEW.target_id = " +
      quoted + ") EXECUTE FUNCTION refuse_outcome()");
}

/// The largest number of rows that one node of the plan produced or discarded.
std::int64_t most_rows_in(std::string const& plan) {
  std::int64_t most = 0;
  auto const largest = [&](char const* pattern) {
    std::regex const rows(pattern);
    for (std::sregex_iterator iterator(plan.begin(), plan.end(), rows), end; iterator != end; ++iterator)
      most = std::max<std::int64_t>(most, std::stoll((*iterator)[1]));
  };
  largest(R"(actual (?:time=[^ ]+ )?rows=(\d+))");
  largest(R"(Rows Removed by [A-Za-z ]+: (\d+))");
  return most;
}

}  // namespace

TEST_CASE("a decision reads no more rows of an outage with thousands of reminders than of a new one") {
  watched_shop db;
  auto const id = db.make_monitor().id;
  db.decide(db.result_at(id, 0, checks::status::down));
  CHECK(list_alerts(db) == "monitor_failure/0/pending");
  db.as_owner(
      "INSERT INTO alerts (id, project_id, type, target_type, target_id, target_name, about, number, provider_id,"
      " provider_name, status) SELECT gen_random_uuid(), project_id, type, target_type, target_id, target_name, "
      "about,"
      " n, provider_id, provider_name, 'sent' FROM alerts, generate_series(1, 20000) n; ANALYZE alerts");
  postgres::pool pool(db.io, {.url = secret_string(db.url()), .size = 1});
  pool.start();
  store::check_store checks(pool);
  CHECK(db.wait(checks.decide({db.result_at(id, 1000, checks::status::down)}, db.soon())).front().counted);
  auto const quoted = "ARRAY['" + id.to_string() + "']::uuid[]";
  db.check_plans(pool, {{"verdict_read_alerts", quoted, {"alerts_told_once"}}},
                 [](plan_case const&, std::string const& plan) {
                   CHECK(most_rows_in(plan) > 0);
                   CHECK(most_rows_in(plan) <= 20);
                 });
  // The end of the outage is still sent to the provider that was notified of its start.
  CHECK(db.decide(db.result_at(id, 60'000)).counted);
  CHECK(db.rows("alerts WHERE type = 'monitor_recovery'") == 1);
}

TEST_CASE("a monitor on which no decision can be made does not stop the decisions on others") {
  watched_shop db;
  std::vector<uuid> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(db.make_monitor().id);
  db.as_owner(
      "UPDATE monitor_status SET since = since - interval '1 hour', look_at = clock_timestamp() - interval '1 s'");
  refuse_outcomes_of(db, ids[2]);
  CHECK(db.wait(db.checks.look(db.soon())) == 5);
  for (auto const& id : ids) CHECK(db.get(id).verdict == (id == ids[2] ? "pending" : "error"));
  auto const culprit = " FROM monitor_status WHERE monitor_id = '" + ids[2].to_string() + "'";
  auto const pause = [&] {
    return db.number(
        {{"pause", "SELECT round(extract(epoch FROM look_at - clock_timestamp()) + 0.5)::bigint" + culprit}});
  };
  CHECK(pause() <= 5);
  CHECK(db.wait(db.checks.look(db.soon())) == 0);
  std::string const due = "UPDATE monitor_status SET look_at = clock_timestamp() WHERE failed_looks > 0";
  for (std::int64_t const expected : {10, 20, 40}) {
    db.as_owner(due);
    CHECK(db.wait(db.checks.look(db.soon())) == 1);
    CHECK(pause() <= expected);
    CHECK(pause() > expected / 2);
  }
  db.as_owner("UPDATE monitor_status SET failed_looks = 15 WHERE failed_looks > 0; " + due);
  CHECK(db.wait(db.checks.look(db.soon())) == 1);
  CHECK(pause() <= 600);

  db.as_owner("DROP TRIGGER planted ON alerts; " + due);
  CHECK(db.wait(db.checks.look(db.soon())) == 1);
  CHECK(db.get(ids[2]).verdict == "error");
  CHECK(db.number({{"failed", "SELECT failed_looks::bigint" + culprit}}) == 0);
}

TEST_CASE("a heartbeat that cannot be judged does not stop the others") {
  watched_shop db;
  store::heartbeat_store hearts{db.pool, db.master};
  std::vector<uuid> ids;
  for (int i = 0; i < 4; ++i) {
    auto set = db.wanted("backup");
    set.type = "heartbeat";
    set.target.reset();
    set.frequency_seconds.reset();
    set.config = R"({"schedule":{"everySeconds":60},"graceSeconds":0})";
    ids.push_back(db.make_monitor(std::move(set)).id);
    CHECK(db.wait(hearts.take({ids.back()}, db.soon())));
  }
  db.as_owner("UPDATE heartbeats SET due_at = due_at - interval '90 s', deadline_at = deadline_at - interval '90 s'");
  refuse_outcomes_of(db, ids[1]);
  // The database is older than the test, and no instance has listened in between.
  db.as_owner("UPDATE heartbeat_listening SET heard_at = clock_timestamp(), deaf_from = NULL, deaf_to = NULL");
  CHECK(db.wait(hearts.evaluate(db.soon())) == 4);
  for (auto const& id : ids) CHECK(db.get(id).verdict == (id == ids[1] ? "up" : "down"));
  CHECK(db.rows("heartbeats WHERE failed_looks = 1 AND deadline_at > clock_timestamp()") == 1);
  CHECK(db.wait(hearts.evaluate(db.soon())) == 0);
}

TEST_CASE("a heartbeat that alternates for hours writes at most 21 alerts of starts in an hour") {
  watched_shop db;
  store::heartbeat_store hearts{db.pool, db.master};
  auto set = db.wanted("backup");
  set.type = "heartbeat";
  set.target.reset();
  set.frequency_seconds.reset();
  set.config = R"({"schedule":{"everySeconds":3600},"graceSeconds":0})";
  auto const id = db.make_monitor(std::move(set)).id;
  auto const alternate = [&](int times) {
    for (int i = 0; i < times; ++i) {
      CHECK(db.wait(hearts.take({id, {heartbeats::signal_kind::failure, {}}}, db.soon())));
      CHECK(db.wait(hearts.take({id}, db.soon())));
    }
  };
  alternate(30);
  CHECK(db.get(id).verdict == "up");
  CHECK(db.rows("alerts WHERE suppressed_by = 'too_many_changes'") == 1);
  CHECK(db.rows("alerts") == 21);
  CHECK(db.number({{"changes", "SELECT cardinality(changes)::bigint FROM monitor_status"}}) == 20);

  // The last failure is sent once the changes lie an hour back.
  CHECK(db.wait(hearts.take({id, {heartbeats::signal_kind::failure, {}}}, db.soon())));
  CHECK(db.rows("alerts") == 21);
  db.as_owner(
      "UPDATE monitor_status SET look_at = clock_timestamp(),"
      " changes = ARRAY(SELECT at - interval '1 hour' FROM unnest(changes) at ORDER BY at)");
  CHECK(db.wait(db.checks.look(db.soon())) == 1);
  CHECK(db.rows("alerts WHERE status = 'pending' AND type = 'monitor_failure'") == 11);
}
