#include "svc/live/output/right_watch.hpp"

#include <doctest/doctest.h>

namespace svc::output {
namespace {

using state = access::permission_state;
using verdict = right_watch::verdict;
using std::chrono::seconds;

steady::time_point const admitted = steady::time_point(seconds(1000));
constexpr seconds ping_interval{15};

state granted(std::int64_t epoch) {
  return {state::kind::granted, epoch};
}

right_watch begun() {
  right_watch out(7, ping_interval);
  out.begin(admitted);
  return out;
}

TEST_CASE("a valid right is verified with each heartbeat, which is sent after it, once") {
  auto right = begun();
  for (auto time = admitted + ping_interval; time < admitted + 4 * ping_interval; time += ping_interval) {
    CHECK(right.due() == time);
    CHECK_FALSE(right.ask(time - milliseconds(1)));
    CHECK(right.ask(time));
    // One check at a time, and nothing else happens before its answer.
    CHECK_FALSE(right.ask(time + ping_interval));
    CHECK(right.due() == steady::time_point::max());
    CHECK_FALSE(right.take_ping());
    CHECK(right.at_least() == 0);
    CHECK(right.answered(granted(7), time) == verdict::goes_on);
    CHECK_FALSE(right.needs_revalidation());
    CHECK(right.take_ping());
    CHECK_FALSE(right.take_ping());
  }
}

TEST_CASE("an advanced epoch causes a verification at once, and ends with a look that knows of it") {
  struct {
    char const* name;
    std::int64_t bumped;
    bool news;
  } const cases[] = {{"older", 6, false}, {"the same", 7, false}, {"newer", 8, true}};
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto right = begun();
    auto const now = admitted + seconds(3);
    CHECK(right.advance(c.bumped, now) == c.news);
    CHECK(right.needs_revalidation() == c.news);
    CHECK(right.ask(now) == c.news);
    if (!c.news) continue;
    CHECK(right.at_least() == 8);
    CHECK_FALSE(right.advance(8, now));
    CHECK(right.answered(granted(8), now + seconds(1)) == verdict::goes_on);
    CHECK_FALSE(right.needs_revalidation());
    CHECK(right.at_least() == 0);
    // The heartbeat is not due yet, and its time does not change.
    CHECK_FALSE(right.take_ping());
    CHECK(right.due() == admitted + ping_interval);
    CHECK_FALSE(right.advance(8, now));
  }
}

TEST_CASE("an epoch that is advanced during a look needs another one, at once") {
  auto right = begun();
  right.advance(8, admitted);
  CHECK(right.ask(admitted));
  CHECK(right.advance(9, admitted + seconds(1)));
  CHECK_FALSE(right.ask(admitted + seconds(1)));
  auto const now = admitted + seconds(2);
  CHECK(right.answered(granted(8), now) == verdict::goes_on);
  CHECK(right.needs_revalidation());
  CHECK(right.due() == now);
  CHECK(right.ask(now));
  CHECK(right.at_least() == 9);
  CHECK(right.answered(granted(9), now) == verdict::goes_on);
  CHECK_FALSE(right.needs_revalidation());
}

TEST_CASE("while the right is unknown it asks each second, sends only heartbeats, and gives up after 30 s") {
  auto right = begun();
  auto now = admitted + ping_interval;
  auto const since = now;
  int pings = 0;
  while (now <= since + right_watch::longest_revalidation) {
    REQUIRE(right.ask(now));
    REQUIRE(right.answered({}, now) == verdict::goes_on);
    CHECK(right.needs_revalidation());
    pings += right.take_ping() ? 1 : 0;
    CHECK(right.due() == now + right_watch::pause);
    now += right_watch::pause;
  }
  CHECK(pings == 3);
  CHECK(right.ask(now));
  CHECK(right.answered({}, now) == verdict::lost);
}

TEST_CASE("the time of a verification counts from its start, and again after a look that confirmed the right") {
  auto right = begun();
  CHECK(right.advance(8, admitted));
  CHECK(right.advance(9, admitted + seconds(20)));
  auto older = right;
  CHECK(older.answered({}, admitted + seconds(30) + milliseconds(1)) == verdict::lost);
  CHECK(right.answered({}, admitted + seconds(30)) == verdict::goes_on);
  CHECK(right.answered(granted(9), admitted + seconds(30)) == verdict::goes_on);
  CHECK(right.answered({}, admitted + seconds(40)) == verdict::goes_on);
  CHECK(right.answered({}, admitted + seconds(70)) == verdict::goes_on);
  CHECK(right.answered({}, admitted + seconds(70) + milliseconds(1)) == verdict::lost);
}

TEST_CASE("a right that was withdrawn ends the stream, with no heartbeat before") {
  auto right = begun();
  CHECK(right.ask(admitted + ping_interval));
  CHECK(right.answered({state::kind::withdrawn, 0}, admitted + ping_interval) == verdict::withdrawn);
  CHECK_FALSE(right.take_ping());
}

}  // namespace
}  // namespace svc::output
