#include "svc/store/runs/run_store.hpp"

#include "runner_fixture.hpp"
#include "shop.hpp"
#include "svc/store/directory/partition_store.hpp"
#include "svc/store/runs/output_store.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace svc;
using namespace svc::test;

namespace {

struct archive_room : shop {
  uuid const id = make_job("j", {make_test("t").id}).id;

  uuid ended(std::string const& ago, uuid job) {
    uuid const run = make_run_at(job, "now() - interval '" + ago + "'");
    set_run(run, "status = 'passed', completed_at = now() - interval '" + ago + "'");
    return run;
  }
  uuid ended(std::string const& ago) { return ended(ago, id); }
  bool exists(uuid run) { return wait(runs.get(project, run, soon())).has_value(); }
  std::int64_t rows(std::string const& table) { return number({{"rows_" + table, "SELECT count(*) FROM " + table}}); }

  store::retention_store retention{pool};
};

constexpr std::chrono::hours day{24};
constexpr auto by_job = store::retention_store::run_owner::job;
constexpr auto by_project = store::retention_store::run_owner::project;

}  // namespace

TEST_CASE("retention by age deletes the oldest ended runs first, with everything that refers to them") {
  archive_room db;
  std::string const long_ago = "now() - interval '99 days'";
  uuid const oldest = db.ended("9 days"), old = db.ended("8 days"), older = db.ended("8 days 1 hour");
  uuid const young = db.ended("6 days"), queued = db.make_run_at(db.id, long_ago);
  uuid const running = db.make_run_at(db.id, long_ago), late = db.make_run_at(db.id, long_ago);
  db.set_run(running, "status = 'running', claim_id = gen_random_uuid(), lease_until = now()");
  db.set_run(late, "status = 'passed', completed_at = now()");
  for (uuid const run : {oldest, young}) {
    std::string const id = "'" + run.to_string() + "'";
    db.as_owner(
        "INSERT INTO run_output (run_id) VALUES (" + id +
        "); INSERT INTO idempotency_keys (job_id, key, request_hash, run_id) VALUES (gen_random_uuid(), 'k', '" +
        std::string(64, 'a') + "', " + id + ")");
  }
  CHECK(db.wait(db.retention.delete_older(7 * day, 2, db.soon())) == 2);
  CHECK_FALSE(db.exists(oldest));
  CHECK_FALSE(db.exists(older));
  CHECK(db.exists(old));
  CHECK(db.rows("run_output") == 1);
  CHECK(db.rows("idempotency_keys") == 1);
  CHECK(db.rows("orphaned_idempotency_keys") == 1);
  CHECK(db.wait(db.retention.delete_older(7 * day, 2, db.soon())) == 1);
  CHECK(db.wait(db.retention.delete_older(7 * day, 2, db.soon())) == 0);
  for (uuid const kept : {young, queued, running, late}) CHECK(db.exists(kept));
}

TEST_CASE("retention by count keeps a job's newest runs, and those that have not ended") {
  archive_room db;
  uuid const few = db.make_job("few", {db.make_test("u").id}).id;
  uuid const other = db.ended("9 days", few);
  std::vector<uuid> runs;
  for (auto const* ago : {"5 hours", "4 hours", "3 hours", "2 hours", "1 hour"})
    runs.push_back(runs.size() == 1 ? db.make_run_at(db.id, "now() - interval '4 hours'") : db.ended(ago));
  db.set_run(runs[1], "status = 'running', claim_id = gen_random_uuid(), lease_until = now()");
  std::vector<store::retention_store::excess> found;
  std::optional<uuid> after;
  do {
    auto const part = db.wait(db.retention.find_surplus(by_job, after, 2, 1, db.soon()));
    found.insert(found.end(), part.owners.begin(), part.owners.end());
    after = part.after;
  } while (after);
  REQUIRE(found.size() == 1);
  CHECK(found[0].owner == db.id);
  CHECK(found[0].run == runs[2]);
  CHECK(db.wait(db.retention.delete_excess(found[0], 1, db.soon())) == 1);
  CHECK_FALSE(db.exists(runs[0]));
  CHECK(db.wait(db.retention.delete_excess(found[0], 10, db.soon())) == 1);
  CHECK_FALSE(db.exists(runs[2]));
  for (uuid const kept : {runs[1], runs[3], runs[4], other}) CHECK(db.exists(kept));
  CHECK(db.wait(db.retention.delete_excess(found[0], 10, db.soon())) == 0);
}

