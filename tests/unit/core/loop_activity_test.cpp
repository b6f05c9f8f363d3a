#include "svc/core/loop_activity.hpp"

#include "svc/core/turns.hpp"

#include <doctest/doctest.h>
#include <boost/asio/post.hpp>

#include <stdexcept>
#include <vector>

using namespace svc;
using namespace std::chrono_literals;

namespace {

account_owner project_numbered(std::uint8_t number) {
  return {.project = {{number}}};
}

struct charged {
  std::uint8_t project;
  std::chrono::nanoseconds spent;
  bool operator==(charged const&) const = default;
};

}  // namespace

TEST_CASE("a turn is charged to the owner that it works for, from when it starts to") {
  std::vector<charged> all;
  loop_activity activity("test");
  activity.charge_to([&](account_owner const& owner, std::chrono::nanoseconds spent, steady::time_point) {
    all.push_back({owner.project.bytes[0], spent});
  });
  steady::time_point const start(1h);
  activity.end_turn(start, 1ms);  // without an owner
  CHECK(all.empty());

  activity.work_for(project_numbered(1), start);
  CHECK(activity.project() == uuid{{1}});
  activity.end_turn(start + 3ms, 5ms);  // started late in the turn
  activity.work_for(project_numbered(2), start + 10ms);
  activity.end_turn(start + 50ms, 2ms);  // preempted
  activity.work_for(project_numbered(1), start + 60ms);
  activity.work_for(project_numbered(1), start + 61ms);
  activity.work_for(project_numbered(3), start + 64ms);  // two owners in one turn
  activity.end_turn(start + 65ms, 5ms);
  activity.end_turn(start + 70ms, 5ms);  // the owner of a turn is not that of the next one
  CHECK(all == std::vector<charged>{{1, 3ms}, {2, 2ms}, {1, 4ms}, {3, 1ms}});
  CHECK(activity.project() == uuid{});
  CHECK(activity.turns_ended() == 5);
  CHECK(activity.longest() == 5ms);
}

TEST_CASE("a turn of more than a second is reported once, with its project") {
  loop_activity activity("test");
  steady::time_point const start(1h);
  activity.work_for(project_numbered(7), start);
  activity.end_turn(start + 1s, 1s);
  CHECK(activity.take_long_turn().lasted == 0ms);
  activity.work_for(project_numbered(7), start + 1s);
  activity.end_turn(start + 3s, 1200ms);
  auto const seen = activity.take_long_turn();
  CHECK(seen.lasted == 1200ms);
  CHECK(seen.project == uuid{{7}});
  CHECK(activity.take_long_turn().lasted == 0ms);
}

TEST_CASE("an exception that a handler throws is counted, and the loop continues with the queued work") {
  asio::io_context io{1};
  loop_activity activity("test");
  turn_meter meter(steady::now(), {});
  int ran = 0;
  asio::post(io, [] { throw std::logic_error("a bug"); });
  asio::post(io, [&] { ++ran; });
  asio::post(io, [] { throw 7; });
  asio::post(io, [&] {
    ++ran;
    work_for({.project = {{5}}});
    CHECK(working_for().project == uuid{{5}});
  });
  run_turns(io, meter, activity);
  CHECK(ran == 2);
  CHECK(activity.failures() == 2);
  CHECK(activity.turns_ended() >= 4);
  // This thread has no loop.
  work_for({.project = {{5}}});
  CHECK(working_for().project == uuid{});
}
