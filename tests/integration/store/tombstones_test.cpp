// The number of dead tokens, deleted jobs and names of runners that are kept is bounded.
#include "runner_fixture.hpp"

#include "svc/store/runs/run_store.hpp"

#include <string>

using namespace svc;
using namespace svc::test;

namespace {

struct graveyard : machine {
  std::int64_t rows(std::string const& table, std::string const& where = "true") {
    auto const text = "SELECT count(*) FROM " + table + " WHERE " + where;
    return number({{"rows_" + std::to_string(std::hash<std::string>()(text)), text}});
  }
  /// Adds revoked keys of the job. The first was revoked an hour ago, each further one an hour before the previous
  /// one.
  void bury_keys(int count, uuid job) {
    auto const quoted = "'" + job.to_string() + "'";
    as_owner(
        "INSERT INTO tokens (id, kind, project_id, job_id, owner_id, created_by, name, start, slot, enabled, "
        "revoked_at)"
        " SELECT gen_random_uuid(), 'trigger', j.project_id, j.id, '" +
        ed.to_string() + "', '" + ed.to_string() +
        "', 'dead ' || i, 'svc_', 1, true, now() - i * interval '1 hour' FROM jobs j, generate_series(1, " +
        std::to_string(count) + ") i WHERE j.id = " + quoted);
    as_owner("INSERT INTO subjects (id) SELECT id FROM tokens WHERE name LIKE 'dead %' ON CONFLICT DO NOTHING");
    as_owner(
        "INSERT INTO token_secrets (digest, token_id, state, start) SELECT sha256(id::text::bytea), id, 'dead', "
        "'svc_'"
        " FROM tokens WHERE name LIKE 'dead %' ON CONFLICT DO NOTHING");
    as_owner(
        "INSERT INTO token_last_use (token_id, used_at) SELECT id, now() FROM tokens WHERE name LIKE 'dead %'"
        " ON CONFLICT DO NOTHING");
  }
  std::int64_t delete_tokens(std::int64_t most, std::int64_t kept = 100) {
    return wait(retention.delete_revoked_tokens(project, kept, most, soon()));
  }
  std::int64_t delete_jobs(std::int64_t most, std::int64_t kept = 100) {
    return wait(retention.delete_deleted_jobs(project, kept, most, soon()));
  }

  store::retention_store retention{pool};
};

}  // namespace

TEST_CASE("revoked tokens of a project are bounded, the oldest are deleted first, and live ones stay") {
  graveyard db;
  auto const live = db.make(db.cli(db.ed, "live"));
  db.bury_keys(115, db.id);
  auto const others = db.rows("subjects") - 115;
  CHECK(db.delete_tokens(10) == 10);
  CHECK(db.delete_tokens(10) == 5);
  CHECK(db.delete_tokens(10) == 0);
  CHECK(db.rows("tokens", "revoked_at IS NOT NULL") == 100);
  CHECK(db.rows("tokens", "revoked_at < now() - interval '101 hours'") == 0);
  CHECK(db.rows("token_secrets", "state = 'dead'") == 100);
  CHECK(db.rows("token_last_use") == 100);
  CHECK(db.rows("subjects") == others + 100);
  CHECK(db.rows("tokens", "id = '" + live.id.to_string() + "'") == 1);
  // The database keeps the newest hundred, regardless of the request.
  CHECK_THROWS(db.delete_tokens(10, 99));
}

TEST_CASE("a revoked token stays until every instance must have read that it is revoked") {
  graveyard db;
  db.bury_keys(110, db.id);
  db.as_owner("UPDATE tokens SET revoked_at = now() - interval '9 minutes' WHERE revoked_at IS NOT NULL");
  CHECK(db.delete_tokens(100) == 0);
  db.as_owner("UPDATE tokens SET revoked_at = now() - interval '11 minutes' WHERE revoked_at IS NOT NULL");
  db.as_owner("INSERT INTO subject_outbox (ids, epochs) SELECT array_agg(id), array_agg(1) FROM tokens");
  CHECK(db.delete_tokens(100) == 0);
  db.as_owner("UPDATE subject_outbox SET delivered_at = now()");
  CHECK(db.delete_tokens(100) == 10);
}

