#include "svc/egress/mail/mail_pace.hpp"

#include "svc/store/delivery/delivery_store.hpp"

#include <doctest/doctest.h>

using namespace svc;

TEST_CASE(
    "an instance starts a limited number of mails per second, and pays for further recipients before the next mail") {
  egress::mail_pace pace(10);
  auto const start = steady::time_point(std::chrono::hours(1));
  CHECK(pace.room(start) == 10);
  pace.spend(10);
  CHECK(pace.room(start) == 0);
  CHECK(pace.room(start + milliseconds(99)) == 0);
  CHECK(pace.room(start + milliseconds(101)) == 1);
  pace.spend(20);
  CHECK(pace.room(start + milliseconds(1101)) == 0);
  CHECK(pace.room(start + milliseconds(2102)) == 1);
  // No more than a second's mails are saved.
  CHECK(pace.room(start + std::chrono::hours(5)) == 10);
  // A clock that stands still gives nothing.
  pace.spend(10);
  CHECK(pace.room(start) == 0);
}

TEST_CASE("projects take turns at mail, and other messages need no turn") {
  auto const id = uuid::generate_v7(), other = uuid::generate_v7();
  store::delivery_load load;
  load.mail_room = 3;
  CHECK_FALSE(load.begin_round());
  load.add(id, "email");
  CHECK_FALSE(load.has_room(id, "email"));
  CHECK(load.has_room(id, "slack"));
  CHECK(load.has_room(other, "email"));
  load.add(other, "email");
  CHECK(load.begin_round());
  CHECK(load.has_room(id, "email"));
  load.add(id, "email");
  CHECK(load.mails_full());
  CHECK_FALSE(load.has_room(other, "email"));
  CHECK(load.has_room(other, "webhook"));
  // The end of an attempt gives its place back, and neither its turn nor the pace.
  load.remove(id, "email");
  CHECK(load.mails == 2);
  CHECK(load.mails_full());
  load.mail_room = 1;
  CHECK_FALSE(load.has_room(id, "email"));
}

TEST_CASE("a round of mails is bounded in projects") {
  store::delivery_load load;
  load.mail_room = 2'000;
  auto const first = uuid::generate_v7();
  load.add(first, "email");
  for (std::size_t i = 1; i < store::delivery_load::most_turns; ++i) load.add(uuid::generate_v7(), "email");
  load.mails = 0;
  CHECK_FALSE(load.has_room(first, "email"));
  load.add(uuid::generate_v7(), "email");
  load.mails = 0;
  CHECK(load.has_room(first, "email"));
  CHECK(load.had_turn.size() == 1);
}
