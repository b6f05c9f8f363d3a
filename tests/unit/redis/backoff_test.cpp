#include "redis/backoff.hpp"

#include <doctest/doctest.h>

using namespace svc;
using namespace svc::redis;

TEST_CASE("the pause doubles up to its limit and jitter takes at most half") {
  struct {
    unsigned failures;
    double fraction;
    int expected_ms;
  } const cases[] = {
      {0, 0.0, 50},  {0, 0.5, 38},    {0, 0.999, 26}, {1, 0.0, 100},  {3, 0.0, 400},
      {4, 0.0, 500}, {4, 0.999, 251}, {31, 0.0, 500}, {32, 0.0, 500}, {4'000'000'000U, 0.0, 500},
  };
  for (auto const& c : cases) {
    CAPTURE(c.failures);
    CAPTURE(c.fraction);
    CHECK(backoff_delay(c.failures, c.fraction) == milliseconds(c.expected_ms));
  }
}
