// Checks out of turn.
#include "watching.hpp"

#include "svc/store/check_history.hpp"
#include "svc/store/check_requests.hpp"

using namespace svc;
using namespace svc::test;
using checks::kind;
using checks::status;

namespace {

struct asking : watching {
  std::optional<uuid> ask(uuid monitor, kind asked_by = kind::manual) {
    return wait(requests.ask(project, monitor, asked_by, soon()));
  }
  store::check_requests::state look(uuid request) { return wait(requests.look(request, soon())); }
  void answer(watch::check_holder& one) {
    wait(one.begin_requested());
    settle();
    wait(one.flush());
  }

  store::check_requests requests{pool};
};

}  // namespace

TEST_CASE("a check that is asked for is made at once, out of turn, and counts once") {
  asking db;
  auto const id = db.make_monitor().id;
  watch::check_holder one(db.parts()), other(db.parts());
  db.pass(one);
  REQUIRE(db.get(id).verdict == "up");
  db.world.are[id] = status::down;
  auto const request = db.ask(id);
  REQUIRE(request);
  CHECK(db.ask(id, kind::confirm) == request);
  CHECK_FALSE(db.look(*request).closed);
  // The other one believes to hold the shard too, and makes the same check.
  db.as_owner(
      "UPDATE check_shards SET lease_until = now() - interval '1 s';"
      "UPDATE check_holders SET seen_at = now() - interval '1 min'");
  db.wait(other.hold_shards());
  db.wait(one.begin_requested());
  db.wait(other.begin_requested());
  db.settle();
  db.wait(one.flush());
  db.wait(other.flush());
  CHECK(db.world.asked[id] == 3);
  CHECK(one.stats().refused + other.stats().refused == 1);
  auto const answered = db.look(*request);
  CHECK(answered.closed);
  REQUIRE(answered.found);
  CHECK(answered.found->of.ended == status::down);
  CHECK(answered.found->of.asked_by == kind::manual);
  CHECK(answered.found->details.find("connect_refused") != std::string::npos);
  CHECK(db.get(id).verdict == "down");
  CHECK(db.words("SELECT count(*)::text || ' ' || sum(covers) FROM check_raw") == "2 60");
  // Its slots are as they were.
  db.world.are[id] = status::up;
  db.pass_minute({&other}, 1);
  db.wait(other.flush());
  CHECK(db.get(id).verdict == "up");
  CHECK(db.rows("check_raw") == 3);
  CHECK(db.ask(id) != request);
}

TEST_CASE("a request waits for a check that is going on, and ends unanswered when it is too old") {
  asking db;
  auto const id = db.make_monitor().id;
  watch::check_holder one(db.parts());
  db.world.hang = true;
  db.pass(one);
  CHECK(one.stats().running == 1);
  auto const request = db.ask(id);
  REQUIRE(request);
  db.answer(one);
  CHECK(db.world.asked[id] == 1);
  db.as_owner("UPDATE check_requests SET requested_at = now() - interval '61 s'");
  db.answer(one);
  auto const ended = db.look(*request);
  CHECK(ended.closed);
  CHECK_FALSE(ended.found);
  CHECK(db.wait(one.stop(db.soon())).all_ended);
}

TEST_CASE("a result that comes when its request is closed does not count") {
  asking db;
  auto const id = db.make_monitor().id;
  watch::check_holder one(db.parts());
  db.pass(one);
  auto const request = db.ask(id);
  REQUIRE(request);
  db.wait(one.begin_requested());
  db.settle();
  db.as_owner("UPDATE check_requests SET closed_at = now()");
  db.wait(one.flush());
  CHECK(one.stats().refused == 1);
  CHECK(db.rows("check_raw") == 1);
}

TEST_CASE("what is not checked cannot be asked for") {
  asking db;
  auto const id = db.make_monitor().id;
  CHECK_FALSE(db.ask(uuid::generate_v7()));
  CHECK_FALSE(db.wait(db.requests.ask(uuid::generate_v7(), id, kind::manual, db.soon())));
  edit_monitor(db, id, [](monitor_settings& set) { set.enabled = false; }, "paused");
  CHECK_FALSE(db.ask(id));
  CHECK(db.rows("check_requests") == 0);
}
