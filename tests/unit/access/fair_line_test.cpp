#include "access/fair_line.hpp"

#include <doctest/doctest.h>

#include <string>

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
