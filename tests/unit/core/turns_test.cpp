#include "svc/core/turns.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace svc;
using std::chrono::microseconds;

namespace {

struct turn {
  std::string name;
  microseconds wall, cpu;
  std::size_t bucket;  ///< the bucket in which it is counted
};

}  // namespace

TEST_CASE("a turn is counted by its cost for the thread: neither waiting nor preemption makes it long") {
  std::vector<turn> const all{
      {"short", microseconds(300), microseconds(300), 0},
      {"a wait, then little", milliseconds(900), microseconds(80), 0},
      {"preempted", milliseconds(40), milliseconds(2), 0},
      {"at the first bound", milliseconds(5), milliseconds(5), 0},
      {"above it", microseconds(5001), milliseconds(6), 1},
      {"at 20 ms", milliseconds(20), milliseconds(20), 2},
      {"above 20 ms", microseconds(20'001), milliseconds(21), 3},
      {"a wait, then 30 ms", milliseconds(500), milliseconds(30), 3},
      {"a second", milliseconds(1000), milliseconds(1000), 7},
      {"above all bounds", milliseconds(2500), milliseconds(2400), 8},
  };
  for (auto const& turn : all) {
    CAPTURE(turn.name);
    steady::time_point const start{};
    turn_meter meter(start, milliseconds(7));
    meter.ended(start + turn.wall, [&] { return milliseconds(7) + turn.cpu; });
    auto const counted = meter.take();
    for (std::size_t i = 0; i < counted.turns.size(); ++i) CHECK(counted.turns[i] == (i == turn.bucket ? 1 : 0));
    CHECK(meter.longest() == std::min(turn.wall, turn.cpu));
    CHECK(meter.take().turns[turn.bucket] == 0);
  }
}

TEST_CASE("the thread's clock is read once a millisecond at most, and no processor time is lost") {
  steady::time_point now{};
  std::chrono::nanoseconds cpu{0};
  int asked = 0;
  turn_meter meter(now, cpu);
  for (int i = 0; i < 1000; ++i) {
    now += microseconds(100);
    cpu += microseconds(90);
    meter.ended(now, [&] { return ++asked, cpu; });
  }
  CHECK(asked == 100);
  auto const counted = meter.take();
  CHECK(counted.turns[0] == 1000);
  CHECK(counted.busy == microseconds(90'000));
  CHECK(meter.longest() == microseconds(100));
}

TEST_CASE("a long turn after short ones is not hidden by them") {
  steady::time_point now{};
  std::chrono::nanoseconds cpu{0};
  turn_meter meter(now, cpu);
  auto const pass = [&](microseconds wall) {
    now += wall;
    cpu += wall;
    meter.ended(now, [&] { return cpu; });
  };
  for (int i = 0; i < 9; ++i) pass(microseconds(100));
  pass(milliseconds(25));
  auto const counted = meter.take();
  CHECK(counted.turns[0] == 9);
  CHECK(counted.turns[3] == 1);
  CHECK(meter.longest() == milliseconds(25));
}

namespace {

using news = turn_watch::news;

struct glance {
  milliseconds entry;
  std::uint64_t ended;
  bool ask;
  news news;
};

struct story {
  std::string name;
  std::vector<glance> glances;
};

}  // namespace

TEST_CASE("a turn that does not end is reported once, and its end too; idle or stopped processes are not turns") {
  auto const ms = [](int n) { return milliseconds(n); };
  std::vector<story> const all{
      {"idle: only the turns that were asked for",
       {{ms(0), 0, true, news::none}, {ms(250), 1, true, news::none}, {ms(500), 2, true, news::none}}},
      {"stuck and over",
       {{ms(0), 5, true, news::none},
        {ms(250), 5, false, news::none},
        {ms(500), 5, false, news::none},
        {ms(750), 5, false, news::none},
        {ms(1000), 5, false, news::none},
        {ms(1250), 5, false, news::stuck},
        {ms(1500), 5, false, news::none},
        {ms(1750), 6, true, news::over},
        {ms(2000), 7, true, news::none}}},
      {"slow, not stuck",
       {{ms(0), 5, true, news::none},
        {ms(250), 5, false, news::none},
        {ms(500), 5, false, news::none},
        {ms(750), 5, false, news::none},
        {ms(1000), 6, true, news::none},
        {ms(1250), 7, true, news::none}}},
      {"the process was stopped for 5 s",
       {{ms(0), 5, true, news::none},
        {ms(5000), 5, false, news::none},
        {ms(5250), 6, true, news::none},
        {ms(5500), 7, true, news::none}}},
  };
  for (auto const& story : all) {
    CAPTURE(story.name);
    turn_watch watch;
    for (auto const& g : story.glances) {
      CAPTURE(g.entry.count());
      auto const got = watch.at(steady::time_point{} + g.entry, g.ended);
      CHECK(got.ask == g.ask);
      CHECK(got.content == g.news);
      if (got.content != news::none) CHECK(got.lasted > turn_watch::patience);
    }
  }
}
