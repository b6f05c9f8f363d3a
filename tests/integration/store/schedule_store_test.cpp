#include "svc/store/jobs/job_store.hpp"

#include "shop.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <cstring>
#include <memory>

using namespace svc;
using namespace svc::test;

namespace {

/// A schedule that comes once a year, so that the due time set by a test is the only one.
constexpr char const* yearly = "0 0 1 1 *";

struct planned : shop {
  planned() { as_owner("UPDATE jobs SET next_run_at = NULL"); }

  uuid scheduled(std::string const& label, std::string const& more = "", std::vector<uuid> ids = {},
                 std::string const& parameters = "[]") {
    auto const made = make_job(label, std::move(ids), parameters);
    as_owner("UPDATE jobs SET cron_schedule = '" + std::string(yearly) +
             "', next_run_at = now() - interval '1 second' WHERE id = '" + made.id.to_string() + "'");
    if (!more.empty()) as_owner("UPDATE jobs SET " + more + " WHERE id = '" + made.id.to_string() + "'");
    return made.id;
  }
  std::vector<store::fired_schedule> fire(std::int64_t most = 100) { return wait(schedules.fire(most, soon())); }
  std::string value(std::string const& sql) {
    auto const name = "value" + std::to_string(std::hash<std::string>()(sql));
    auto const found = must({{name, "SELECT (" + sql + ")::text"}});
    return std::string(found.front().maybe_text(0).value_or("null"));
  }

  store::schedule_store schedules{pool};
};

task<> keep_firing(postgres::pool& pool, int& fired, int& working) {
  store::schedule_store schedules(pool);
  for (;;) {
    auto const done = co_await schedules.fire(7, migrated_database::soon());
    fired += static_cast<int>(done.size());
    if (done.empty()) break;
  }
  --working;
}

task<> until_done(asio::io_context& io, int& working) {
  steady_timer pause(io);
  while (working > 0) {
    pause.expires_after(milliseconds(2));
    co_await pause.async_wait(awaiting);
  }
}

}  // namespace

TEST_CASE("100 schedules that are due at once make 100 runs, however many instances fire them") {
  planned db;
  uuid const test = db.make_test("t").id;
  db.as_owner(
      "INSERT INTO jobs (id, project_id, name, job_type, created_by, cron_schedule, next_run_at)"
      " SELECT gen_random_uuid(), '" +
      db.project.to_string() + "', 'j' || i, 'command', '" + db.ada.to_string() + "', '" + yearly +
      "', date_trunc('minute', now()) FROM generate_series(1, 100) i;"
      "INSERT INTO job_tests (project_id, job_id, test_id, position) SELECT project_id, id, '" +
      test.to_string() + "', 0 FROM jobs WHERE cron_schedule IS NOT NULL");
  std::vector<std::unique_ptr<postgres::pool>> instances;
  int fired = 0, working = 3;
  for (int i = 0; i < working; ++i) {
    instances.push_back(
        std::make_unique<postgres::pool>(db.io, postgres::settings{.url = secret_string(db.url()), .size = 1}));
    instances.back()->start();
  }
  for (auto& pool : instances) asio::co_spawn(db.io, keep_firing(*pool, fired, working), asio::detached);
  db.wait(until_done(db.io, working));
  // A call that found a job locked by another one stopped early: the rest is taken now.
  fired += static_cast<int>(db.fire().size());
  CHECK(fired == 100);
  CHECK(db.value("SELECT count(*) || ' ' || count(DISTINCT job_id) FROM runs WHERE trigger = 'schedule'") ==
        "100 100");
  CHECK(db.audit_rows("job.triggered") == 100);
  CHECK(db.value("SELECT count(*) FROM jobs WHERE next_run_at > now()") == "100");
}

TEST_CASE("looking for due schedules when there are none is one statement") {
  planned db;
  auto const later = db.scheduled("later", "next_run_at = now() + interval '1 hour'");
  auto const before = db.pool.stats();
  CHECK(db.fire().empty());
  CHECK(db.pool.stats().queries - before.queries == 1);
  db.as_owner("UPDATE jobs SET next_run_at = now() WHERE id = '" + later.to_string() + "'");
  CHECK(db.fire().size() == 1);
}

