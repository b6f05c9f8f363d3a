#include "svc/core/background_loops.hpp"

#include "support/run_task.hpp"
#include "svc/core/result.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

using namespace svc;
using std::chrono::seconds;

namespace {

using loop_news = background_loop::news;

enum class loop_event { success, away, odd, rest };

struct loop_step {
  seconds entry;
  loop_event event;
  loop_news reported;
  loop_health shown;
};

struct loop_story {
  std::string name;
  std::vector<loop_step> steps;
};

loop_news book(background_loop& loop, loop_step const& step, steady::time_point now) {
  loop.begins(now);
  switch (step.event) {
    case loop_event::success:
      return loop.succeeded(now);
    case loop_event::away:
      return loop.failed(now, true);
    case loop_event::odd:
      return loop.failed(now, false);
    case loop_event::rest:
      loop.rests();
  }
  return loop_news::none;
}

TEST_CASE("a loop reports each change of its health once; an unavailable store only when that lasts") {
  using enum loop_event;
  using enum loop_health;
  // With an interval of a second, whose limit is 33 s.
  std::vector<loop_story> const stories{
      {"an odd error",
       {{seconds(1), success, loop_news::none, good},
        {seconds(2), odd, loop_news::failed, failing},
        {seconds(3), odd, loop_news::none, failing},
        {seconds(34), odd, loop_news::none, failing},
        {seconds(35), odd, loop_news::stalled, still},
        {seconds(36), odd, loop_news::none, still},
        {seconds(37), success, loop_news::goes_on, good},
        {seconds(38), success, loop_news::none, good},
        {seconds(39), odd, loop_news::failed, failing}}},
      {"a store away",
       {{seconds(1), success, loop_news::none, good},
        {seconds(2), away, loop_news::none, failing},
        {seconds(3), success, loop_news::none, good},
        {seconds(36), away, loop_news::none, failing},
        {seconds(37), away, loop_news::stalled, still},
        {seconds(38), away, loop_news::none, still},
        {seconds(39), success, loop_news::goes_on, good}}},
      {"both",
       {{seconds(1), away, loop_news::none, failing},
        {seconds(2), odd, loop_news::failed, failing},
        {seconds(3), away, loop_news::none, failing},
        {seconds(4), success, loop_news::goes_on, good}}},
      {"never a success", {{seconds(34), odd, loop_news::stalled, still}}},
      {"a rest",
       {{seconds(1), success, loop_news::none, good},
        {seconds(2), odd, loop_news::failed, failing},
        {seconds(3), rest, loop_news::none, good},
        {seconds(500), odd, loop_news::failed, failing},
        {seconds(501), success, loop_news::goes_on, good}}},
  };
  for (auto const& story : stories) {
    CAPTURE(story.name);
    background_loop loop("relay", "0", seconds(1));
    auto const start = steady::now();
    for (auto const& step : story.steps) {
      CAPTURE(step.entry.count());
      CHECK(book(loop, step, start + step.entry) == step.reported);
      CHECK(loop.at(start + step.entry).health == step.shown);
    }
  }
}

TEST_CASE("a loop waits longer after each unexpected error in a row, but not for an unavailable store") {
  struct {
    milliseconds interval;
    std::vector<milliseconds> pauses;  ///< after so many errors; the first: after none
  } const cases[] = {
      {milliseconds(1000),
       {milliseconds(1000), milliseconds(1000), milliseconds(2000), milliseconds(4000), milliseconds(5000),
        milliseconds(5000)}},
      {milliseconds(200), {milliseconds(200), milliseconds(200), milliseconds(400), milliseconds(800)}},
      {milliseconds(60'000), {milliseconds(60'000), milliseconds(60'000), milliseconds(60'000)}},
  };
  for (auto const& value : cases) {
    background_loop loop("x", "0", value.interval);
    auto const now = steady::now();
    for (auto const& expected : value.pauses) {
      CHECK(loop.pause() == expected);
      loop.failed(now, false);
    }
    loop.succeeded(now);
    for (int i = 0; i < 10; ++i) loop.failed(now, true);
    CHECK(loop.pause() == value.interval);
  }
}

task<> act(int& times) {
  ++times;
  if (times == 1) throw std::logic_error("odd");
  if (times == 2) throw unavailable("away");
  co_return;
}

task<> wait_until(asio::io_context& io, std::function<bool()> so) {
  steady_timer timer(io);
  while (!so()) {
    timer.expires_after(milliseconds(1));
    co_await timer.async_wait(awaiting);
  }
}

TEST_CASE("a loop continues after any exception of a step, and pauses while it must not run") {
  asio::io_context io{1};
  auto const loop = std::make_shared<background_loop>("x", "0", milliseconds(2));
  int times = 0;
  bool goes_on = true;
  asio::co_spawn(
      io, repeat(loop, [&] { return goes_on; }, [&] { return act(times); }), [](std::exception_ptr e) { CHECK(!e); });
  test::run_task(io, wait_until(io, [&] { return times == 1; }));
  test::run_task(io, wait_until(io, [&] { return times >= 4; }));
  CHECK(loop->at(steady::now()).health == loop_health::good);
  goes_on = false;
  test::run_task(io,
                 wait_until(io, [&] { return loop->at(steady::now() + seconds(100)).health == loop_health::good; }));
  auto const rested = times;
  goes_on = true;
  test::run_task(io, wait_until(io, [&] { return times > rested; }));
}

TEST_CASE("the metrics show each loop's last success, and which one makes no progress, even when it hangs") {
  metrics counters;
  background_loops loops(counters);
  auto const hung = loops.add("relay", "0", seconds(1)), idle = loops.add("run_poll", "1", seconds(2));
  idle->rests();
  auto const now = steady::now();
  CHECK(loops.look(now).empty());
  auto const later = now + seconds(40);
  auto const ailing = loops.look(later);
  REQUIRE(ailing.size() == 1);
  CHECK(ailing[0].loop->name() == "relay");
  CHECK(ailing[0].status.health == loop_health::still);
  CHECK(ailing[0].status.since_success >= seconds(40));
  loops.show(later);
  auto const page = counters.expose();
  CHECK(page.find("svc_background_still{loop=\"relay\",worker=\"0\"} 1") != page.npos);
  CHECK(page.find("svc_background_still{loop=\"run_poll\",worker=\"1\"} 0") != page.npos);
  auto const shown = [&](std::string const& text) {
    auto const position = page.find("svc_background_last_success_timestamp_seconds{loop=\"" + text + "\"");
    REQUIRE(position != page.npos);
    return std::stod(page.substr(page.find("} ", position) + 2));
  };
  CHECK(shown("run_poll") - shown("relay") == doctest::Approx(40).epsilon(0.01));
}

}  // namespace
