// Checks out of turn.
#include "integration/monitoring/scheduler/watching.hpp"

#include "svc/monitoring/scheduler/check_answers.hpp"
#include "svc/store/monitors/check_history.hpp"
#include "svc/store/monitors/check_requests.hpp"

using namespace svc;
using namespace svc::test;
using checks::kind;
using checks::status;

namespace {

struct asking : watching {
  result<uuid> asked(uuid monitor) { return wait(requests.ask(as_ed(), monitor, soon())); }
  uuid ask(uuid monitor) { return asked(monitor).value(); }
  store::check_requests::state look(uuid request) { return wait(requests.look(request, soon())); }
  void answer(scheduler::check_scheduler& scheduler) {
    wait(scheduler.begin_requested());
    settle();
    wait(scheduler.flush());
  }

  store::check_requests requests{pool};
};

}  // namespace

TEST_CASE("a check that is asked for is made at once, out of turn, and counts once") {
  asking db;
  auto const id = db.make_monitor().id;
  scheduler::check_scheduler scheduler(db.parts()), other(db.parts());
  db.pass(scheduler);
  REQUIRE(db.get(id).verdict == "up");
  db.world.are[id] = status::down;
  auto const request = db.ask(id);
  CHECK(db.ask(id) == request);
  CHECK(db.audit_rows("monitor.checked") == 2);
  CHECK_FALSE(db.look(request).closed);
  CHECK(db.wait(db.requests.closed({request}, db.soon())).empty());
  // The other one believes to hold the shard too, and makes the same check.
  db.as_owner(
      "UPDATE check_shards SET lease_until = now() - interval '1 s';"
      "UPDATE check_holders SET seen_at = now() - interval '1 min'");
  db.wait(other.hold_shards());
  db.wait(scheduler.begin_requested());
  db.wait(other.begin_requested());
  db.settle();
  db.wait(scheduler.flush());
  db.wait(other.flush());
  CHECK(db.world.asked[id] == 3);
  CHECK(scheduler.stats().refused + other.stats().refused == 1);
  auto const answered = db.look(request);
  CHECK(db.wait(db.requests.closed({request}, db.soon())) == std::vector{request});
  CHECK(answered.closed);
  REQUIRE(answered.found);
  CHECK(answered.found->result.ended == status::down);
  CHECK(answered.found->result.asked_by == kind::manual);
  CHECK(answered.found->details.find("connect_refused") != std::string::npos);
  CHECK(db.get(id).verdict == "down");
  // The first check stands for the time until the next slot, which may be none.
  CHECK(db.rows("check_raw") == 2);
  CHECK(db.rows("check_raw WHERE covers > 0") <= 1);
  // Its slots are as they were.
  db.world.are[id] = status::up;
  db.pass_minute({&other}, 1);
  db.wait(other.flush());
  CHECK(db.get(id).verdict == "up");
  CHECK(db.rows("check_raw") == 3);
  CHECK(db.ask(id) != request);
}

TEST_CASE("a check that is asked for takes no slot from one that is late") {
  asking db;
  auto const id = db.make_monitor().id;
  scheduler::check_scheduler scheduler(db.parts());
  db.pass(scheduler);
  // Its slot of the first minute lies behind one of these; what was asked for is made first.
  check_clock const now(db.begun());
  for (int second = 15; second <= 60; second += 15) {
    later const then(second);
    db.ask(id);
    db.answer(scheduler);
    db.check(scheduler);
  }
  CHECK(scheduler.stats().refused == 0);
  CHECK(db.rows("check_raw") == 6);
  CHECK(db.rows("check_raw WHERE covers = 60") >= 1);
  CHECK(db.rows("check_raw WHERE covers > 0") <= 2);
}

TEST_CASE("a request waits for a check that is going on, and ends unanswered when it is too old") {
  asking db;
  auto const id = db.make_monitor().id;
  scheduler::check_scheduler scheduler(db.parts());
  db.world.hang = true;
  db.pass(scheduler);
  CHECK(scheduler.stats().running == 1);
  auto const request = db.ask(id);
  db.answer(scheduler);
  CHECK(db.world.asked[id] == 1);
  db.as_owner("UPDATE check_requests SET requested_at = now() - interval '61 s'");
  db.answer(scheduler);
  auto const ended = db.look(request);
  CHECK(ended.closed);
  CHECK_FALSE(ended.found);
  CHECK(db.wait(scheduler.stop(db.soon())).all_ended);
}

TEST_CASE("a result that arrives when its request is closed does not count") {
  asking db;
  auto const id = db.make_monitor().id;
  scheduler::check_scheduler scheduler(db.parts());
  db.pass(scheduler);
  db.ask(id);
  db.wait(scheduler.begin_requested());
  db.settle();
  db.as_owner("UPDATE check_requests SET closed_at = now()");
  db.wait(scheduler.flush());
  CHECK(scheduler.stats().refused == 1);
  CHECK(db.rows("check_raw") == 1);
}

TEST_CASE("a check that is requested after an edit is made again once its holder has learned of the edit") {
  asking db;
  auto const id = db.make_monitor().id;
  scheduler::check_scheduler scheduler(db.parts());
  db.pass(scheduler);
  edit_monitor(db, id, [](monitor_settings& set) { set.config = R"({"method":"HEAD"})"; });
  auto const request = db.ask(id);
  db.answer(scheduler);
  CHECK(scheduler.stats().refused == 1);
  CHECK_FALSE(db.look(request).closed);
  db.wait(scheduler.take_news());
  db.answer(scheduler);
  CHECK(db.look(request).found.has_value());
}

TEST_CASE("a check of a monitor that is not checked cannot be requested") {
  asking db;
  auto const id = db.make_monitor().id;
  CHECK(failure(db.asked(uuid::generate_v7())) == errc::not_found);
  CHECK(failure(db.wait(db.requests.ask(db.elsewhere(), id, db.soon()))) == errc::not_found);
  edit_monitor(db, id, [](monitor_settings& set) { set.enabled = false; }, "paused");
  CHECK(failure(db.asked(id)) == errc::monitor_paused);
  CHECK(db.rows("check_requests") == 0);
  CHECK(db.audit_rows("monitor.checked") == 0);
}

TEST_CASE("requests that wait for a check learn of its end by one shared look") {
  asking db;
  auto const id = db.make_monitor().id;
  scheduler::check_scheduler scheduler(db.parts());
  db.pass(scheduler);
  scheduler::check_answers answers(db.io, db.requests);
  auto const request = db.ask(id);
  std::vector<store::check_requests::state> ended;
  for (int i = 0; i < 2; ++i)
    asio::co_spawn(db.io, answers.until_closed(request, db.soon()),
                   [&](std::exception_ptr, store::check_requests::state s) { ended.push_back(std::move(s)); });
  db.settle();
  db.wait(answers.look());
  CHECK(ended.empty());
  db.answer(scheduler);
  db.wait(answers.look());
  while (ended.size() < 2) db.io.run_one();
  for (auto const& each : ended) {
    CHECK(each.closed);
    REQUIRE(each.found);
    CHECK(each.found->result.asked_by == kind::manual);
  }
  // Nobody waits any more, also not for what nobody answers, once the instance drains.
  answers.drain();
  auto const late = db.wait(answers.until_closed(db.ask(id), db.soon()));
  CHECK_FALSE(late.closed);
}
