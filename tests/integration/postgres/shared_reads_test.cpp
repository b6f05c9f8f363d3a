#include "fixture.hpp"

#include <boost/asio/co_spawn.hpp>

#include <optional>

using namespace svc;
using namespace svc::test;
using postgres::parameters;
using postgres::query;

namespace {

query label_of(std::int64_t id) {
  return {{"label_of", "SELECT label FROM item WHERE id = $1"}, parameters(id)};
}

/// Answers that come some time; the texts of refusals and exceptions stand where a label would.
struct answers {
  std::vector<std::string> labels;
  std::size_t missing = 0;

  void ask(database& db, query query, deadline until = database::soon()) {
    auto const position = labels.size();
    labels.emplace_back();
    ++missing;
    asio::co_spawn(db.io, one(*this, position, db.pool, std::move(query), until), asio::detached);
  }
  void wait(database& db) {
    REQUIRE(db.until([&] { return missing == 0; }));
  }

 private:
  static task<> one(answers& answers, std::size_t position, postgres::pool& pool, query query, deadline until) {
    std::string text;
    try {
      auto const found = co_await pool.read(std::move(query), until);
      text = found.has_error() ? found.error().sqlstate
             : found->empty()  ? "none"
                               : std::string(found->front().text(0));
    } catch (unavailable const&) {
      text = "unavailable";
    }
    answers.labels[position] = std::move(text);
    --answers.missing;
  }
};

}  // namespace

TEST_CASE("reads of one turn share transactions, and each has its own row") {
  for (bool const prepared : {true, false}) {
    CAPTURE(prepared);
    database db({.prepared_statements = prepared});
    for (int id = 0; id < 100; ++id) db.run(insert(id, "row " + std::to_string(id)));
    auto const before = db.pool.stats();
    answers got;
    for (int id = 0; id < 100; ++id) got.ask(db, label_of(id));
    got.ask(db, label_of(1000));
    got.wait(db);
    for (std::size_t id = 0; id < 100; ++id) CHECK(got.labels[id] == "row " + std::to_string(id));
    CHECK(got.labels[100] == "none");
    auto const after = db.pool.stats();
    CHECK(after.queries - before.queries == 101);
    // 32 in each.
    CHECK(after.transactions - before.transactions == 4);
  }
}

TEST_CASE("only the read that the server refuses fails") {
  database db;
  db.run(insert(1, "7"));
  db.run(insert(2, "x"));
  query const number{{"number_of", "SELECT (label::int8 + 1)::text FROM item WHERE id = $1"}};
  answers got;
  for (std::int64_t const id : {1, 2, 1, 3}) got.ask(db, {number.statement, parameters(id)});
  got.wait(db);
  CHECK(got.labels == std::vector<std::string>{"8", "22P02", "8", "none"});
  CHECK(db.pool.stats().busy == 0);
}

TEST_CASE("a read sees all earlier commits, also while others are in progress") {
  database db;
  db.run(insert(1, "0"));
  for (int round = 1; round <= 50; ++round) {
    answers got;
    for (int i = 0; i < 40; ++i) got.ask(db, label_of(1));
    std::string const label = std::to_string(round);
    db.must({{"relabel", "UPDATE item SET label = $1 WHERE id = 1"}, parameters(label)});
    got.ask(db, label_of(1));
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

  answers stuck, free;
  // More than the connections that stuck reads may take.
  for (int i = 0; i < 200; ++i) stuck.ask(db, label_of(1));
  stuck.ask(db, label_of(1), deadline::after(milliseconds(50)));
  for (int i = 0; i < 200; ++i) free.ask(db, {{"label_of_other", "SELECT label FROM other"}});
  free.wait(db);
  CHECK(free.labels == std::vector<std::string>(200, "free"));
  // A caller that gives up does not affect the others.
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
  late.ask(db, {{"slow", "SELECT 'late' FROM pg_sleep(5)"}}, deadline::after(milliseconds(100)));
  late.wait(db);
  CHECK(late.labels.front() == "unavailable");

  db.pool.stop();
  answers gone;
  for (int i = 0; i < 50; ++i) gone.ask(db, label_of(1));
  gone.wait(db);
  CHECK(gone.labels == std::vector<std::string>(50, "unavailable"));
}
