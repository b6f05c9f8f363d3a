// Heartbeats after a time in which nobody listened: when it is recorded, and how late it makes them.
#include "heartbeat_fixture.hpp"

using namespace svc;
using namespace svc::test;

TEST_CASE("nothing is judged while nobody listens, nor before it could be said again") {
  beating_shop db;
  auto const id = db.make_heartbeat(R"({"schedule":{"everySeconds":60},"graceSeconds":60})");
  db.ping(id);
  // All instances were away for ten minutes: the deadline lies in that time.
  db.shift(600);
  db.blind_for(600);
  CHECK(db.wait(db.hearts.evaluate(db.soon())) == 0);
  auto const blind = db.listen();
  REQUIRE(blind);
  CHECK(blind->count() >= 600);
  CHECK_FALSE(db.listen());
  CHECK(db.evaluate() == 1);
  CHECK(db.status(id) == "up");
  // The deadline is a period and the grace from now.
  CHECK(db.number({{"left", "SELECT extract(epoch FROM deadline_at - clock_timestamp())::bigint FROM heartbeats"}}) >
        60);
  CHECK(db.ping(id));
  CHECK(db.status(id) == "up");
  CHECK(db.rows("outages") == 0);

  SUBCASE("another such time soon after belongs to the first") {
    db.shift(700);
    db.as_owner(
        "UPDATE heartbeat_listening SET deaf_from = deaf_from - interval '700 s', deaf_to = deaf_to - interval '700 "
        "s'");
    db.blind_for(300);
    db.listen();
    CHECK(db.number({{"merged", "SELECT extract(epoch FROM deaf_to - deaf_from)::bigint FROM heartbeat_listening"}}) >
          1200);
    CHECK(db.evaluate() == 1);
    CHECK(db.status(id) == "up");
  }
  SUBCASE("who stays away is down when the time is over") {
    db.as_owner(
        "UPDATE heartbeats SET due_at = clock_timestamp() - interval '300 s', deadline_at = clock_timestamp() - "
        "interval '4 s'");
    db.as_owner(
        "UPDATE heartbeat_listening SET deaf_from = clock_timestamp() - interval '320 s',"
        " deaf_to = clock_timestamp() - interval '125 s'");
    CHECK(db.evaluate() == 1);
    CHECK(db.status(id) == "down");
  }
}

TEST_CASE("a blind window starts with the last record of any instance, or of one whose attempts failed since") {
  beating_shop db;
  auto const age = store::listening_age.count();
  db.blind_for(age - 1);
  CHECK_FALSE(db.listen());
  db.blind_for(age + 1);
  CHECK(db.listen()->count() >= age);

  auto const mine = db.wait(db.hearts.listen({}, db.soon())).heard_at;
  db.as_owner("UPDATE heartbeat_listening SET deaf_from = NULL, deaf_to = NULL");
  // Another instance has listened since, but it may have missed an absence between two of its records.
  CHECK_FALSE(db.listen());
  CHECK(db.listen(mine));
  CHECK(db.number({{"from", "SELECT (extract(epoch FROM deaf_from) * 1000000)::bigint FROM heartbeat_listening"}}) ==
        mine.micros);
  CHECK(db.number({{"to", "SELECT count(*) FROM heartbeat_listening WHERE deaf_to = heard_at"}}) == 1);
}

TEST_CASE("a heartbeat that was lost in an absence of a second is late only when it could have been repeated") {
  beating_shop db;
  auto const id = db.make_heartbeat(R"({"schedule":{"everySeconds":30},"graceSeconds":0})");
  db.ping(id);
  db.shift(20);
  auto const before = db.wait(db.hearts.listen({}, db.soon())).heard_at;
  CHECK(db.listen(before));
  // Eleven seconds later the heartbeat is late.
  db.as_owner(
      "UPDATE heartbeat_listening SET deaf_from = deaf_from - interval '15 s', deaf_to = deaf_to - interval '15 s'");
  db.shift(15);
  CHECK(db.evaluate() == 1);
  CHECK(db.status(id) == "up");
  db.shift(30);
  db.as_owner(
      "UPDATE heartbeat_listening SET deaf_from = deaf_from - interval '30 s', deaf_to = deaf_to - interval '30 s'");
  CHECK(db.evaluate() == 1);
  CHECK(db.status(id) == "down");
}
