// Several connections claim at the same time: what holds for one holds for all of them.
#include "runner_fixture.hpp"

#include <map>

using namespace svc;
using namespace svc::test;

namespace {

/// Claims and completes until nothing is left.
task<> work(machine& db, std::int64_t most, std::map<uuid, int>& claimed, std::size_t all) {
  while (claimed.size() < all) {
    auto got = co_await db.runners.claim(db.secret, {db.self, {"command"}, most}, db.soon());
    for (auto const& run : got.value().runs) {
      ++claimed[run.run];
      auto const done = co_await db.runners.complete(db.secret, {run.run, run.claim, "passed"}, db.soon());
      CHECK(done->now);
    }
  }
}

TEST_CASE("1 000 runs claimed by eight at once: each exactly once, none twice, none left") {
  machine db;
  constexpr int all = 1000;
  db.make_runs(db.id, all);
  std::map<uuid, int> claimed;
  std::vector<task<>> workers;
  for (int i = 0; i < 8; ++i) workers.push_back(work(db, i % 2 == 0 ? 1 : 25, claimed, all));
  all_at_once(db.io, std::move(workers));
  CHECK(claimed.size() == all);
  for (auto const& [run, times] : claimed) CHECK(times == 1);
  CHECK(db.count("status = 'passed' AND attempt = 1") == all);
  CHECK(db.number({{"all_due", "SELECT count(*) FROM run_output"}}) == all);
}

/// Claims, counts the running runs of the job at that moment, and completes.
task<> work_within(machine& db, uuid job, std::int64_t most, std::int64_t limit, std::int64_t& done,
                   std::int64_t all) {
  postgres::statement const running{"count_running",
                                    "SELECT count(*) FROM runs WHERE job_id = $1 AND status = 'running'"};
  while (done < all) {
    auto got = co_await db.runners.claim(db.secret, {db.self, {"command"}, most}, db.soon());
    postgres::query count{running, postgres::parameters(job)};
    auto const seen = co_await db.pool.run(std::move(count), db.soon());
    CHECK(seen.value().front().integer(0) <= limit);
    for (auto const& run : got.value().runs) {
      auto const freed = co_await db.runners.complete(db.secret, {run.run, run.claim, "passed"}, db.soon());
      // Another run of the job fits now.
      CHECK(freed->work.has_value());
      ++done;
    }
  }
}

TEST_CASE("maxConcurrentRuns is never exceeded, however many are claimed at once") {
  machine db;
  constexpr std::int64_t limit = 3, all = 200;
  db.as_owner("UPDATE jobs SET max_concurrent_runs = 3 WHERE id = '" + db.id.to_string() + "'");
  db.make_runs(db.id, all);
  std::int64_t done = 0;
  std::vector<task<>> workers;
  for (int i = 0; i < 8; ++i) workers.push_back(work_within(db, db.id, i % 2 == 0 ? 1 : 10, limit, done, all));
  all_at_once(db.io, std::move(workers));
  CHECK(done == all);
  CHECK(db.count("status = 'passed' AND attempt = 1") == all);
}

TEST_CASE("a limited job that is full delays no other job, and its limit can be set and removed") {
  machine db;
  auto const full = db.make_job("full", {db.make_test("f").id}).id;
  auto const limit_to = [&](std::string const& limit) {
    db.as_owner("UPDATE jobs SET max_concurrent_runs = " + limit + " WHERE id = '" + full.to_string() + "'");
  };
  limit_to("1");
  for (int i = 0; i < 3; ++i) db.make_run(full);
  auto const other = db.make_run(db.id).run;
  auto const got = db.claim(10);
  REQUIRE(got.size() == 2);
  CHECK(got[0].job == full);
  CHECK(got[1].run == other);
  CHECK(db.claim(10).empty());
  CHECK(db.count("limited") == 3);
  limit_to("2");
  CHECK(db.claim(10).size() == 1);
  CHECK(db.claim(10).empty());
  limit_to("NULL");
  CHECK(db.count("limited") == 0);
  CHECK(db.claim(10).size() == 1);
  // A run that is handed back follows its job's current settings.
  limit_to("1");
  CHECK(db.count("limited") == 3);
  CHECK(db.wait(db.runners.release(db.secret, got[0].run, got[0].claim, db.soon()))->queued);
  CHECK(db.claim(10).empty());
}

TEST_CASE("a claim locks about a hundred limited jobs, however many wait, and full ones keep no free one waiting") {
  machine db;
  // The oldest 300 are full, and 300 more have a free slot.
  db.as_owner(
      "INSERT INTO jobs (id, project_id, name, job_type, max_concurrent_runs, created_by)"
      " SELECT gen_random_uuid(), j.project_id, 'limited ' || n, j.job_type, 1, j.created_by"
      " FROM jobs j, generate_series(1, 600) n WHERE j.id = '" +
      db.id.to_string() + "'");
  db.as_owner(
      "INSERT INTO runs (id, project_id, job_id, job_name, job_type, trigger, triggered_by, test_count, "
      "timeout_seconds)"
      " SELECT id_at(clock_timestamp(), gen_random_uuid()), project_id, id, name, job_type, 'remote', 'ci', 1, 60"
      " FROM jobs CROSS JOIN generate_series(1, 2) WHERE name LIKE 'limited %'");
  db.as_owner(
      "WITH first AS (SELECT DISTINCT ON (q.job_id) q.run_id FROM run_queue q JOIN jobs j ON j.id = q.job_id"
      " WHERE substring(j.name FROM 'limited (.*)')::int <= 300 ORDER BY q.job_id, q.run_id)"
      " UPDATE run_queue SET status = 'running', claim_id = gen_random_uuid(), attempt = 1, started_at = now(),"
      " lease_until = now() + interval '1 hour' WHERE run_id IN (SELECT run_id FROM first);"
      "UPDATE run_queue q SET queued_at = queued_at - interval '1 hour' FROM jobs j WHERE j.id = q.job_id"
      " AND substring(j.name FROM 'limited (.*)')::int <= 300; ANALYZE run_queue, jobs");
  postgres::pool pool(db.io, {.url = secret_string(db.url()), .size = 1});
  pool.start();
  store::runner_store runners(pool, db.master, std::chrono::seconds(30));
  CHECK(db.wait(runners.claim(db.secret, {db.self, {"command"}, 1}, db.soon()))->runs.size() == 1);
  auto const locked =
      db.wait(pool.run(postgres::query{{"locks", "EXECUTE runner_lock_jobs('\\x" + to_hex(byte_view(db.secret)) +
                                                     "', '{command}', '" + db.self.to_string() + "', 0, 10)"}},
                       db.soon()));
  auto const jobs = std::string(locked.value().front().text(0));
  CHECK(std::ranges::count(jobs, ',') + 1 == 110);

  std::size_t claimed = 1;
  for (std::size_t before = 0; claimed > before;) {
    before = claimed;
    claimed += db.claim(100).size();
  }
  CHECK(claimed == 300);
  CHECK(db.number({{"most",
                    "SELECT max(n) FROM (SELECT count(*) AS n FROM run_queue WHERE status = 'running' AND limited"
                    " GROUP BY job_id) each"}}) == 1);
}

TEST_CASE("one of two concurrent completes ends the run, and the other gets the same answer") {
  machine db;
  db.make_run(db.id);
  auto const held = db.claim().front();
  int now = 0, again = 0;
  auto entry = [](machine& machine, claimed_run run, int& first, int& second) -> task<> {
    auto const done =
        co_await machine.runners.complete(machine.secret, {run.run, run.claim, "passed"}, machine.soon());
    ++(done.value().now ? first : second);
  };
  std::vector<task<>> both;
  for (int i = 0; i < 8; ++i) both.push_back(entry(db, held, now, again));
  all_at_once(db.io, std::move(both));
  CHECK(now == 1);
  CHECK(again == 7);
}

}  // namespace
