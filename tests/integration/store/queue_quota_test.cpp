// Tests the quota of queued runs: all ways to create a run, and the runs that may exceed the quota.
#include "trigger_fixture.hpp"

#include "svc/store/jobs/job_store.hpp"
#include "svc/store/runners/runner_store.hpp"

using namespace svc;
using namespace svc::test;

namespace {

/// Two workers of an instance, and the stores that share the first worker's gate.
struct queue : trigger_database {
  explicit queue(std::int64_t limit) : most(limit) {}

  static store::queue_gate make_gate(std::int64_t limit) {
    return store::queue_gate(store::queue_gate::make_bounds(limit, 2, 1));
  }
  verdict trigger(store::trigger_request request) { return wait(here.trigger(as_ed(), std::move(request), soon())); }
  verdict plain() { return trigger({.job = id, .triggered_by = "ci"}); }
  std::int64_t queued() {
    return number({{"queue_test_count", "SELECT count(*) FROM runs WHERE status = 'queued'"}});
  }
  /// Triggers that many runs at once, alternating between the two workers.
  std::vector<verdict> flood(std::size_t count) {
    std::vector<verdict> out(count, errc::internal_error);
    std::size_t left = count;
    for (std::size_t i = 0; i < count; ++i) {
      std::pair<store::editor, store::trigger_request> content{as_ed(), {.job = id, .triggered_by = "ci"}};
      asio::co_spawn(io, one(i % 2 == 0 ? here : there, std::move(content), out[i], left), asio::detached);
    }
    io.restart();
    while (left > 0 && io.run_one() > 0) {
    }
    return out;
  }
  void fill() {
    as_owner(
        "INSERT INTO runs (id, project_id, job_type, trigger, triggered_by, test_count, timeout_seconds)"
        " SELECT id_at(clock_timestamp(), gen_random_uuid()), '" +
        project.to_string() +
        "', 'command', 'remote', 'filling', 1, 60"
        " FROM generate_series(1, " +
        std::to_string(most) + ")");
  }

  std::int64_t most;
  store::queue_gate gate = make_gate(most);
  store::trigger_batcher here{io, pool, gate}, there{io, pool, make_gate(most)};
  store::run_store executions{pool, gate};
  store::schedule_store schedules{pool, gate};
};

task<> a_moment(asio::io_context& io) {
  steady_timer timer(io, milliseconds(20));
  co_await timer.async_wait(awaiting);
}

/// Repeats until admitted, because a worker may remember a full queue for a moment.
template <class Ask>
void until_let_in(queue& db, Ask const& ask) {
  auto const until = deadline::after(std::chrono::seconds(20));
  auto done = ask();
  while (failure(done) == errc::queue_full && !until.passed()) {
    db.wait(a_moment(db.io));
    done = ask();
  }
  CHECK_FALSE(failure(done));
}

}  // namespace

TEST_CASE("a flood leaves a full queue, exceeded by at most a batch of the instance") {
  queue db(100);
  auto const answers = db.flood(600);
  auto const made = std::ranges::count_if(answers, [](verdict const& v) { return v.has_value(); });
  auto const full = std::ranges::count_if(answers, [](verdict const& v) { return failure(v) == errc::queue_full; });
  CHECK(made >= 100);
  CHECK(made <= 100 + 64);
  CHECK(made + full == 600);
  CHECK(db.queued() == made);
  CHECK(db.audit_rows("job.triggered") == made);
  // Runs of other projects do not wait for that.
  auto const other = db.wait(db.tests.create(db.elsewhere(), {.title = "t", .type = "command"}, db.soon()));
  store::test_execution const theirs{.test = other->id, .triggered_by = "ci"};
  CHECK_FALSE(failure(db.wait(db.executions.execute(db.elsewhere(), theirs, db.soon()))));
}

TEST_CASE("a single worker fills the queue exactly") {
  queue db(70);
  int made = 0;
  for (int i = 0; i < 80; ++i) made += db.plain().has_value() ? 1 : 0;
  CHECK(made == 70);
  db.as_owner(
      "UPDATE runs SET status = 'cancelled', completed_at = now() WHERE id = (SELECT min(id::text)::uuid FROM runs)");
  until_let_in(db, [&] { return db.plain(); });
  CHECK(failure(db.plain()) == errc::queue_full);
  CHECK(db.queued() == 70);
}

