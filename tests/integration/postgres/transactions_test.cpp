#include "fixture.hpp"

using namespace svc;
using namespace svc::test;
using postgres::parameters;
using postgres::query;

namespace {

std::vector<query> batch(std::initializer_list<query> queries) {
  return queries;
}

}  // namespace

TEST_CASE("a batch is one transaction in both modes") {
  for (bool const prepared : {true, false}) {
    CAPTURE(prepared);
    database db({.prepared_statements = prepared});
    auto const good = db.wait(db.pool.run(batch({insert(1), insert(2)}), database::soon()));
    REQUIRE(good.has_value());
    CHECK(good->size() == 2);
    CHECK(good->at(0).affected() == 1);
    CHECK(db.count() == 2);

    auto const bad = db.wait(db.pool.run(batch({insert(3), insert(1), insert(4)}), database::soon()));
    REQUIRE(bad.has_error());
    CHECK(bad.error().unique_violation());
    CHECK(bad.error().constraint == "item_key");
    CHECK(db.count() == 2);
    CHECK(db.pool.stats().connects == 1);
    CHECK(db.wait(db.pool.run(std::vector<query>{}, database::soon())).value().empty());
  }
}

TEST_CASE("a refusal by the server is a value with its constraint") {
  database db;
  db.must({{"deferred", "ALTER TABLE item ALTER CONSTRAINT item_parent DEFERRABLE INITIALLY DEFERRED"}});
  query const orphan{{"orphan", "INSERT INTO item (id, parent) VALUES ($1, 99)"}, parameters(5)};
  struct {
    char const* name;
    query query;
    char const* sqlstate;
    char const* constraint;
  } const cases[] = {
      {"check", insert(1, "bad"), "23514", "item_label"},
      {"deferred until the commit at the Sync", orphan, "23503", "item_parent"},
      {"bad number", {{"cast", "SELECT $1::text::int8"}, parameters("x")}, "22P02", ""},
      {"raised", {{"raise", "DO $$ BEGIN RAISE EXCEPTION 'no'; END $$"}}, "P0001", ""},
      {"no such table: fails in Parse", {{"missing", "SELECT 1 FROM nowhere"}}, "42P01", ""},
      {"again: a failed Parse left nothing behind", {{"missing", "SELECT 1 FROM nowhere"}}, "42P01", ""},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const answer = db.run(c.query);
    REQUIRE(answer.has_error());
    CHECK(answer.error().sqlstate == c.sqlstate);
    CHECK(answer.error().constraint == c.constraint);
    CHECK(db.count() == 0);
  }
  CHECK(db.pool.stats().connects == 1);
}

TEST_CASE("a unit of work commits in its last round trip") {
  for (bool const prepared : {true, false}) {
    CAPTURE(prepared);
    database db({.size = 2, .prepared_statements = prepared});
    auto unit = db.wait(db.pool.begin(database::soon()));
    CHECK(db.wait(unit.run(insert(1))).has_value());
    CHECK(db.count() == 0);
    CHECK(db.wait(unit.run(query{{"count", "SELECT count(*) FROM item"}}))->front().integer(0) == 1);
    auto const last = db.wait(unit.commit(batch({insert(2)})));
    REQUIRE(last.has_value());
    CHECK(last->size() == 1);
    CHECK(db.count() == 2);
    CHECK(db.pool.stats().busy == 0);
    CHECK_THROWS_AS(db.wait(unit.run(insert(3))), std::logic_error);
  }
}

TEST_CASE("a unit of work that sends nothing issues no BEGIN") {
  database db;
  auto unit = db.wait(db.pool.begin(database::soon()));
  CHECK(db.wait(unit.commit(batch({insert(1), insert(2)})))->size() == 2);
  CHECK(db.count() == 2);
  auto idle = db.wait(db.pool.begin(database::soon()));
  CHECK(db.wait(idle.commit())->empty());
}

TEST_CASE("an error ends the unit of work and rolls it back") {
  struct {
    char const* name;
    bool at_commit;
  } const cases[] = {{"in a statement", false}, {"in the last statements", true}};
  for (auto const& c : cases) {
    CAPTURE(c.name);
    database db({.size = 1});
    auto unit = db.wait(db.pool.begin(database::soon()));
    REQUIRE(db.wait(unit.run(insert(1))).has_value());
    auto const failed =
        c.at_commit ? db.wait(unit.commit(batch({insert(1)}))) : db.wait(unit.run(batch({insert(1)})));
    REQUIRE(failed.has_error());
    CHECK(failed.error().unique_violation());
    CHECK_THROWS_AS(db.wait(unit.commit()), std::logic_error);
    // The same connection, rolled back, serves the next caller.
    CHECK(db.count() == 0);
    CHECK(db.pool.stats().connects == 1);
  }
}

TEST_CASE("a constraint that is checked at COMMIT rolls back the unit of work") {
  database db;
  db.must({{"deferred", "ALTER TABLE item ALTER CONSTRAINT item_parent DEFERRABLE INITIALLY DEFERRED"}});
  auto unit = db.wait(db.pool.begin(database::soon()));
  REQUIRE(db.wait(unit.run(query{{"orphan", "INSERT INTO item (id, parent) VALUES (1, 99)"}})).has_value());
  auto const end = db.wait(unit.commit());
  REQUIRE(end.has_error());
  CHECK(end.error().foreign_key_violation());
  CHECK(db.count() == 0);
}

TEST_CASE("a dropped unit of work rolls back before anybody else gets its connection") {
  database db({.size = 1});
  {
    auto unit = db.wait(db.pool.begin(database::soon()));
    REQUIRE(db.wait(unit.run(insert(1))).has_value());
  }
  CHECK(db.count() == 0);
  CHECK(db.pool.stats().connects == 1);
  {
    auto unused = db.wait(db.pool.begin(database::soon()));
  }
  CHECK(db.pool.stats().idle == 1);
}

TEST_CASE("a transaction that a statement left open is rolled back") {
  database db({.size = 1});
  db.must({{"sneak", "BEGIN"}});
  db.must(insert(1));
  CHECK(db.count() == 1);
  CHECK(db.pool.stats().connects == 1);
}

TEST_CASE("a statement is sent after its wait for a connection, and reports when, for comparing clocks") {
  database db({.size = 1});
  auto unit = std::make_unique<postgres::unit_of_work>(db.wait(db.pool.begin(database::soon())));
  auto const asked = steady::now();
  steady_timer pause(db.io, milliseconds(300));
  pause.async_wait([&](boost::system::error_code) { unit.reset(); });
  postgres::query const clock{{"clock", "SELECT statement_timestamp()"}};
  steady::time_point sent{};
  REQUIRE(db.wait(db.pool.run(clock, database::soon(), sent)).has_value());
  CHECK(sent - asked >= milliseconds(300));
  CHECK(sent <= steady::now());
}