TEST_CASE(
    "runs of single tests are bounded for each project, the oldest are deleted first, and all other runs stay") {
  archive_room db;
  auto const add = [&](uuid project, std::string const& job, std::string const& status, int count) {
    db.fill_runs("SELECT '" + project.to_string() + "'::uuid, " + job + "::uuid, 'remote', '" + status +
                 "', now() - i * interval '1 hour' FROM generate_series(1, " + std::to_string(count) + ") i");
  };
  auto const left = [&](std::string const& condition) { return db.rows("run_history WHERE " + condition); };
  add(db.project, "NULL", "passed", 9);
  add(db.project, "NULL", "queued", 1);
  add(db.project, "'" + db.id.to_string() + "'", "passed", 9);
  add(db.other_project, "NULL", "passed", 4);
  auto const find = [&] {
    std::vector<store::retention_store::excess> out;
    std::optional<uuid> after;
    do {
      auto const part = db.wait(db.retention.find_surplus(by_project, after, 4, 1, db.soon()));
      out.insert(out.end(), part.owners.begin(), part.owners.end());
      after = part.after;
    } while (after);
    return out;
  };
  auto const found = find();
  REQUIRE(found.size() == 1);
  CHECK(found[0].owner == db.project);
  CHECK(db.wait(db.retention.delete_excess(found[0], 4, db.soon())) == 4);
  CHECK(left("job_id IS NULL AND project_id = '" + db.project.to_string() + "'") == 6);
  CHECK(left("job_id IS NULL AND created_at < now() - interval '5 hours 30 minutes'") == 0);
  CHECK(db.wait(db.retention.delete_excess(found[0], 4, db.soon())) == 2);
  CHECK(db.wait(db.retention.delete_excess(found[0], 4, db.soon())) == 0);
  CHECK(find().empty());
  CHECK(left("job_id IS NULL AND project_id = '" + db.project.to_string() + "'") == 4);
  CHECK(left("job_id IS NOT NULL") == 9);
  CHECK(left("project_id = '" + db.other_project.to_string() + "'") == 4);
  CHECK(db.rows("run_queue") == 1);
  CHECK(db.rows("run_results") == db.rows("run_history") - 1);
}

TEST_CASE(
    "a range of runs is deleted as a whole, once all of them are old enough, with everything that refers to it") {
  archive_room db;
  db.partition_runs();
  std::vector<uuid> old;
  for (auto const* ago : {"79 days", "75 days", "68 days", "66 days", "62 days"}) old.push_back(db.ended(ago));
  uuid const young = db.ended("41 days");
  store::output_store outputs(db.pool);
  for (uuid const run : old) {
    db.must(store::output_due(run));
    db.wait(outputs.keep({{run, byte_vector(1000, 7), 10, 1, false}}, db.soon()));
  }
  db.wait(outputs.settle(0, db.soon()));
  CHECK(db.wait(outputs.stored_bytes(db.project, db.soon())) == 5000);
  for (auto const& [run, age] : {std::pair{old[0], "1 hour"}, {old[2], "2 days"}, {young, "2 days"}})
    db.as_owner("INSERT INTO idempotency_keys (job_id, key, request_hash, run_id, created_at) VALUES ('" +
                db.id.to_string() + "', '" + run.to_string() + "', '" + std::string(64, 'a') + "', '" +
                run.to_string() + "', now() - interval '" + age + "')");
  auto const drop = [&](int days) { return db.wait(db.retention.drop_oldest(days * day, db.soon())); };
  auto const parts = [&] {
    return db.rows("time_partitions WHERE parent IN ('run_history', 'run_results', 'run_output')");
  };
  auto const before = parts();

  // A run of the oldest range waits; then it has ended, but not long enough ago.
  uuid const late = db.make_run_at(db.id, "now() - interval '78 days'");
  CHECK_FALSE(drop(61));
  db.set_run(late, "status = 'passed', completed_at = now() - interval '60 days'");
  CHECK_FALSE(drop(61));
  CHECK(parts() == before);
  REQUIRE(db.wait(db.runs.remove(db.as_ed(), late, db.soon())).has_value());

  CHECK(drop(61) == 2);
  CHECK(parts() == before - 3);
  CHECK_FALSE(db.exists(old[0]));
  CHECK(db.exists(old[2]));
  CHECK(db.rows("orphaned_idempotency_keys") == 1);
  CHECK(db.rows("idempotency_keys") == 2);
  db.wait(outputs.settle(0, db.soon()));
  CHECK(db.wait(outputs.stored_bytes(db.project, db.soon())) == 3000);

  // The next range ends 60 days ago.
  CHECK_FALSE(drop(61));
  CHECK(drop(50) == 3);
  CHECK(drop(50) == 0);
  CHECK_FALSE(drop(50));
  CHECK(db.exists(young));
  CHECK(db.rows("idempotency_keys") == 1);
  db.wait(outputs.settle(0, db.soon()));
  CHECK(db.wait(outputs.stored_bytes(db.project, db.soon())) == 0);
  CHECK(db.wait(db.runs.list(db.project, {}, {}, db.soon())).total == 1);
}