TEST_CASE("a scheduled run is made of the job's tests and defaults") {
  planned db;
  uuid const test = db.make_test("smoke").id;
  uuid const job = db.scheduled("nightly", "timeout_seconds = 77", {test},
                                R"([{"name":"A","required":true,"default":"1"},{"name":"B","required":false}])");
  auto const done = db.fire();
  REQUIRE(done.size() == 1);
  CHECK(done[0].job == job);
  CHECK(done[0].skipped.empty());
  CHECK(done[0].project == db.project);
  CHECK(done[0].organization == db.organization);
  CHECK(done[0].job_type == "command");
  CHECK(done[0].late >= milliseconds(900));
  auto const run = db.wait(db.runs.get(db.project, done[0].run, db.soon()));
  REQUIRE(run.has_value());
  CHECK(run->status == "queued");
  CHECK(run->trigger == "schedule");
  CHECK(run->triggered_by == "schedule");
  CHECK(run->job_name == "nightly");
  CHECK(run->parameters == R"({"A": "1"})");
  CHECK(run->test_count == 1);
  CHECK(run->tests.find("smoke") != std::string::npos);
  CHECK(db.value("SELECT timeout_seconds FROM runs") == "77");
  CHECK(db.value("SELECT actor_name || ' ' || (details ->> 'run') FROM audit_log WHERE action = 'job.triggered'") ==
        "schedule " + done[0].run.to_string());
}

TEST_CASE("missed times are made up for by one run") {
  planned db;
  uuid const job = db.scheduled("often", "cron_schedule = '* * * * *', next_run_at = now() - interval '3 days'",
                                {db.make_test("t").id});
  auto const done = db.fire();
  REQUIRE(done.size() == 1);
  CHECK(done[0].late > std::chrono::hours(71));
  CHECK(db.value("SELECT count(*) FROM runs WHERE job_id = '" + job.to_string() + "'") == "1");
  CHECK(db.value("SELECT next_run_at > date_trunc('minute', r.queued_at)"
                 " AND next_run_at <= r.queued_at + interval '1 minute'"
                 " FROM jobs JOIN runs r ON r.job_id = jobs.id") == "true");
}

TEST_CASE("a job that cannot run is skipped, with an audit row that says why, and stays scheduled") {
  planned db;
  uuid const test = db.make_test("t").id;
  struct {
    char const* label;
    std::string more;
    std::vector<uuid> tests;
    char const* parameters;
    std::string active;  ///< statuses of the job's existing runs
    std::string skipped;
  } const cases[] = {
      {"good", "", {test}, "[]", "", ""},
      {"no tests", "", {}, "[]", "", "job_has_no_tests"},
      {"required", "", {test}, R"([{"name":"A","required":true}])", "", "parameters_missing"},
      {"room for one", "max_concurrent_runs = 3", {test}, "[]", "queued running", ""},
      {"full", "max_concurrent_runs = 2", {test}, "[]", "queued running", "max_concurrent_runs"},
      {"full of old ones", "max_concurrent_runs = 1", {test}, "[]", "failed", ""},
  };
  for (auto const& c : cases) {
    CAPTURE(c.label);
    uuid const job = db.scheduled(c.label, c.more, c.tests, c.parameters);
    for (auto const* state :
         {"status = 'queued'", "status = 'running', claim_id = gen_random_uuid(), lease_until = clock_timestamp()",
          "status = 'failed', completed_at = now()"}) {
      std::string const status(state + 10, std::strchr(state + 10, '\''));
      if (c.active.find(status) != std::string::npos) db.set_run(db.make_run(job).run, state);
    }
    auto const before = db.audit_rows("job.schedule_skipped");
    auto const done = db.fire();
    REQUIRE(done.size() == 1);
    CHECK(done[0].skipped == c.skipped);
    CHECK_FALSE(done[0].last);
    CHECK(db.audit_rows("job.schedule_skipped") == before + (c.skipped.empty() ? 0 : 1));
    std::string const of_job = "job_id = '" + job.to_string() + "' AND trigger = 'schedule'";
    CHECK(db.value("SELECT count(*) FROM runs WHERE " + of_job) == (c.skipped.empty() ? "1" : "0"));
    CHECK(db.value("SELECT next_run_at > now() FROM jobs WHERE id = '" + job.to_string() + "'") == "true");
    if (c.skipped.empty()) continue;
    CHECK(db.value("SELECT details ->> 'reason' FROM audit_log WHERE action = 'job.schedule_skipped'"
                   " AND resource_id = '" +
                   job.to_string() + "'") == c.skipped);
  }
}

