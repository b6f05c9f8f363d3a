// Migrations that run outside a transaction: interrupted ones go on, and the lock of the migrator waits for nobody.
#include "fresh_database.hpp"

#include <doctest/doctest.h>

#include <future>

namespace svc::app {
namespace {

constexpr auto valid_sql = "SELECT bool_and(indisvalid) FROM pg_index WHERE indrelid = 'many'::regclass";
constexpr auto recorded_sql = "SELECT count(*) FROM schema_migrations WHERE version = 900";
constexpr std::string_view file = R"(-- outside a transaction: each statement by itself
-- Every statement may be executed again.
CREATE TABLE IF NOT EXISTS many (id int, part int);
-- repeat
INSERT INTO many SELECT n, n % 2 FROM generate_series((SELECT coalesce(max(id), 0) + 1 FROM many), 25) n LIMIT 10;
DROP INDEX CONCURRENTLY IF EXISTS many_once;
CREATE UNIQUE INDEX CONCURRENTLY many_once ON many (id);
DO $$ BEGIN
  PERFORM 1;
END $$;
)";

/// A database with the whole schema, and a migration of the test's own.
struct migrated {
  migrated() { REQUIRE(migrate(database.url(), false, patience, words.speak()) == 0); }

  void apply() {
    auto session = database.connect();
    apply_migration(session, migration, words.speak());
  }

  fresh_database database;
  sayings words;
  migration migration = make_migration("V900__many.sql", file);
};

TEST_CASE("a migration outside a transaction is recorded after its last statement, and says how far it is") {
  migrated migrated;
  migrated.apply();
  CHECK(migrated.database.value("SELECT count(*) FROM many") == "25");
  CHECK(migrated.database.value(valid_sql) == "t");
  CHECK(migrated.database.value(recorded_sql) == "1");
  CHECK(migrated.words.has("V900 many: step 4 of 5"));
  CHECK(migrated.words.has("V900 many: 25 rows, all"));
}

TEST_CASE("an interrupted migration outside a transaction continues when it is executed again") {
  migrated migrated;
  auto const first_row = "CREATE TABLE many (id int, part int); INSERT INTO many VALUES (1, 1)";
  SUBCASE("between two statements, within the copy") {
    migrated.database.connect().run(first_row);
  }
  SUBCASE("in the middle of an index, which stays behind and is not valid") {
    migrated.database.connect().run(std::string(first_row) + ", (1, 1)");
    CHECK_THROWS_AS(migrated.apply(), database_error);
    CHECK(migrated.database.value(valid_sql) == "f");
    migrated.database.connect().run("DELETE FROM many WHERE ctid = (SELECT min(ctid) FROM many WHERE id = 1)");
  }
  CHECK(migrated.database.value(recorded_sql) == "0");
  migrated.apply();
  CHECK(migrated.database.value(valid_sql) == "t");
  CHECK(migrated.database.value(recorded_sql) == "1");
}

constexpr std::string_view each_file = R"(-- outside a transaction: each statement by itself
CREATE TABLE IF NOT EXISTS part_a (id int);
CREATE TABLE IF NOT EXISTS part_b (id int);
CREATE TABLE IF NOT EXISTS part_c (id int);
-- each
SELECT format('CREATE INDEX CONCURRENTLY IF NOT EXISTS %I ON %I (id)', relname || '_ids', relname)
  FROM pg_class WHERE relname ~ '^part_.$' ORDER BY relname;
)";

TEST_CASE("a migration executes each statement that a query returns outside a transaction") {
  migrated migrated;
  migrated.migration = make_migration("V901__parts.sql", each_file);
  migrated.apply();
  CHECK(migrated.words.has("V901 parts: statement 2 of 3"));
  CHECK(migrated.database.value("SELECT count(*) FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid"
                                " WHERE c.relname ~ '^part_.$' AND i.indisvalid") == "3");
}

TEST_CASE("a statement of a query is skipped if its table was dropped after the query, and only then") {
  migrated migrated;
  migrated.migration = make_migration("V901__parts.sql", each_file);
  auto session = migrated.database.connect();
  SUBCASE("dropped between the query and its statement") {
    apply_migration(session, migrated.migration, [&](std::string const& sentence) {
      migrated.words.all.push_back(sentence);
      if (sentence.ends_with("statement 1 of 3")) migrated.database.connect().run("DROP TABLE part_b");
    });
    CHECK(migrated.words.has("V901 parts: skipped, because the table was dropped meanwhile"));
    CHECK(migrated.database.value("SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class"
                                  " WHERE relname ~ '^part_._ids$'") == "part_a_ids part_c_ids");
    CHECK(migrated.database.value("SELECT count(*) FROM schema_migrations WHERE version = 901") == "1");
  }
  SUBCASE("a table that the query names still") {
    migrated.migration = make_migration("V901__parts.sql", R"(-- outside a transaction: each statement by itself
-- each
SELECT 'CREATE INDEX CONCURRENTLY part_d_ids ON part_d (id)';
)");
    CHECK_THROWS_AS(apply_migration(session, migrated.migration, migrated.words.speak()), database_error);
    CHECK(migrated.database.value("SELECT count(*) FROM schema_migrations WHERE version = 901") == "0");
  }
}

// A statement that waits in pg_advisory_lock has a snapshot, and CREATE INDEX CONCURRENTLY waits for its end.
TEST_CASE("a second migrator that waits does not stop an index that is built concurrently") {
  migrated migrated;
  auto holder = migrated.database.connect();
  holder.run("SELECT pg_advisory_lock(1937138532)");
  sayings second;
  std::promise<void> reported;
  auto waiting = std::async(std::launch::async, [&] {
    return migrate(migrated.database.url(), false, patience, [&](std::string const& s) {
      second.all.push_back(s);
      if (second.all.size() == 1) reported.set_value();
    });
  });
  reported.get_future().get();
  apply_migration(holder, migrated.migration, migrated.words.speak());
  CHECK(migrated.database.value(valid_sql) == "t");
  // Only this program's files may be recorded.
  holder.run("DELETE FROM schema_migrations WHERE version = 900; SELECT pg_advisory_unlock(1937138532)");
  CHECK(waiting.get() == 0);
  REQUIRE(second.all.size() == 2);
  CHECK(second.all.front() == "waiting for another migration of this database");
  CHECK(second.all.back().ends_with(": nothing to apply"));
}

}  // namespace
}  // namespace svc::app
