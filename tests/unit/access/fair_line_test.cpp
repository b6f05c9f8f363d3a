#include "access/fair_line.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace svc;
using namespace std::chrono_literals;
using svc::access::fair_line;

TEST_CASE("a line gives addresses turns, and continues where it stopped") {
  fair_line<int> line(100);
  for (int i = 0; i < 4; ++i) line.push("a", i);
  line.push("b", 10);
  line.push("c", 20);
  line.push("c", 21);
  CHECK(line.take(4) == std::vector{0, 10, 20, 1});
  CHECK(line.take(2) == std::vector{21, 2});
  CHECK(line.size() == 1);
  CHECK(line.take(5) == std::vector{3});
  CHECK(line.empty());
}

TEST_CASE("an address has its share of a line's room") {
  fair_line<int> line(6);
  int count = 0;
  for (int i = 0; i < 10; ++i) count += line.push("a", i) ? 1 : 0;
  CHECK(count == 6);
  // A later address has its own share, whatever the first one holds.
  count = 0;
  for (int i = 0; i < 10; ++i) count += line.push("b", i) ? 1 : 0;
  CHECK(count == 3);
  CHECK_FALSE(line.push("a", 0));
  // And one place each, for as many addresses as there are places.
  for (char const* address : {"c", "d", "e", "f"}) CHECK(line.push(address, 0));
  CHECK_FALSE(line.push("g", 0));
}

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
