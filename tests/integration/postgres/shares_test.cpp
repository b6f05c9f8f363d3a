// Tests how projects share the connections of a pool.
#include "fixture.hpp"
#include "svc/core/account.hpp"

#include <boost/asio/detached.hpp>

using namespace svc;
using namespace svc::test;
using postgres::query;

namespace {

account_owner make_owner() {
  return {.project = uuid::generate_v7(), .organisation = uuid::generate_v7()};
}

struct outcomes {
  int left = 0, done = 0, failed = 0;
};

/// Changes the only row; ends when its lock is free or its deadline has passed.
task<> change_row(postgres::pool& pool, deadline until, outcomes& counted) {
  try {
    co_await pool.run(query{{"change", "UPDATE item SET label = 'x' WHERE id = 1"}}, until);
    ++counted.done;
  } catch (unavailable const&) {
    ++counted.failed;
  }
  --counted.left;
}

void change_row_often(database& db, account_owner const& owner, int times, outcomes& counted) {
  counted.left += times;
  auto const until = deadline::after(std::chrono::seconds(20)).charged_to(owner);
  for (int i = 0; i < times; ++i) asio::co_spawn(db.io, change_row(db.pool, until, counted), asio::detached);
}

/// Returns the time of a read for another owner.
milliseconds time_of_read(database& db, account_owner const& owner) {
  auto const start = steady::now();
  auto const until = deadline::after(std::chrono::seconds(10)).charged_to(owner);
  CHECK(db.wait(db.pool.run(query{{"one", "SELECT 1::int8"}}, until)).value().front().integer(0) == 1);
  return std::chrono::duration_cast<milliseconds>(steady::now() - start);
}

/// A limit well below the time for which the row stays locked.
constexpr milliseconds at_once{1000};

}  // namespace

TEST_CASE("a thousand changes of one locked row keep no other project from the database") {
  database db({.size = 8, .statement_timeout = std::chrono::seconds(30), .lock_timeout = std::chrono::seconds(20)});
  locked_row row(db);

  outcomes counted;
  auto const greedy = make_owner();
  change_row_often(db, greedy, 1000, counted);
  REQUIRE(db.until([&] { return db.pool.stats().busy == 4 && db.pool.stats().waiting == 996; }));
  // Callers that wait for their share say nothing about the load of others.
  CHECK(db.pool.queue_time(steady::now()) == steady::duration(0));
  CHECK(db.pool.queue_time(greedy, steady::now()) > steady::duration(0));
  CHECK(db.pool.queue_time(make_owner(), steady::now()) == steady::duration(0));
  for (int i = 0; i < 20; ++i) CHECK(time_of_read(db, make_owner()) < at_once);

  // A second project may not exhaust the pool either, nor a third.
  change_row_often(db, make_owner(), 100, counted);
  REQUIRE(db.until([&] { return db.pool.stats().busy == 6; }));
  for (int i = 0; i < 20; ++i) CHECK(time_of_read(db, make_owner()) < at_once);
  change_row_often(db, make_owner(), 100, counted);
  REQUIRE(db.until([&] { return db.pool.stats().busy == 7; }));
  for (int i = 0; i < 20; ++i) CHECK(time_of_read(db, make_owner()) < at_once);
  CHECK(counted.left == 1200);

  row.release();
  REQUIRE(db.until([&] { return counted.left == 0; }, std::chrono::seconds(20)));
  CHECK(counted.done == 1200);
  CHECK(db.pool.stats().busy == 0);
}

TEST_CASE("one project's waiting callers are bounded, and an account shows the owner that exhausted its share") {
  postgres::settings settings{.size = 4,
                              .statement_timeout = std::chrono::seconds(30),
                              .lock_timeout = std::chrono::seconds(20),
                              .max_waiting_of_project = 10};
  account counted_all(postgres::terms_of_connections(settings, 1));
  settings.connections = &counted_all;
  database db(settings);
  locked_row row(db);

  outcomes counted;
  auto const greedy = make_owner();
  change_row_often(db, greedy, 2, counted);
  REQUIRE(db.until([&] { return db.pool.stats().busy == 2; }));
  change_row_often(db, greedy, 11, counted);
  REQUIRE(db.until([&] { return counted.failed == 1; }));
  CHECK(db.pool.stats().busy == 2);
  CHECK(db.pool.stats().waiting == 10);
  CHECK(counted_all.held() == 2);
  CHECK(counted_all.sums_of(greedy).project == 2);
  CHECK(counted_all.refused() == 11);
  CHECK(time_of_read(db, make_owner()) < at_once);

  row.release();
  REQUIRE(db.until([&] { return counted.left == 0; }, std::chrono::seconds(20)));
  CHECK(counted.done == 12);
  CHECK(counted_all.held() == 0);
}