TEST_CASE("in a full queue replays, joins and requeued runs pass; refused triggers leave nothing") {
  queue db(5);
  auto const first = db.trigger(db.keyed("k"));
  auto const waiting = db.trigger(db.joining("d"));
  REQUIRE((first && waiting));
  uuid const test = db.make_test("alone").id;
  store::test_execution alone{
      .test = test, .triggered_by = "ci", .idempotency_key = "e", .request_hash = std::string(64, '0')};
  REQUIRE(db.wait(db.executions.execute(db.as_ed(), alone, db.soon())).has_value());
  while (db.plain()) {
  }
  CHECK(db.queued() == 5);
  CHECK(failure(db.trigger(db.keyed("new"))) == errc::queue_full);
  CHECK(failure(db.trigger(db.joining("d2"))) == errc::queue_full);
  auto const again = db.trigger(db.keyed("k"));
  REQUIRE(again.has_value());
  CHECK(again->origin == store::run_origin::replayed);
  auto const joined = db.trigger(db.joining("d"));
  REQUIRE(joined.has_value());
  CHECK(joined->origin == store::run_origin::joined);
  auto const executed = db.wait(db.executions.execute(db.as_ed(), alone, db.soon()));
  CHECK((executed && executed->replayed));
  CHECK(failure(db.wait(db.executions.execute(db.as_ed(), {.test = test, .triggered_by = "ci"}, db.soon()))) ==
        errc::queue_full);
  CHECK(failure(db.trigger({.job = uuid::generate_v7(), .triggered_by = "ci"})) == errc::not_found);

  // The attempt of a lost runner is queued again, however full the queue is.
  db.as_owner(
      "UPDATE runs SET status = 'running', claim_id = gen_random_uuid(), attempt = 1, started_at = now(),"
      " lease_until = now() - interval '1 minute' WHERE id = '" +
      first->run.to_string() + "'");
  until_let_in(db, [&] { return db.plain(); });
  CHECK(db.queued() == 5);
  store::reaper_store reaper(db.pool);
  CHECK(db.wait(reaper.reap(10, 1, db.soon())).at(0).queued());
  CHECK(db.queued() == 6);
  // A refused trigger has left neither its key nor an audit row.
  db.as_owner("UPDATE runs SET status = 'cancelled', completed_at = now()");
  until_let_in(db, [&] { return db.trigger(db.keyed("new", std::string(64, 'b'))); });
}

TEST_CASE("a schedule that finds the queue full is skipped, and the audit trail says why") {
  queue db(3);
  db.fill();
  db.as_owner("UPDATE jobs SET cron_schedule = '0 0 1 1 *', next_run_at = now() WHERE id = '" + db.id.to_string() +
              "'");
  auto const fired = db.wait(db.schedules.fire(10, db.soon()));
  REQUIRE(fired.size() == 1);
  CHECK(fired[0].skipped == "queue_full");
  CHECK(db.queued() == 3);
  CHECK(db.audit_rows("job.schedule_skipped") == 1);
  db.as_owner("UPDATE runs SET status = 'cancelled', completed_at = now()");
  until_let_in(db, [&]() -> result<bool> {
    db.as_owner("UPDATE jobs SET next_run_at = now() WHERE id = '" + db.id.to_string() + "'");
    auto const next = db.wait(db.schedules.fire(10, db.soon()));
    if (next.at(0).skipped.empty()) return true;
    return errc::queue_full;
  });
  CHECK(db.queued() == 1);
}

TEST_CASE("a queue is counted up to the bound, and never by reading all runs") {
  queue db(2000);
  db.fill();
  db.as_owner(
      "INSERT INTO runs (id, project_id, job_type, trigger, triggered_by, test_count, timeout_seconds, status,"
      " completed_at) SELECT id_at(clock_timestamp(), gen_random_uuid()), project_id, 'command', 'remote', 'x', 1, "
      "60, 'passed', now()"
      " FROM runs, generate_series(1, 5)");
  struct {
    char const* name;
    uuid project;
    std::int64_t most, expected;
  } const cases[] = {
      {"some of many", db.project, 1000, 1000}, {"all", db.project, 5000, 2000}, {"none", db.other_project, 5000, 0}};
  for (auto const& c : cases) {
    CAPTURE(c.name);
    // Earlier scans of this connection may not have been reported yet.
    postgres::query const scans{
        {"queue_test_scans", "SELECT seq_scan FROM pg_stat_xact_user_tables WHERE relname = 'run_queue'"}};
    std::vector<postgres::query> batch{
        scans, {{"queue_test_runs", "SELECT queued_runs($1, $2)"}, postgres::parameters(c.project, c.most)}, scans};
    auto const done = db.wait(db.pool.run(std::move(batch), db.soon())).value();
    CHECK(done[1].front().integer(0) == c.expected);
    CHECK(done[2].front().integer(0) == done[0].front().integer(0));
  }
}