TEST_CASE("nothing is dropped that is younger than a day, nor while a run is read for long") {
  archive_room db;
  db.partition_runs();
  CHECK_THROWS(db.wait(db.retention.drop_oldest(23 * std::chrono::hours(1), db.soon())));
  auto hold = [](archive_room& room) -> task<bool> {
    auto work = co_await room.pool.begin(room.soon());
    auto const read = co_await work.run(postgres::query{{"read_test", "SELECT count(*) FROM run_results"}});
    auto const gone = co_await room.retention.drop_oldest(30 * day, room.soon());
    co_return read.has_value() && !gone;
  };
  CHECK(db.wait(hold(db)));
  CHECK(db.wait(db.retention.drop_oldest(30 * day, db.soon())) == 0);
}

TEST_CASE("partitions of runs are made ahead, a sixth of the age wide, with common bounds") {
  archive_room db;
  using std::chrono::days;
  CHECK(store::run_partition_width({}) == days(30));
  CHECK(store::run_partition_width(day) == days(1));
  CHECK(store::run_partition_width(90 * day) == days(15));
  CHECK(store::run_partition_width(3650 * day) == days(30));
  db.partition_runs();
  store::partition_store partitions(db.pool);
  CHECK(db.wait(partitions.add_runs_ahead(days(10), db.soon())) == 6);
  CHECK(db.wait(partitions.add_runs_ahead(days(10), db.soon())) == 0);
  CHECK(db.number({{"bounds_test",
                    "SELECT count(*) FROM (SELECT FROM time_partitions WHERE parent LIKE 'run%'"
                    " GROUP BY from_time, to_time HAVING count(*) <> 3) apart"}}) == 0);
}

TEST_CASE("the projects of deleted runs are reported, each once for a statement, and nothing without a deletion") {
  archive_room db;
  std::vector<changed_thing> reported;
  db.retention.when_deleted([&](std::vector<changed_thing> const& changes) { reported = changes; });
  auto const is_reported = [&](std::vector<uuid> projects) {
    std::vector<uuid> found;
    for (auto const& each : std::exchange(reported, {})) {
      CHECK(each.resource == "run");
      CHECK_FALSE(each.id);
      found.push_back(each.project);
    }
    std::ranges::sort(projects);
    return found == projects;
  };
  auto const add = [&](uuid project, std::string const& job) {
    db.fill_runs("SELECT '" + project.to_string() + "'::uuid, " + job +
                 "::uuid, 'remote', 'passed', now() - i * interval '3 days' FROM generate_series(1, 4) i");
  };
  add(db.project, "NULL");
  add(db.other_project, "NULL");
  add(db.project, "'" + db.id.to_string() + "'");
  CHECK(db.wait(db.retention.delete_older(11 * day, 100, db.soon())) == 3);
  CHECK(is_reported({db.project, db.other_project}));
  CHECK(db.wait(db.retention.delete_older(11 * day, 100, db.soon())) == 0);
  CHECK(reported.empty());
  for (auto const kind : {by_job, by_project}) {
    auto const found = db.wait(db.retention.find_surplus(kind, {}, 2, 100, db.soon()));
    REQUIRE_FALSE(found.owners.empty());
    for (auto const& each : found.owners) {
      CHECK(db.wait(db.retention.delete_excess(each, 100, db.soon())) == 1);
      CHECK(is_reported({each.kind == by_job ? db.project : each.owner}));
    }
  }
  db.as_owner("UPDATE jobs SET deleted_at = now()");
  CHECK(db.wait(db.retention.delete_runs_of_deleted_jobs(db.project, 0, 100, db.soon())) == 2);
  CHECK(is_reported({db.project}));
}

