#include "access/fair_line.hpp"

#include <doctest/doctest.h>

using namespace svc;
using namespace std::chrono_literals;

TEST_CASE("statements: one second's worth at once, then as they refill, never accumulated") {
  access::statement_pace pace(10);
  steady::time_point const start(1000s);
  auto const taken = [&](steady::time_point time) {
    int n = 0;
    while (n < 100 && pace.take(time) == steady::duration::zero()) ++n;
    return n;
  };
  CHECK(taken(start) == 10);
  CHECK(pace.take(start + 40ms) > 59ms);
  CHECK(pace.take(start + 40ms) < 61ms);
  CHECK(taken(start + 200ms) == 2);
  CHECK(taken(start + 1h) == 10);
}

TEST_CASE("a pace below one statement per second means one statement in several seconds") {
  access::statement_pace pace(0.5);
  steady::time_point const start(1000s);
  CHECK(pace.take(start) == steady::duration::zero());
  CHECK(pace.take(start) > 1999ms);
  CHECK(pace.take(start + 2001ms) == steady::duration::zero());
}