TEST_CASE(
    "a zone that is no longer known ends one schedule, not the others; once known again, the schedule continues") {
  planned db;
  uuid const test = db.make_test("t").id;
  uuid const lost = db.scheduled("lost", "time_zone = 'Mars/Olympus'", {test});
  db.scheduled("other", "", {test});
  auto const done = db.fire();
  REQUIRE(done.size() == 2);
  for (auto const& schedule : done) {
    CHECK(schedule.skipped.empty());
    CHECK(schedule.last == (schedule.job == lost));
  }
  std::string const next = "SELECT next_run_at IS NULL FROM jobs WHERE id = '" + lost.to_string() + "'";
  CHECK(db.value(next) == "true");
  CHECK(db.fire().empty());
  CHECK(db.wait(db.schedules.mend({}, 10, db.soon())).given == 0);
  db.as_owner("UPDATE jobs SET time_zone = 'Europe/Berlin' WHERE name = 'lost'");
  auto const first = db.wait(db.schedules.mend({}, 1, db.soon()));
  CHECK(first.given == 1);
  REQUIRE(first.after.has_value());
  CHECK_FALSE(db.wait(db.schedules.mend(first.after, 1, db.soon())).after.has_value());
  CHECK(db.value(next) == "false");
}

TEST_CASE("schedules of an archived project pause until it is restored") {
  planned db;
  db.scheduled("resting", "", {db.make_test("t").id});
  std::string const project = " WHERE id = '" + db.project.to_string() + "'";
  db.as_owner("UPDATE projects SET archived_at = now()" + project);
  auto const done = db.fire();
  REQUIRE(done.size() == 1);
  CHECK(done[0].skipped == "project_archived");
  CHECK(db.value("SELECT count(*) FROM runs") == "0");
  CHECK(db.audit_rows("job.schedule_skipped") == 0);
  CHECK(db.fire().empty());
  CHECK(db.wait(db.schedules.mend({}, 10, db.soon())).given == 0);
  db.as_owner("UPDATE projects SET archived_at = NULL" + project);
  CHECK(db.wait(db.schedules.mend({}, 10, db.soon())).given == 1);
  CHECK(db.value("SELECT next_run_at > now() FROM jobs WHERE name = 'resting'") == "true");
}

TEST_CASE("a due time survives a change of the job that does not touch its schedule") {
  planned db;
  uuid const job = db.scheduled("nightly", "", {db.make_test("t").id});
  auto change = [&](auto context) {
    auto const edit = [context](svc::job const& now) {
      job_settings set = now.set;
      context(set);
      return result<job_settings>(set);
    };
    return *db.wait(db.jobs.update(db.as_ed(), job, edit, db.soon()));
  };
  auto const renamed = change([](job_settings& s) { s.name = "daily"; });
  CHECK(renamed.next_run_at < renamed.updated_at);
  auto const moved = change([](job_settings& s) { s.time_zone = "Asia/Tokyo"; });
  CHECK(moved.next_run_at > moved.updated_at);
  CHECK_FALSE(change([](job_settings& s) { s.enabled = false; }).next_run_at.has_value());
  CHECK(db.fire().empty());
  CHECK(change([](job_settings& s) { s.enabled = true; }).next_run_at > moved.updated_at);
}
