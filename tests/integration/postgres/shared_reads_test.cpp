#include "fixture.hpp"

#include <boost/asio/co_spawn.hpp>

#include <optional>

using namespace svc;
using namespace svc::test;
using postgres::query;
using postgres::row_key;
using postgres::statement;

namespace {

/// Items have numbers, which are the last bytes of these keys.
row_key item(std::uint8_t number) {
  row_key out{};
  out.id.bytes.back() = number;
  return out;
}

constexpr statement labels_of{"labels_of", R"(
SELECT a.place, i.label FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY a (project, id, place)
  JOIN item i ON i.id = ('x' || right(a.id::text, 2))::bit(8)::int)"};

/// Answers that come some time; the texts of refusals and exceptions stand where a label would.
struct answers {
  std::vector<std::string> labels;
  std::size_t missing = 0;

  void ask(database& db, statement const& what, row_key key, deadline until = database::soon()) {
    auto const at = labels.size();
    labels.emplace_back();
    ++missing;
    asio::co_spawn(db.io, one(*this, at, db.pool, what, key, until), asio::detached);
  }
  void wait(database& db) {
    REQUIRE(db.until([&] { return missing == 0; }));
  }

 private:
  static task<> one(answers& to, std::size_t at, postgres::pool& pool, statement what, row_key key, deadline until) {
    std::string text;
    try {
      auto const found = co_await pool.read(what, key, until);
      text = found.has_error() ? found.error().sqlstate : *found ? std::string((**found).text(1)) : "none";
    } catch (unavailable const&) {
      text = "unavailable";
    }
    to.labels[at] = std::move(text);
    --to.missing;
  }
};

}  // namespace

TEST_CASE("reads of one turn share an execution, and each has its own row") {
  for (bool const prepared : {true, false}) {
    CAPTURE(prepared);
    database db({.prepared_statements = prepared});
    for (int id = 0; id < 100; ++id) db.run(insert(id, "row " + std::to_string(id)));
    auto const before = db.pool.stats();
    answers got;
    for (int id = 0; id < 100; ++id) got.ask(db, labels_of, item(static_cast<std::uint8_t>(id)));
    got.ask(db, labels_of, item(200));
    got.wait(db);
    for (std::size_t id = 0; id < 100; ++id) CHECK(got.labels[id] == "row " + std::to_string(id));
    CHECK(got.labels[100] == "none");
    auto const after = db.pool.stats();
    // 64 keys and 37.
    CHECK(after.queries - before.queries == 2);
    CHECK(after.transactions - before.transactions == 2);
  }
}

TEST_CASE("one key asked for twice is answered twice") {
  database db;
  db.run(insert(1, "7"));
  answers got;
  for (std::uint8_t const id : {1, 2, 1}) got.ask(db, labels_of, item(id));
  got.wait(db);
  CHECK(got.labels == std::vector<std::string>{"7", "none", "7"});
}

TEST_CASE("a statement that the server refuses fails for all who asked, and the next one is answered") {
  database db;
  db.run(insert(1, "x"));
  statement const number{"number_of",
                         "SELECT 1::bigint, (label::int8)::text FROM item WHERE $1::uuid[] <> $2::uuid[]"};
  answers got;
  for (std::uint8_t const id : {1, 2}) got.ask(db, number, item(id));
  row_key other = item(1);
  other.project.bytes.back() = 1;
  got.ask(db, number, other);
  got.ask(db, labels_of, item(1));
  got.wait(db);
  CHECK(got.labels == std::vector<std::string>{"22P02", "22P02", "22P02", "x"});
  CHECK(db.pool.stats().busy == 0);
}

TEST_CASE("a read sees what was committed before it was asked for, also while others are under way") {
  database db;
  db.run(insert(1, "0"));
  for (int round = 1; round <= 50; ++round) {
    answers got;
    for (int i = 0; i < 40; ++i) got.ask(db, labels_of, item(1));
    std::string const label = std::to_string(round);
    db.must({{"relabel", "UPDATE item SET label = $1 WHERE id = 1"}, parameters(label)});
    got.ask(db, labels_of, item(1));
    got.wait(db);
    REQUIRE(got.labels.back() == label);
  }
}

TEST_CASE("a locked table delays only its own readers") {
  database db({.size = 6});
  db.must({{"drop_other", "DROP TABLE IF EXISTS other"}});
  db.must({{"create_other", "CREATE TABLE other (label text)"}});
  db.must({{"insert_other", "INSERT INTO other VALUES ('free')"}});
  db.run(insert(1));
  auto lock = db.wait(db.pool.begin(database::soon()));
  REQUIRE(db.wait(lock.run(query{{"lock", "LOCK TABLE item"}})).has_value());

  constexpr statement labels_of_other{"labels_of_other", R"(
SELECT a.place, o.label FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY a (project, id, place), other o)"};
  answers stuck, free;
  // More than the connections that stuck reads may take.
  for (int i = 0; i < 200; ++i) stuck.ask(db, labels_of, item(1));
  stuck.ask(db, labels_of, item(1), deadline::after(milliseconds(50)));
  for (int i = 0; i < 200; ++i) free.ask(db, labels_of_other, item(1));
  free.wait(db);
  CHECK(free.labels == std::vector<std::string>(200, "free"));
  // A caller that gives up leaves the others alone.
  REQUIRE(db.until([&] { return stuck.missing == 200; }));
  CHECK(stuck.labels.back() == "unavailable");

  REQUIRE(db.wait(lock.commit()).has_value());
  stuck.wait(db);
  CHECK(stuck.labels.front() == "good");
  CHECK(stuck.labels[199] == "good");
}

TEST_CASE("reads end with their deadline, or at once when the database is gone") {
  database db({.connect_timeout = milliseconds(300)});
  answers late;
  late.ask(
      db,
      {"slow", "SELECT 1::bigint, 'late' FROM pg_sleep(5) WHERE $1::uuid[] <= $1::uuid[] AND $2::uuid[] IS NOT NULL"},
      item(1), deadline::after(milliseconds(100)));
  late.wait(db);
  CHECK(late.labels.front() == "unavailable");

  db.pool.stop();
  answers gone;
  for (int i = 0; i < 50; ++i) gone.ask(db, labels_of, item(1));
  gone.wait(db);
  CHECK(gone.labels == std::vector<std::string>(50, "unavailable"));
}
