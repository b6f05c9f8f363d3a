// Tests V024 to V035 on a database whose previous version, 0.1, continues to trigger, claim, end and delete runs.
#include "app/migrations/database_session.hpp"
#include "app/migrations/migrator.hpp"
#include "support/private_postgres.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>

namespace svc::app {
namespace {

constexpr int newest_of_0_1 = 23;
constexpr milliseconds statement_patience{20'000};

/// An id in the form of 0.1: version 7, from the clock of an instance.
std::string const made_now =
    "(lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0') || '7abc' ||"
    " substr(gen_random_uuid()::text, 20))::uuid";

void apply_0_1(database_session& db) {
  db.run(
      "CREATE TABLE schema_migrations (version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL,"
      " applied_at timestamptz NOT NULL DEFAULT clock_timestamp())");
  for (auto const& migration : embedded_migrations()) {
    if (migration.version > newest_of_0_1) continue;
    db.run(std::string(migration.sql));
    db.run("INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)",
           {std::to_string(migration.version), migration.name, migration.checksum});
  }
}

/// Creates runs of the last 80 days: of 100 runs, 98 have ended, in each possible way, one waits, and one runs.
void seed(database_session& db, std::int64_t runs) {
  db.run(R"(
INSERT INTO users (id, email, name) VALUES (gen_random_uuid(), 'a@example.org', 'a');
INSERT INTO organizations (id, slug, name) VALUES (gen_random_uuid(), 'o', 'o');
INSERT INTO projects (id, organization_id, slug, name) SELECT gen_random_uuid(), id, 'p', 'p' FROM organizations;
INSERT INTO jobs (id, project_id, name, job_type, created_by, max_concurrent_runs)
  SELECT gen_random_uuid(), p.id, 'j' || n, 'command', u.id, CASE n WHEN 1 THEN 2 END
    FROM projects p, users u, generate_series(1, 10) n)");
  db.run(R"(
INSERT INTO runs (id, project_id, job_id, job_name, job_type, status, trigger, triggered_by, parameters, tests,
                  test_count, timeout_seconds, attempt, claim_id, executor_id, lease_until, queued_at, created_at,
                  started_at, completed_at, error_details, version)
SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7000' || substr(md5(n::text)::uuid::text, 20))::uuid,
       j.project_id, j.id, j.name, 'command', s.status, (ARRAY['remote', 'manual', 'schedule'])[1 + n % 3], 'ci',
       jsonb_build_object('n', n), jsonb_build_array(jsonb_build_object('id', j.id, 'title', 't', 'status', s.status)),
       1, 60, CASE WHEN s.status = 'queued' THEN 0 ELSE 1 END,
       CASE WHEN s.status <> 'queued' THEN gen_random_uuid() END, CASE WHEN s.status = 'running' THEN j.id END,
       CASE WHEN s.status = 'running' THEN now() + interval '1 hour' END, at, at,
       CASE WHEN s.status <> 'queued' THEN at + interval '1 second' END,
       CASE WHEN s.status NOT IN ('queued', 'running') THEN at + interval '9 seconds' END,
       CASE WHEN s.status = 'error' THEN 'lost' END, CASE WHEN s.status = 'queued' THEN 1 ELSE 3 END
  FROM generate_series(1, )" +
         std::to_string(runs) +
         R"() n
  JOIN (SELECT row_number() OVER (ORDER BY name) - 1 AS place, * FROM jobs) j ON j.place = n % 10,
  LATERAL (SELECT now() - n * (interval '80 days' / )" +
         std::to_string(runs) + R"() AS at) t,
  LATERAL (SELECT CASE n % 100 WHEN 0 THEN 'queued' WHEN 1 THEN 'running'
    ELSE (ARRAY['passed', 'failed', 'error', 'cancelled', 'timed_out'])[1 + n % 5] END AS status) s;
INSERT INTO idempotency_keys (job_id, key, request_hash, run_id)
  SELECT job_id, 'key ' || id, repeat('0', 64), id FROM runs ORDER BY id DESC LIMIT 100;
INSERT INTO run_output (run_id, project_id, content, size, lines, stored_at)
  SELECT id, project_id, '\x00ff', 10, 1, now() FROM runs WHERE completed_at IS NOT NULL ORDER BY id DESC LIMIT 1000;
ANALYZE runs)");
}

/// A step of 0.1 with a run, in the form of its statement, which returns the run's id.
struct step {
  char const* status;  ///< the run's status afterwards; empty: the run is deleted
  char const* which;   ///< finds the run, $1
  std::string change;
};
std::vector<step> const& steps_of_0_1() {
  static std::vector<step> const all{
      {"queued", "SELECT id FROM jobs ORDER BY random() LIMIT 1",
       "INSERT INTO runs (id, project_id, job_id, job_name, job_type, trigger, triggered_by, parameters, tests,"
       " test_count, timeout_seconds) SELECT " +
           made_now +
           ", project_id, id, name, job_type, 'remote', 'ci', '{\"a\": 1}', '[]', 0, 60 FROM jobs WHERE id = $1 "
           "RETURNING id"},
      {"running", "SELECT id FROM runs WHERE status = 'queued' ORDER BY queued_at DESC LIMIT 1",
       "WITH taken AS (SELECT id FROM runs WHERE id = $1 AND status = 'queued' FOR UPDATE SKIP LOCKED)"
       " UPDATE runs r SET status = 'running', claim_id = gen_random_uuid(), attempt = r.attempt + 1,"
       " executor_id = gen_random_uuid(), lease_until = clock_timestamp() + interval '1 minute',"
       " started_at = clock_timestamp(), version = r.version + 1, updated_at = clock_timestamp() FROM taken"
       " WHERE r.id = taken.id RETURNING r.id"},
      {"passed", "SELECT id FROM runs WHERE status = 'running' ORDER BY started_at DESC LIMIT 1",
       "WITH held AS (SELECT id FROM runs WHERE id = $1 AND status = 'running' FOR NO KEY UPDATE SKIP LOCKED),"
       " freed AS (UPDATE runs r SET status = 'passed', completed_at = clock_timestamp(), lease_until = NULL,"
       " version = r.version + 1, updated_at = clock_timestamp() FROM held WHERE r.id = held.id RETURNING r.id),"
       " due AS (INSERT INTO run_output (run_id) SELECT id FROM freed ON CONFLICT DO NOTHING) SELECT id FROM freed"},
      {"", "SELECT id FROM runs WHERE status = 'passed' AND completed_at > now() - interval '1 minute' LIMIT 1",
       "DELETE FROM runs WHERE id = $1 RETURNING id"}};
  return all;
}

/// A working instance of 0.1, with the service's role, until it is stopped.
class instance_of_0_1 {
 public:
  explicit instance_of_0_1(secret_string const& url) : thread_([this, url] { work(url); }) {}
  ~instance_of_0_1() { stop(); }

  void stop() {
    over_ = true;
    if (thread_.joinable()) thread_.join();
  }

  std::map<std::string, std::string> last{};  ///< run -> its status; empty: deleted
  std::int64_t done = 0;
  std::map<std::string, milliseconds> longest{};  ///< longest step to each status
  std::string failure{};

 private:
  void work(secret_string const& url) {
    try {
      database_session db(url, statement_patience);
      db.run("SET ROLE svc_service");
      for (std::size_t n = 0; !over_; ++n) {
        step const& next = steps_of_0_1()[n % 7 < 4 ? n % 4 : n % 3];
        auto const found = db.run(next.which);
        if (found.empty()) continue;
        auto const began = steady::now();
        auto const changed = db.run(next.change, {found.at(0).at(0)});
        auto const took = std::chrono::duration_cast<milliseconds>(steady::now() - began);
        auto& most = longest[*next.status == '\0' ? "deleted" : next.status];
        most = std::max(most, took);
        if (!changed.empty()) last[changed.at(0).at(0).value()] = next.status;
        ++done;
      }
    } catch (database_error const& e) {
      failure = e.what();
    }
  }

  std::atomic<bool> over_{false};
  std::thread thread_;
};

std::int64_t number(database_session& db, std::string const& sql) {
  return std::stoll(db.run(sql).at(0).at(0).value());
}

TEST_CASE("runs move to the new tables while the previous version serves, and each is as it was") {
  test::private_postgres const server;
  secret_string const url(server.url());
  database_session db(url, statement_patience);
  apply_0_1(db);
  bool const many = std::getenv("SVC_STORE_LONG") != nullptr;
  std::int64_t const runs = many ? 1'000'000 : 5'000;
  seed(db, runs);
  db.run("CREATE TABLE as_it_was AS SELECT * FROM runs");

  instance_of_0_1 busy(url);
  std::this_thread::sleep_for(milliseconds(300));
  auto const began = steady::now();
  std::string said;
  CHECK(migrate(url, false, statement_patience, [&](std::string const& s) { said += s + "\n"; }) == 0);
  auto const took = std::chrono::duration_cast<milliseconds>(steady::now() - began);
  std::this_thread::sleep_for(milliseconds(300));
  busy.stop();
  INFO(said);
  CHECK(busy.failure == "");
  CHECK(busy.done > 20);
  MESSAGE(runs, " runs in ", took.count(), " ms; the previous version did ", busy.done, " steps");
  for (auto const& [status, most] : busy.longest) {
    MESSAGE(status, ": ", most.count(), " ms at most");
    CHECK(most < milliseconds(2'000));
  }

  db.run("CREATE TEMP TABLE touched (id uuid PRIMARY KEY, status text)");
  for (auto const& [id, status] : busy.last) db.run("INSERT INTO touched VALUES ($1, $2)", {id, status});
  CHECK(number(db,
               "SELECT count(*) FROM touched t LEFT JOIN runs r ON r.id = t.id"
               " WHERE coalesce(r.status, '') <> t.status") == 0);
  CHECK(number(db,
               "SELECT count(*) FROM (SELECT id FROM as_it_was UNION SELECT id FROM touched EXCEPT"
               " SELECT id FROM touched WHERE status = '') there") == number(db, "SELECT count(*) FROM runs"));
  std::string const same =
      "id, project_id, job_id, job_name, test_id, job_type, status, trigger, triggered_by, token_id, parameters, "
      "tests, "
      "test_count, attempt, claim_id, executor_id, lease_until, queued_at, started_at, completed_at, error_details, "
      "report_url, version, created_at, dedup_key, cancel_requested_at, lost_claims";
  // Compares all of a few rows, or every hundredth of many, because the view computes each row by itself.
  db.run("CREATE TEMP TABLE asked AS SELECT id FROM as_it_was WHERE " +
         std::string(many ? "hashtext(id::text) % 100 = 0" : "true") +
         " EXCEPT SELECT id FROM touched; ANALYZE asked");
  CHECK(number(db, "SELECT count(*) FROM (SELECT " + same + " FROM as_it_was JOIN asked USING (id) EXCEPT SELECT " +
                       same + " FROM runs JOIN asked USING (id)) d") == 0);
  CHECK(number(db, "SELECT count(*) FROM asked") > (many ? 5'000 : 4'000));
  CHECK(number(db,
               "SELECT count(*) FROM runs r JOIN jobs j ON j.id = r.job_id WHERE r.completed_at IS NULL"
               " AND r.limited <> (j.max_concurrent_runs IS NOT NULL)") == 0);
  CHECK(number(db, "SELECT count(*) FROM run_queue q JOIN run_results e ON e.run_id = q.run_id") == 0);
  CHECK(number(db,
               "SELECT count(*) FROM idempotency_keys k LEFT JOIN run_history h ON h.id = k.run_id"
               " WHERE h.id IS NULL") == 0);
  CHECK(number(db,
               "SELECT count(*) FROM run_output o LEFT JOIN run_results e ON e.run_id = o.run_id"
               " WHERE e.run_id IS NULL") == 0);
}

}  // namespace
}  // namespace svc::app
