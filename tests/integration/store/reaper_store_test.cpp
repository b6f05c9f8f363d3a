#include "svc/store/runners/runner_store.hpp"

#include "runner_fixture.hpp"
#include "svc/store/runs/output_store.hpp"

using namespace svc;
using namespace svc::test;

namespace {

struct graveyard : shop {
  uuid const id = make_job("j", {make_test("one").id, make_test("two").id}).id;

  /// A run under its second claim, whose lease has ended.
  uuid lost(std::string const& more = "attempt = 2") {
    uuid const run = make_run(id).run;
    set_queued(run,
               "status = 'running', claim_id = gen_random_uuid(), attempt = 2, started_at = now(),"
               " lease_until = now() - interval '1 second'");
    set_queued(run, more);
    return run;
  }
  void set_queued(uuid run, std::string const& assignments) {
    as_owner("UPDATE run_queue SET " + assignments + " WHERE run_id = '" + run.to_string() + "'");
  }
  std::vector<store::reaped_run> reap(std::int64_t retries = 1, std::int64_t most = 100) {
    return wait(reaper.reap(most, retries, soon()));
  }
  bool is(uuid run, std::string const& condition) {
    auto const name = "is" + std::to_string(std::hash<std::string>()(condition));
    return must({{name, "SELECT coalesce(" + condition + ", false) FROM runs r WHERE id = $1"},
                 postgres::parameters(run)})
        .front()
        .boolean(0);
  }

  store::reaper_store reaper{pool};
};

}  // namespace

TEST_CASE("the fate of a run whose runner does not return") {
  graveyard db;
  std::string const live = "lease_until = now() + interval '30 seconds'";
  std::string const late = "started_at = now() - interval '100 seconds', timeout_seconds = 39";
  struct {
    char const* name;
    std::string mode;
    std::int64_t retries;
    std::string status;  ///< empty: it is not changed
    std::string details;
  } const cases[] = {
      {"alive", live, 1, "", ""},
      {"lost once", "attempt = 2", 1, "queued", ""},
      {"lost twice", "lost_claims = 1", 1, "error", "The runner was lost 2 times: its lease ended without a result."},
      {"lost twice of three", "lost_claims = 1", 2, "queued", ""},
      {"no retries", "attempt = 2", 0, "error", "The runner was lost once: its lease ended without a result."},
      {"to be cancelled", "cancel_requested_at = now()", 1, "cancelled", ""},
      {"to be cancelled, alive", live + ", cancel_requested_at = now()", 1, "", ""},
      {"too long, alive", live + ", " + late, 1, "timed_out", "The run took longer than its 39 seconds."},
      {"too long, lost", late, 1, "timed_out", "The run took longer than its 39 seconds."},
      {"too long, to be cancelled", live + ", " + late + ", cancel_requested_at = now()", 1, "cancelled", ""},
      {"within the grace", live + ", started_at = now() - interval '50 seconds', timeout_seconds = 1", 1, "", ""},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    uuid const run = db.lost(c.mode);
    auto const done = db.reap(c.retries);
    CHECK(done.size() == (c.status.empty() ? 0 : 1));
    if (c.status.empty()) {
      CHECK(db.is(run, "status = 'running' AND claim_id IS NOT NULL"));
      db.set_run(run, "status = 'passed', lease_until = NULL, completed_at = now()");
      continue;
    }
    CHECK(done[0].run == run);
    CHECK(done[0].attempt == 2);
    CHECK(done[0].status == c.status);
    CHECK(done[0].project == db.project);
    CHECK(done[0].organization == db.organization);
    CHECK(db.is(run, "claim_id IS NULL AND lease_until IS NULL"));
    auto const now = db.wait(db.runs.get(db.project, run, db.soon()));
    CHECK(now->status == c.status);
    CHECK(now->error_details.value_or("") == c.details);
    CHECK(now->completed_at.has_value() == !done[0].queued());
    CHECK(now->started_at.has_value() == !done[0].queued());
    CHECK(db.is(run, "EXISTS (SELECT FROM run_output o WHERE o.run_id = r.id)") == !done[0].queued());
    std::string const tests = done[0].queued() ? "queued" : c.status == "cancelled" ? "cancelled" : "skipped";
    CHECK(db.is(run, "tests -> 1 ->> 'status' = '" + tests + "'"));
    CHECK(db.reap(c.retries).empty());
    db.as_owner("DELETE FROM runs");
  }
}

TEST_CASE("runs are reaped in batches, each once") {
  graveyard db;
  for (int i = 0; i < 5; ++i) db.lost();
  CHECK(db.reap(1, 3).size() == 3);
  CHECK(db.reap(1, 3).size() == 2);
  CHECK(db.reap(1, 3).empty());
  CHECK(db.number({{"queued_again", "SELECT count(*) FROM runs WHERE status = 'queued' AND lost_claims = 1"}}) == 5);
}

TEST_CASE("a run that a runner has locked is reaped by a later pass") {
  graveyard db;
  uuid const held = db.lost();
  uuid const free = db.lost();
  postgres::pool other(db.io, {.url = secret_string(db.url()), .size = 1});
  other.start();
  {
    auto work = db.wait(other.begin(db.soon()));
    db.wait(work.run(postgres::query{{"hold", "SELECT FROM run_queue WHERE run_id = $1 FOR UPDATE"},
                                     postgres::parameters(held)}))
        .value();
    auto const done = db.reap();
    REQUIRE(done.size() == 1);
    CHECK(done[0].run == free);
    db.wait(work.commit()).value();
  }
  CHECK(db.reap().size() == 1);
}

TEST_CASE("a reaped runner's late report is refused, and its run is claimed again") {
  machine db;
  store::reaper_store reaper(db.pool);
  db.make_run(db.id);
  auto lose = [&](claimed_run const& run) {
    db.set_run(run.run, "lease_until = clock_timestamp() - interval '1 second'");
    return db.wait(reaper.reap(10, 1, db.soon())).at(0).status;
  };
  auto const first = db.claim().at(0);
  CHECK(lose(first) == "queued");
  CHECK(failure(db.complete(first)) == errc::claim_lost);
  auto const second = db.claim().at(0);
  CHECK(second.attempt == 2);
  CHECK(failure(db.complete(first)) == errc::claim_lost);
  CHECK(lose(second) == "error");
  CHECK(failure(db.complete(second)) == errc::claim_lost);
  CHECK(failure(db.wait(db.runners.extend(db.secret, second.run, second.claim, db.soon()))) == errc::claim_lost);
  CHECK(db.read_run(second.run).status == "error");
}
