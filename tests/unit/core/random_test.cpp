#include "svc/core/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>

using namespace svc;

TEST_CASE("every character of the alphabet is drawn about equally often") {
  auto const text = random_alphanumeric(62'000);
  REQUIRE(text.size() == 62'000);
  std::array<int, 256> seen{};
  for (char c : text) ++seen[static_cast<unsigned char>(c)];
  int kinds = 0;
  for (int n : seen) {
    if (n == 0) continue;
    ++kinds;
    // 1000 expected; 7 standard deviations in both directions.
    CHECK(n > 780);
    CHECK(n < 1220);
  }
  CHECK(kinds == 62);
}