TEST_CASE("a late use of a token that has been deleted is left out, and the others are written") {
  graveyard db;
  auto const live = db.make(db.cli(db.ed, "live"));
  auto const time = timestamp{1'700'000'000'000'000};
  store::last_use const uses[] = {
      {.token = live.id, .time = time, .ip = "192.0.2.1"},
      {.token = uuid::parse("00000000-0000-4000-8000-000000000001").value(), .time = time, .ip = {}}};
  store::last_use_store last_uses(db.pool);
  db.wait(last_uses.write({std::begin(uses), std::end(uses)}, db.soon()));
  CHECK(db.rows("token_last_use") == 1);
}

TEST_CASE(
    "runs of a project's deleted jobs are deleted before the rows of these jobs, the longest deleted ones first") {
  graveyard db;
  db.as_owner(
      "INSERT INTO jobs (id, project_id, name, job_type, created_by, deleted_at) SELECT gen_random_uuid(), '" +
      db.project.to_string() + "', 'gone ' || i, 'command', '" + db.ed.to_string() +
      "', now() - i * interval '1 hour' FROM generate_series(1, 5) i");
  db.fill_runs(
      "SELECT j.project_id, j.id, 'remote', CASE WHEN j.name = 'gone 5' AND i = 1 THEN 'queued' ELSE 'passed' END,"
      " now() - i * interval '1 hour' FROM jobs j, generate_series(1, 3) i");
  auto const remove = [&](std::int64_t most) {
    return db.wait(db.retention.delete_runs_of_deleted_jobs(db.project, 3, most, db.soon()));
  };
  auto const runs_of = [&](std::string const& condition) {
    return db.rows("run_history h JOIN jobs j ON j.id = h.job_id", condition);
  };
  auto const others = runs_of("deleted_at IS NULL");
  CHECK(others >= 3);
  CHECK(db.wait(db.retention.delete_runs_of_deleted_jobs(db.other_project, 0, 10, db.soon())) == 0);
  CHECK(remove(4) == 4);
  CHECK(remove(4) == 1);
  CHECK(remove(4) == 0);
  CHECK(runs_of("name IN ('gone 4', 'gone 5')") == 1);
  CHECK(db.rows("run_queue") == 1);
  CHECK(runs_of("name IN ('gone 1', 'gone 2', 'gone 3')") == 9);
  CHECK(runs_of("deleted_at IS NULL") == others);
}

TEST_CASE("deleted jobs of a project are bounded, with their keys, and those that are still needed stay") {
  graveyard db;
  std::string const ed = "'" + db.ed.to_string() + "'";
  db.as_owner(
      "INSERT INTO jobs (id, project_id, name, job_type, created_by, deleted_at) SELECT gen_random_uuid(), '" +
      db.project.to_string() + "', 'gone ' || i, 'command', " + ed +
      ", now() - i * interval '1 hour' FROM generate_series(1, 110) i");
  auto const oldest = db.number({{"oldest_job_test", "SELECT count(*) FROM jobs WHERE name = 'gone 110'"}});
  REQUIRE(oldest == 1);
  // The oldest job has a run in the queue. The next one has a key that was revoked a minute ago, and the third one a
  // dead key.
  auto const id_of = [&](std::string const& name) {
    return db
        .must({{"id_of_" + std::to_string(std::hash<std::string>()(name)),
                "SELECT id FROM jobs WHERE name = '" + name + "'"}})
        .front()
        .id(0);
  };
  db.make_runs(id_of("gone 110"), 1);
  db.bury_keys(1, id_of("gone 109"));
  db.as_owner("UPDATE tokens SET revoked_at = now() - interval '1 minute' WHERE name LIKE 'dead %'");
  db.bury_keys(1, id_of("gone 108"));
  CHECK(db.delete_jobs(5) == 5);
  CHECK(db.delete_jobs(5) == 3);
  CHECK(db.delete_jobs(5) == 0);
  CHECK(db.rows("jobs", "name IN ('gone 110', 'gone 109')") == 2);
  CHECK(db.rows("jobs", "name LIKE 'gone %'") == 102);
  CHECK(db.rows("tokens", "name LIKE 'dead %'") == 1);
  CHECK(db.rows("jobs", "deleted_at IS NULL") >= 1);
  CHECK_THROWS(db.delete_jobs(5, 99));
}

TEST_CASE("a token keeps a thousand names of runners and those that hold runs, and the oldest make room") {
  graveyard db;
  db.make_runs(db.id, 1);
  REQUIRE(db.claim().size() == 1);  // The runner `box` holds a run and was seen longest ago.
  db.as_owner("UPDATE runners SET last_seen_at = now() - interval '20 hours'");
  db.as_owner(
      "INSERT INTO runners (id, token_id, name, version, labels, slots, last_seen_at) SELECT gen_random_uuid(), "
      "token_id,"
      " 'r' || i, '1', '{}', 1, now() - i * interval '1 second' FROM runners, generate_series(1, 1001) i");
  auto const enroll = [&](std::string name) {
    return db.wait(db.runners.enroll(db.secret, {std::move(name), "1", {"command"}, 1}, db.soon())).has_value();
  };
  // There are more than the bound from before: each new runner removes two.
  CHECK(enroll("new"));
  CHECK(db.rows("runners") == 1001);
  CHECK(db.rows("runners", "name IN ('r1001', 'r1000')") == 0);
  CHECK(enroll("new"));
  CHECK(db.rows("runners") == 1001);
  CHECK(enroll("newer"));
  CHECK(db.rows("runners") == 1000);
  CHECK(enroll("newest"));
  CHECK(db.rows("runners") == 1000);
  CHECK(db.rows("runners", "name IN ('box', 'new', 'newer', 'newest')") == 4);
}
