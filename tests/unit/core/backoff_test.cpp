#include "svc/core/backoff.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace svc;

namespace {

std::vector<int> pauses(backoff backoff, double fraction, int count) {
  std::vector<int> out;
  for (int i = 0; i < count; ++i) out.push_back(static_cast<int>(backoff.next(fraction).count()));
  return out;
}

}  // namespace

TEST_CASE("pauses double up to the longest, and jitter removes at most half") {
  struct {
    char const* name;
    milliseconds first, longest;
    double fraction;
    std::vector<int> expected;
  } const cases[] = {
      {"a whole number of doublings", milliseconds(100), milliseconds(400), 0.0, {50, 100, 200, 200}},
      {"the longest lies between two", milliseconds(50), milliseconds(500), 0.0, {25, 50, 100, 200, 250, 250}},
      {"the middle", milliseconds(100), milliseconds(1000), 0.5, {75, 150, 300, 600, 750, 750}},
      {"nearly all of it", milliseconds(1000), milliseconds(2000), 0.999, {999, 1999, 1999}},
      {"first and longest are one", milliseconds(10), milliseconds(10), 0.0, {5, 5}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(pauses(backoff(c.first, c.longest), c.fraction, static_cast<int>(c.expected.size())) == c.expected);
  }
}

TEST_CASE("pauses stay the longest after any number of attempts, until a success") {
  backoff pause(milliseconds(50), milliseconds(500));
  for (int i = 0; i < 100'000; ++i) pause.next(0.0);
  CHECK(pause.next(0.0) == milliseconds(250));
  pause.reset();
  CHECK(pause.next(0.0) == milliseconds(25));
}