TEST_CASE("runners that were not seen for a day and hold no run are deleted, and one that returns registers again") {
  machine db;
  store::retention_store retention{db.pool};
  db.make_runs(db.id, 1);
  REQUIRE(db.claim().size() == 1);
  // The first one holds a run. The second one is seen now and then, the others are not.
  db.as_owner(
      "INSERT INTO runners (id, token_id, name, version, labels, slots) SELECT gen_random_uuid(), token_id,"
      " 'r' || i, '1', '{}', 1 FROM runners, generate_series(1, 7) i");
  db.as_owner(
      "UPDATE runners SET last_seen_at = now() - CASE name WHEN 'r1' THEN interval '23 hours'"
      " ELSE interval '25 hours' END");
  auto const left = [&] { return db.number({{"runners_left", "SELECT count(*) FROM runners"}}); };
  std::vector<changed_thing> reported;
  retention.when_deleted([&](std::vector<changed_thing> const& changes) { reported = changes; });
  CHECK(db.wait(retention.delete_runners(4, db.soon())) == 4);
  REQUIRE(reported.size() == 1);
  CHECK(reported[0].project == db.project);
  CHECK(reported[0].resource == "runner");
  CHECK(db.wait(retention.delete_runners(4, db.soon())) == 2);
  CHECK(db.wait(retention.delete_runners(4, db.soon())) == 0);
  CHECK(left() == 2);
  db.as_owner(
      "UPDATE run_queue SET status = 'queued', runner_id = NULL, claim_id = NULL, lease_until = NULL,"
      " started_at = NULL");
  CHECK(db.wait(retention.delete_runners(4, db.soon())) == 1);
  auto const unknown = db.wait(db.runners.claim(db.secret, {db.self, {"command"}, 1}, db.soon()));
  CHECK(failure(unknown) == errc::not_found);
  db.self = db.enroll(db.secret);
  CHECK(db.claim().size() == 1);
}

TEST_CASE("the deleted runners of an organization are reported to each of its projects, those of a project to it") {
  machine db;
  store::retention_store retention{db.pool};
  std::vector<uuid> told;
  retention.when_deleted([&](std::vector<changed_thing> const& changes) {
    for (auto const& each : changes) {
      CHECK(each.resource == "runner");
      told.push_back(each.project);
    }
  });
  auto const wide = db.enroll(db.make_token(db.organization, {}));
  auto const end = [&](uuid runner) {
    db.as_owner("UPDATE runners SET last_seen_at = now() - interval '25 hours' WHERE id = '" + runner.to_string() +
                "'");
    CHECK(db.wait(retention.delete_runners(4, db.soon())) == 1);
    return std::exchange(told, {});
  };
  std::vector<uuid> all{db.project, db.other_project};
  std::ranges::sort(all);
  CHECK(end(wide) == all);
  CHECK(end(db.self) == std::vector{db.project});
}

TEST_CASE("audit entries of triggers and executions end with their age, all others stay") {
  archive_room db;
  store::retention_store retention{db.pool};
  auto const add = [&](std::string const& action, std::string const& ago, int count) {
    db.as_owner(
        "INSERT INTO audit_log (id, organization_id, project_id, action, actor_name, resource)"
        " SELECT id_at(now() - interval '" +
        ago + "', gen_random_uuid()), NULL, '" + db.project.to_string() + "', '" + action +
        "', 'somebody', 'job' FROM generate_series(1, " + std::to_string(count) + ")");
  };
  auto const left = [&](std::string const& action, std::string const& ago) {
    return db.number(
        {{"audits_" + action + ago,
          "SELECT count(*) FROM audit_log WHERE actor_name = 'somebody' AND"
          " action = '" +
              action + "' AND id " + (ago == "old" ? "<" : ">") + " first_id_at(now() - interval '30 days')"}});
  };
  for (std::string const action : {"job.triggered", "test.executed", "job.created"}) {
    add(action, "31 days", 7);
    add(action, "29 days", 3);
  }
  auto const remove = [&](uuid project, std::int64_t most) {
    return db.wait(retention.delete_audits(project, 30 * day, most, db.soon()));
  };
  CHECK(remove(db.other_project, 100) == 0);
  CHECK(remove(db.project, 5) == 5);
  CHECK(left("job.triggered", "old") == 2);
  CHECK(remove(db.project, 5) == 5);
  CHECK(remove(db.project, 5) == 4);
  CHECK(remove(db.project, 5) == 0);
  for (std::string const action : {"job.triggered", "test.executed"}) {
    CHECK(left(action, "old") == 0);
    CHECK(left(action, "young") == 3);
  }
  CHECK(left("job.created", "old") == 7);
  CHECK(left("job.created", "young") == 3);
  // The database refuses to delete young ones, whatever it is asked for.
  CHECK_THROWS(db.wait(retention.delete_audits(db.project, std::chrono::hours(23), 100, db.soon())));
  auto const projects = db.wait(retention.next_projects({}, 1, db.soon()));
  REQUIRE(projects.size() == 1);
  CHECK(db.wait(retention.next_projects(projects.front(), 100, db.soon())).size() >= 1);
}
