// Tests V025 to V028 on a database in use: the existing log becomes the first partition, and no client notices.
#include "fresh_database.hpp"
#include "svc/core/uuid.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

namespace svc::app {
namespace {

constexpr int first_of_partitions = 25;

/// Does the constant work of the previous version of the service: it writes a row, and reads its newest rows.
class earlier_service {
 public:
  explicit earlier_service(fresh_database const& database) : session_(database.connect()) {
    session_.run("SET ROLE svc_service");
    session_.run(
        "PREPARE put (uuid) AS INSERT INTO audit_log (id, organization_id, project_id, action, actor_name, resource)"
        " SELECT $1, p.organization_id, p.id, 'job.triggered', 'ci', 'job' FROM projects p LIMIT 1;"
        "PREPARE newest AS SELECT id FROM audit_log WHERE project_id = (SELECT id FROM projects LIMIT 1)"
        " ORDER BY created_at DESC, id DESC LIMIT 1");
    thread_ = std::thread([this] { work(); });
  }
  ~earlier_service() { stop(); }

  void stop() {
    going_ = false;
    if (thread_.joinable()) thread_.join();
  }
  void wait_for_more() const {
    auto const until = deadline::after(patience);
    for (auto const type = written_.load(); written_ < type + 20;) {
      REQUIRE_FALSE(until.passed());
      std::this_thread::sleep_for(milliseconds(1));
    }
  }
  int written() const { return written_; }

  std::string failure{};  ///< set once stopped
  milliseconds slowest{};

 private:
  void work() {
    try {
      for (; going_; ++written_) step(uuid::generate_v7().to_string());
    } catch (std::exception const& e) {
      failure = e.what();
    }
  }
  void step(std::string const& id) {
    auto const start = steady::now();
    session_.run("EXECUTE put ('" + id + "')");
    if (session_.run("EXECUTE newest").at(0).at(0) != id) throw std::runtime_error("the newest row is another one");
    slowest = std::max(slowest, std::chrono::duration_cast<milliseconds>(steady::now() - start));
  }

  database_session session_;
  std::atomic<bool> going_{true};
  std::atomic<int> written_{0};
  std::thread thread_{};
};

void apply_earlier(fresh_database const& database) {
  auto session = database.connect();
  prepare_record(session);
  for (auto const& migration : embedded_migrations())
    if (migration.version < first_of_partitions) apply_migration(session, migration, [](auto const&) {});
  session.run(
      "INSERT INTO organizations (id, slug, name) VALUES (gen_random_uuid(), 'o', 'o');"
      "INSERT INTO projects (id, organization_id, slug, name) SELECT gen_random_uuid(), id, 'p', 'p' FROM "
      "organizations");
}

TEST_CASE("the audit log becomes the first partition while the previous version writes and reads it") {
  fresh_database const database;
  apply_earlier(database);
  // Every hundredth row has an id that says nothing about its time.
  database.connect().run(
      "INSERT INTO audit_log (id, project_id, action, actor_name, resource, created_at)"
      " SELECT CASE WHEN n % 100 = 0 THEN ('f0000000-0000-4000-8000-00000000' || lpad(n::text, 4, '0'))::uuid ELSE "
      "id_at(at, "
      "gen_random_uuid()) END, p.id, 'old', 'ada', 'job', at FROM projects p, LATERAL (SELECT n, now() - interval '1 "
      "year' + n * interval '1 minute' AS at FROM generate_series(1, 199) n) t");
  earlier_service writer(database);
  auto reader = database.connect();
  reader.run("BEGIN; LOCK TABLE audit_log IN ACCESS SHARE MODE");
  sayings words;
  CHECK(migrate(database.url(), false, patience, [&](std::string const& said) {
          words.all.push_back(said);
          // A long reading transaction is open. The migration does not fail, and writers do not wait long for it.
          if (said.find("waits for a lock") != std::string::npos) reader.run("ROLLBACK");
        }) == 0);
  CHECK(words.has("V026 audit_cutoff waits for a lock"));
  writer.wait_for_more();
  writer.stop();
  CHECK(writer.failure == "");
  CHECK(writer.slowest < milliseconds(3000));
  CHECK(database.value("SELECT count(*) FROM audit_log") == std::to_string(writer.written() + 199));
  CHECK(database.value("SELECT count(*) FROM audit_log WHERE tableoid <> 'audit_log_first'::regclass") == "0");
  CHECK(database.value("SELECT bool_and(indisvalid) FROM pg_index JOIN pg_class c ON c.oid = indrelid WHERE relname "
                       "LIKE 'audit_log%'") == "t");
  CHECK(database.value("SELECT count(*) FROM pg_inherits WHERE inhparent = 'audit_log_triggers'::regclass") ==
        database.value("SELECT count(*) FROM time_partitions WHERE parent = 'audit_log'"));
  // The order of the list is the order of time for all rows.
  CHECK(database.value("SELECT count(*) FROM (SELECT created_at, lag(created_at) OVER (ORDER BY id) AS before FROM "
                       "audit_log WHERE action = 'old') o WHERE before > created_at") == "0");
  CHECK(database.value("SELECT count(*) FROM pg_constraint WHERE conrelid = 'audit_log_first'::regclass") == "1");
}

TEST_CASE("a new database has the log's partitions without the indexes of before") {
  fresh_database const database;
  sayings words;
  REQUIRE(migrate(database.url(), false, patience, words.speak()) == 0);
  CHECK(database.value("SELECT count(*) FROM pg_indexes WHERE tablename = 'audit_log_first'") ==
        database.value("SELECT count(*) FROM pg_indexes WHERE tablename = 'audit_log'"));
  CHECK(database.value("SELECT max(to_time) > now() + interval '60 days' FROM time_partitions WHERE parent = "
                       "'audit_log'") == "t");
}

}  // namespace
}  // namespace svc::app
