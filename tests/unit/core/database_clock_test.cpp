#include "svc/core/database_clock.hpp"

#include <doctest/doctest.h>

namespace svc {
namespace {

constexpr steady::time_point after(std::chrono::milliseconds some) {
  return steady::time_point(std::chrono::seconds(100)) + some;
}

std::int64_t shown(database_clock const& clock, std::chrono::milliseconds when) {
  return clock.at(after(when))->micros / 1000;
}

TEST_CASE("the database's clock is never before the time that a statement has seen since it was sent") {
  database_clock clock;
  CHECK_FALSE(clock.now());
  clock.learn({5'000'000}, after(milliseconds(10)));
  CHECK(shown(clock, milliseconds(10)) == 5000);
  CHECK(shown(clock, milliseconds(40)) == 5030);
  clock.learn({6'000'000}, after(milliseconds(20)));
  CHECK(shown(clock, milliseconds(20)) == 6000);
}

TEST_CASE("a statement that took long shifts the database's clock no further than it must") {
  struct {
    char const* subject;
    std::int64_t position;                     ///< milliseconds, as the statement has seen it
    std::chrono::milliseconds sent, answered;  ///< by our clock, which is 4990 behind
    std::int64_t shown_at_0;
  } const cases[] = {
      {"as quick as the first", 5110, milliseconds(118), milliseconds(122), 4990},
      {"it waited before it looked", 7100, milliseconds(110), milliseconds(2112), 4990},
      {"its answer waited", 5112, milliseconds(110), milliseconds(2112), 4990},
      {"the database's clock was put forward", 9120, milliseconds(119), milliseconds(120), 9000},
      {"and back", 3120, milliseconds(120), milliseconds(122), 3000},
  };
  for (auto const& c : cases) {
    CAPTURE(c.subject);
    database_clock clock;
    clock.learn({4'990'000}, after(milliseconds(0)), after(milliseconds(1)));
    clock.learn({c.position * 1000}, after(c.sent), after(c.answered));
    CHECK(shown(clock, milliseconds(0)) == c.shown_at_0);
  }
}

TEST_CASE("the first statement is all that is known of the database's clock, and a quicker one knows better") {
  database_clock clock;
  clock.learn({7'000'000}, after(milliseconds(0)), after(milliseconds(2000)));
  CHECK(shown(clock, milliseconds(0)) == 7000);
  clock.learn({8'010'000}, after(milliseconds(3000)), after(milliseconds(3020)));
  CHECK(shown(clock, milliseconds(0)) == 5010);
}

}  // namespace
}  // namespace svc
