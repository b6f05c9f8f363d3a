// Ends of runs and the alerts of their jobs: each run counts once, regardless of what ends it and which instance
// counts.
#include "svc/store/runs/run_alert_store.hpp"

#include "runner_fixture.hpp"
#include "support/comes_true.hpp"
#include "support/together.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/store/runs/queue_store.hpp"

#include <atomic>

using namespace svc;
using namespace svc::test;

namespace {

/// A machine whose jobs have alerts.
struct alarm_shop : machine {
  uuid make_hook(std::string const& label, bool enabled = true) {
    store::provider_settings const set{label, "webhook", enabled, R"({"url":"https://a.test/","method":"POST"})"};
    return wait(providers.create(as_ed(), set, soon()))->id;
  }
  std::string config_of(std::vector<uuid> const& ids, std::string const& more) const {
    std::string list;
    for (auto const& each : ids) list += (list.empty() ? "\"" : ",\"") + each.to_string() + "\"";
    return R"({"enabled":true,"notificationProviders":[)" + list + "]" + (more.empty() ? "" : "," + more) + "}";
  }
  /// Makes a job with alerts for these providers. `more`: further members of its `alertConfig`.
  uuid make_alarmed(std::vector<uuid> const& ids, std::string const& more = {}, std::string label = "j") {
    job_settings set{.name = std::move(label), .job_type = "command", .tests = {script}};
    set.alert_config = config_of(ids, more);
    set.alert_providers = ids;
    auto const made = wait(jobs.create(as_ed(), ed, std::move(set), soon()));
    REQUIRE(made.has_value());
    return made->id;
  }
  void edit(uuid job, std::optional<std::string> alert_config) {
    auto const change = [&](svc::job const& now) {
      auto set = now.set;
      set.alert_config = alert_config;
      return result<job_settings>(std::move(set));
    };
    REQUIRE(wait(jobs.update(as_ed(), job, change, soon())).has_value());
  }
  claimed_run begin(uuid job) {
    make_runs(job, 1);
    auto const got = claim();
    REQUIRE(got.size() == 1);
    return got.front();
  }
  /// Makes a run for which a runner reports this status.
  uuid ends(uuid job, std::string const& status = "failed") {
    auto const run = begin(job);
    REQUIRE(complete(run, status).has_value());
    return run.run;
  }
  void ends_as(uuid job, std::vector<std::string> const& statuses) {
    for (auto const& each : statuses) ends(job, each);
  }
  store::run_alert_store::taken_alerts evaluate(std::int64_t most_jobs = 50, std::int64_t runs_of_job = 20) {
    return wait(reported.evaluate(most_jobs, runs_of_job, soon()));
  }
  std::string words(std::string const& sql) {
    auto const found = must({{"words_" + std::to_string(std::hash<std::string>()(sql)), sql}, {}});
    std::string out;
    for (int i = 0; i < found.size(); ++i) out += (out.empty() ? "" : " ") + std::string(found[i].text(0));
    return out;
  }
  std::string alerts() {
    return words(
        "SELECT substr(type, 5) || '>' || provider_name || CASE status WHEN 'suppressed' THEN '!' ELSE '' END"
        " FROM alerts ORDER BY created_at, provider_name");
  }
  std::string due() { return words("SELECT count(*)::text FROM run_alerts_due"); }

  store::run_alert_store reported{pool};
  uuid script = make_test("script").id;
};

}  // namespace

TEST_CASE("whatever ends a run, its end counts once, and a cancelled one does not") {
  alarm_shop db;
  auto const hook = db.make_hook("a");
  auto const lost = [&](std::string const& mode) {
    return [&db, mode](uuid job) {
      auto const run = db.begin(job);
      db.as_owner("UPDATE run_queue SET lease_until = now() - interval '1 s', " + mode + " WHERE run_id = '" +
                  run.run.to_string() + "'");
      REQUIRE(db.wait(store::reaper_store(db.pool).reap(10, 0, db.soon())).size() == 1);
    };
  };
  auto const reported = [&](std::string const& status) { return [&db, status](uuid job) { db.ends(job, status); }; };
  struct {
    char const* name;
    std::function<void(uuid)> end;
    char const* reported;  ///< type and reason
  } const cases[] = {
      {"failed", reported("failed"), "job_failed"},
      {"error", reported("error"), "job_failed"},
      {"timed out", reported("timed_out"), "job_timeout"},
      {"passed", reported("passed"), "job_success"},
      {"cancelled by the runner", reported("cancelled"), ""},
      {"a lost runner", lost("attempt = 1"),
       "job_failed The runner was lost once: its lease ended without a result."},
      {"too long", lost("started_at = now() - interval '1 hour', timeout_seconds = 9"),
       "job_timeout The run took longer than its 9 seconds."},
      {"cancelled, lost", lost("cancel_requested_at = now()"), ""},
      {"cancelled in the queue",
       [&](uuid job) {
         auto const run = db.make_run(job).run;
         REQUIRE(db.wait(db.runs.cancel(db.as_ed(), run, db.soon())).has_value());
       },
       ""},
      {"cancelled, then released",
       [&](uuid job) {
         auto const run = db.begin(job);
         REQUIRE(db.wait(db.runs.cancel(db.as_ed(), run.run, db.soon())).has_value());
         REQUIRE(db.wait(db.runners.release(db.secret, run.run, run.claim, db.soon())).has_value());
       },
       ""},
      {"released",
       [&](uuid job) {
         auto const run = db.begin(job);
         REQUIRE(db.wait(db.runners.release(db.secret, run.run, run.claim, db.soon())).has_value());
         REQUIRE(db.wait(db.runs.cancel(db.as_ed(), run.run, db.soon())).has_value());
       },
       ""},
      {"ended by the operator",
       [&](uuid job) {
         db.make_run(job);
         store::queue_store queue(db.pool);
         auto const ended = db.wait(queue.end({system_now().micros + 1'000'000}, "no runner", 10, db.soon()));
         REQUIRE(ended.size() == 1);
         CHECK(ended[0].project == db.project);
         CHECK(ended[0].job == job);
       },
       "job_failed no runner"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const job = db.make_alarmed({hook}, R"("alertOnSuccess":true,"alertOnRecovery":true)");
    c.end(job);
    CHECK(db.due() == (*c.reported == '\0' ? "0" : "1"));
    CHECK(db.evaluate().runs == (*c.reported == '\0' ? 0 : 1));
    CHECK(db.evaluate().runs == 0);
    CHECK(db.due() == "0");
    CHECK(db.words("SELECT concat_ws(' ', type, error_message) FROM alerts WHERE target_id = '" + job.to_string() +
                   "'") == c.reported);
  }
  // A job without alerts, and a test that ran without a job, cause no alerts.
  auto const silent = db.make_job("silent", {db.script}).id;
  db.ends(silent);
  REQUIRE(db.wait(db.runs.execute(db.as_ed(), {.test = db.script, .triggered_by = "ed"}, db.soon())).has_value());
  REQUIRE(db.complete(db.claim().front(), "failed").has_value());
  CHECK(db.due() == "0");
}

TEST_CASE("a job's runs count in the order of their ends, in one evaluation or several") {
  std::vector<std::string> const ends{"failed", "error", "timed_out", "cancelled", "failed", "passed", "passed"};
  std::string const reported = "timeout>a failed>a recovered>a success>a";
  for (bool const at_once : {true, false}) {
    CAPTURE(at_once);
    alarm_shop db;
    auto const job =
        db.make_alarmed({db.make_hook("a")}, R"("failureThreshold":4,"recoveryThreshold":2,"alertOnSuccess":true,)"
                                             R"("alertOnRecovery":true,"customMessage":"See the book.")");
    for (auto const& each : ends) {
      db.ends(job, each);
      if (!at_once) db.evaluate();
    }
    if (at_once) CHECK(db.evaluate().runs == 6);
    CHECK(db.alerts() == reported);
    CHECK(db.words("SELECT failures || ' ' || passes || ' ' || cardinality(told) FROM job_streaks") == "0 2 0");
    CHECK(db.words("SELECT DISTINCT concat_ws(' ', target_type, target_name, status, number) FROM alerts") ==
          "job j pending 0");
  }
}

TEST_CASE("a streak begins when a job's alerts are enabled, and ends with them or the job") {
  alarm_shop db;
  auto const hook = db.make_hook("a");
  std::string const thrice = R"("failureThreshold":3)";
  auto const job = db.make_alarmed({hook}, thrice);
  db.ends_as(job, {"failed", "failed"});
  db.evaluate();
  // Edits that leave the alerts enabled keep the streak.
  db.edit(job, db.config_of({hook}, thrice + R"(,"customMessage":"x")"));
  CHECK(db.words("SELECT failures::text FROM job_streaks") == "2");
  db.edit(job, std::nullopt);
  db.ends_as(job, {"failed"});
  CHECK(db.due() == "0");
  db.edit(job, db.config_of({hook}, thrice));
  db.ends_as(job, {"failed", "failed"});
  db.evaluate();
  CHECK(db.alerts().empty());
  db.ends_as(job, {"failed"});
  db.evaluate();
  CHECK(db.alerts() == "failed>a");

  // Runs that wait when the alerts or the job end cause no alerts, and do not stay in the table.
  db.ends_as(job, {"failed", "passed"});
  db.edit(job, std::nullopt);
  CHECK(db.due() == "2");
  CHECK(db.evaluate().runs == 2);
  auto const other = db.make_alarmed({hook});
  db.ends(other);
  auto const running = db.begin(other);
  REQUIRE(db.wait(db.jobs.remove(db.as_ed(), other, db.soon())).outcome.has_value());
  REQUIRE(db.complete(running, "failed").has_value());
  CHECK(db.due() == "1");
  CHECK(db.evaluate().runs == 1);
  CHECK(db.due() == "0");
  CHECK(db.words("SELECT count(*)::text FROM job_streaks") == "0");
  CHECK(db.alerts() == "failed>a");
}

TEST_CASE("notified providers of a job: disabled and deleted ones, and those notified before an edit") {
  alarm_shop db;
  auto const a = db.make_hook("a"), off = db.make_hook("off", false), gone = db.make_hook("gone");
  auto const job = db.make_alarmed({a, off, gone}, R"("alertOnRecovery":true)");
  REQUIRE(db.wait(db.providers.remove(db.as_ed(), gone, db.soon())).has_value());
  auto const run = db.ends(job);
  db.evaluate();
  CHECK(db.alerts() == "failed>a failed>off!");
  CHECK(db.words("SELECT DISTINCT about::text FROM alerts") == run.to_string());
  // The recovery goes to the notified provider, not to the one that was added later.
  db.edit(job, db.config_of({db.make_hook("b")}, R"("alertOnRecovery":true)"));
  // A run that retention deleted meanwhile still counts.
  auto const passed = db.ends(job, "passed");
  REQUIRE(db.wait(db.runs.remove(db.as_ed(), passed, db.soon())).has_value());
  db.evaluate();
  CHECK(db.alerts() == "failed>a failed>off! recovered>a");
}

TEST_CASE("a job with many ended runs keeps others waiting for one share of them only") {
  alarm_shop db;
  auto const hook = db.make_hook("a");
  auto const busy = db.make_alarmed({hook}, {}, "busy"), other = db.make_alarmed({hook}, {}, "other");
  db.as_owner("INSERT INTO run_alerts_due (job_id, run_id, status) SELECT '" + busy.to_string() +
              "', gen_random_uuid(), 'failed' FROM generate_series(1, 10000)");
  db.ends(other);
  // Two jobs are counted at a time; if it is one, the jobs take turns.
  CHECK(db.evaluate().runs == 21);
  CHECK(db.words("SELECT count(*)::text FROM alerts WHERE target_name = 'other'") == "1");
  CHECK(db.evaluate(1, 20).more);
  int rounds = 0;
  while (db.evaluate(50, 500).more) REQUIRE(++rounds < 30);
  CHECK(db.due() == "0");
  CHECK(
      db.words("SELECT count(*) || ' ' || count(DISTINCT about) || ' ' || count(DISTINCT created_at) FROM alerts") ==
      "10001 10001 10001");
}

TEST_CASE("several instances count the runs of the same jobs once each, and in order") {
  alarm_shop db;
  auto const hook = db.make_hook("a");
  std::string const thrice = R"("failureThreshold":3,"alertOnRecovery":true)";
  constexpr int jobs = 8, rounds = 12;
  std::vector<uuid> all;
  for (int i = 0; i < jobs; ++i) all.push_back(db.make_alarmed({hook}, thrice, "job " + std::to_string(i)));
  // Each job repeats f f f p: one failure and one recovery in four runs.
  std::atomic<bool> ended = false;
  std::atomic<int> failed = 0;
  together(4, [&](int i) {
    asio::io_context io{1};
    postgres::pool pool(io, {.url = secret_string(db.url())});
    pool.start();
    if (i == 0) {
      for (int n = 0; n < 4 * rounds; ++n) {
        std::string rows;
        for (auto const& each : all) rows += (rows.empty() ? "('" : ", ('") + each.to_string() + "'::uuid)";
        db.as_owner("INSERT INTO run_alerts_due (job_id, run_id, status) SELECT j, gen_random_uuid(), '" +
                    std::string(n % 4 == 3 ? "passed" : "failed") + "' FROM (VALUES " + rows + ") w(j)");
      }
      ended = true;
    } else {
      store::run_alert_store mine(pool);
      for (bool last = false; !last;) {
        last = ended;
        try {
          while (run_task(io, mine.evaluate(3, 5, db.soon())).more) {
          }
        } catch (std::exception const&) {
          ++failed;
        }
      }
    }
    pool.stop();
  });
  while (db.evaluate().more) {
  }
  CHECK(failed == 0);
  CHECK(db.due() == "0");
  CHECK(db.words("SELECT DISTINCT failures || ' ' || passes FROM job_streaks") == "0 1");
  CHECK(db.words("SELECT type || ' ' || count(*) || ' ' || count(DISTINCT about) FROM alerts GROUP BY type"
                 " ORDER BY type") == "job_failed 96 96 job_recovered 96 96");
  // The alerts of each job alternate.
  CHECK(
      db.words("SELECT count(*)::text FROM (SELECT type, lag(type) OVER (PARTITION BY target_id ORDER BY created_at)"
               " AS before FROM alerts) a WHERE type = before") == "0");
}

TEST_CASE("an evaluation that dies before or after its COMMIT reports nothing twice and omits nothing") {
  for (auto const* point : {"run_alerts.before_commit", "run_alerts.after_commit"}) {
    CAPTURE(point);
    alarm_shop db;
    db.ends(db.make_alarmed({db.make_hook("a")}));
    REQUIRE(failpoint::configure(std::string(point) + "=throw*1"));
    CHECK_THROWS_AS(db.evaluate(), unavailable);
    bool const committed = std::string(point) == "run_alerts.after_commit";
    CHECK(db.due() == (committed ? "0" : "1"));
    CHECK(db.alerts() == (committed ? "failed>a" : ""));
    // Other instances skip the rows of the dead transaction until the server has ended it.
    CHECK(comes_true(
        [&] {
          db.evaluate();
          return db.due() == "0";
        },
        std::chrono::seconds(20)));
    CHECK(db.alerts() == "failed>a");
    CHECK(db.words("SELECT failures::text FROM job_streaks") == "1");
  }
}

TEST_CASE("runs of a job end, and are triggered, while its alerts are being written") {
  alarm_shop db;
  auto const job = db.make_alarmed({db.make_hook("a")});
  auto const before = steady::now();
  db.ends(job);
  // This time exceeds the duration of the same work here without locks.
  auto const held = 1500 + 2 * std::chrono::duration_cast<milliseconds>(steady::now() - before).count();
  postgres::pool other(db.io, {.url = secret_string(db.url())});
  other.start();
  auto const evaluating = [&]() -> task<> { co_await store::run_alert_store(other).evaluate(50, 20, db.soon()); };
  REQUIRE(failpoint::configure("run_alerts.before_commit=delay:" + std::to_string(held) + "*1"));
  bool done = false;
  asio::co_spawn(db.io, evaluating(), [&](std::exception_ptr failed) {
    done = true;
    if (failed) std::rethrow_exception(failed);
  });
  // The transaction waits and holds its locks. Trying these locks would hold them, and the transaction would skip
  // them.
  REQUIRE(comes_true(
      [&] {
        return db.words(
                   "SELECT count(DISTINCT pid)::text FROM pg_stat_activity a JOIN pg_locks l USING (pid)"
                   " WHERE a.state = 'idle in transaction' AND l.relation = 'job_streaks'::regclass") == "1";
      },
      std::chrono::seconds(20)));
  db.ends(job);
  CHECK(db.ask({.job = job, .triggered_by = "ci"}).has_value());
  CHECK_FALSE(done);
  // Another instance skips the job.
  CHECK(db.evaluate().runs == 0);
  CHECK_FALSE(done);
  // Only the statement that ends the streak waits for it.
  db.edit(job, std::nullopt);
  db.io.restart();
  while (!done && db.io.run_one() > 0) {
  }
  // The second run causes an alert, or it was too late and waits. A run that waits without a streak causes no alert.
  CHECK(db.words("SELECT ((SELECT count(*) FROM alerts) + (SELECT count(*) FROM run_alerts_due))::text") == "2");
  other.stop();
}
