#include "svc/domain/quota.hpp"

#include <doctest/doctest.h>

using svc::amount;
using svc::excess;

TEST_CASE("only growth is refused, and only where a quota is set") {
  struct {
    char const* name;
    amount now, more, most;
    excess expected;
  } const cases[] = {
      {"the last place", {9, 0}, {1, 0}, {10, 0}, excess::none},
      {"one too many", {10, 0}, {1, 0}, {10, 0}, excess::count},
      {"the last byte", {0, 90}, {1, 10}, {10, 100}, excess::none},
      {"a byte too many", {0, 90}, {1, 11}, {10, 100}, excess::bytes},
      {"both: the count is told", {10, 100}, {1, 1}, {10, 100}, excess::count},
      {"an empty one where the bytes are used up", {1, 200}, {1, 0}, {10, 100}, excess::none},
      {"a change where the places are used up", {12, 50}, {0, 10}, {10, 100}, excess::none},
      {"a change of the same size, beyond", {12, 200}, {0, 0}, {10, 100}, excess::none},
      {"a change that shrinks, and stays beyond", {12, 200}, {0, -10}, {10, 100}, excess::none},
      {"a change that grows, beyond", {1, 200}, {0, 1}, {10, 100}, excess::bytes},
      {"no quota", {1'000'000, 1'000'000}, {1, 1}, {0, 0}, excess::none},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(svc::excess_of(c.now, c.more, c.most) == c.expected);
  }
}
