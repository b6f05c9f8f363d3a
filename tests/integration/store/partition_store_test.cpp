#include "svc/store/directory/partition_store.hpp"
#include "acme.hpp"
#include "support/aged_audit.hpp"

using namespace svc;
using namespace svc::test;

namespace {

constexpr auto audit = store::audit_by_time;

/// With five rows in the first partition.
void age_audit(acme const& db) {
  db.as_owner(aged_audit_sql);
  db.as_owner("VACUUM ANALYZE audit_log");
}

/// As the login that owns the tables.
struct owner {
  explicit owner(acme& db) : pool(db.io, {.url = secret_string(login(db.url())), .size = 1}) { pool.start(); }

  static std::string login(std::string text) { return text.replace(text.find("svc_app@"), 8, "svc@"); }

  postgres::pool pool;
  store::partition_store partitions{pool};
};

}  // namespace

TEST_CASE("the service adds partitions until two lie ahead, and no more") {
  acme db;
  store::partition_store partitions(db.pool);
  CHECK(db.wait(partitions.add_ahead(audit, db.soon())) == 0);
  db.as_owner(
      "DO $$ DECLARE one text; BEGIN"
      " FOR one IN DELETE FROM time_partitions WHERE from_time > now() RETURNING name LOOP"
      "   EXECUTE format('DROP TABLE %I', one);"
      " END LOOP; END $$");
  CHECK(db.wait(partitions.add_ahead(audit, db.soon())) == 2);
  CHECK(db.wait(partitions.add_ahead(audit, db.soon())) == 0);
  // A row of the time to come has its place, and its list finds it.
  db.must({{"later_row_test",
            "INSERT INTO audit_log (id, action, actor_name, resource) VALUES (id_at(now() + interval '59 days',"
            " gen_random_uuid()), 'later', 'ada', 'job')"}});
  CHECK(db.wait(db.audit.list({.action = "later"}, {}, db.soon())).total == 1);
  CHECK(db.wait(partitions.add_ahead({"no_such_table", std::chrono::days(1)}, db.soon())) == 0);
}

TEST_CASE("a partition that fills is analysed at once, and then not again") {
  acme db;
  store::partition_store partitions(db.pool);
  CHECK(db.wait(partitions.analyze_filling(db.soon())) == 0);
  db.as_owner(
      "INSERT INTO audit_log (id, action, actor_name, resource) SELECT id_at(now(), gen_random_uuid()),"
      " 'many', 'ada', 'job' FROM generate_series(1, 5000)");
  db.wait(partitions.analyze_filling(db.soon()));
  CHECK(db.must({{"analyzed_test",
                  "SELECT max(c.reltuples)::bigint FROM pg_class c JOIN time_partitions p ON c.oid = p.name::regclass"
                  " WHERE p.parent = 'audit_log'"}})
            .front()
            .integer(0) >= 5000);
  CHECK(db.wait(partitions.analyze_filling(db.soon())) == 0);
}

TEST_CASE("only the owner drops partitions, and only those that have ended") {
  acme db;
  age_audit(db);
  owner owner(db);
  auto const now = db.must({{"now_test", "SELECT now()"}}).front().time(0);
  auto const long_ago = db.must({{"long_ago_test", "SELECT now() - interval '4 days'"}}).front().time(0);
  CHECK(db.wait(owner.partitions.ended(audit, long_ago, db.soon())).empty());
  auto const ended = db.wait(owner.partitions.ended(audit, now, db.soon()));
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].name == "audit_log_first");
  CHECK(ended[0].rows == 5);
  CHECK(ended[0].bytes > 0);

  store::partition_store service(db.pool);
  auto const denied = db.wait(service.drop(audit, ended[0], db.actor, db.soon()));
  REQUIRE_FALSE(denied.has_value());
  CHECK(denied.error().message == "audit_log_first: permission denied for function drop_partition.");
  auto const current =
      db.wait(owner.partitions.drop(audit, {.name = "audit_log_now", .end = now}, db.actor, db.soon()));
  REQUIRE_FALSE(current.has_value());
  CHECK(current.error().message.find("no partition that ended more than a day ago") != std::string::npos);
  CHECK(db.audit_rows("old") == 5);

  CHECK(db.wait(owner.partitions.drop(audit, ended[0], db.actor, db.soon())).has_value());
  CHECK(db.audit_rows("old") == 0);
  CHECK(db.audit_rows("audit_log.dropped") == 1);
  CHECK(db.wait(owner.partitions.ended(audit, now, db.soon())).empty());
}

TEST_CASE("a partition is not dropped while its table is in use, and says so after a second") {
  acme db;
  age_audit(db);
  owner owner(db), other(db);
  auto reading = db.wait(other.pool.begin(db.soon()));
  CHECK(db.wait(reading.run(postgres::query{{"read_test", "SELECT count(*) FROM audit_log"}})).has_value());
  auto const now = db.must({{"now_test", "SELECT now()"}}).front().time(0);
  auto const ended = db.wait(owner.partitions.ended(audit, now, db.soon()));
  auto const refused = db.wait(owner.partitions.drop(audit, ended.at(0), db.actor, db.soon()));
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().message == "audit_log_first: the table is in use, so nothing was dropped: try again.");
}
