#include "svc/domain/limit.hpp"

#include <doctest/doctest.h>

using namespace svc;

TEST_CASE("header values round up to whole seconds") {
  limit_decision d{rate_class::cli, {1000, 60}, true, 999, 10'000'001, 52'000'000, 0};
  CHECK(policy_value(d) == "\"cli\";q=1000;w=60");
  CHECK(state_value(d) == "\"cli\";r=999;t=42");
  CHECK(reset_seconds(d) == 52);
  d.reset_micros = 52'000'001;
  CHECK(reset_seconds(d) == 53);
  CHECK(state_value(d) == "\"cli\";r=999;t=42");
}

TEST_CASE("a wait is at least its minimum, and long enough") {
  CHECK(seconds_until(10, 10, 1) == 1);
  CHECK(seconds_until(9, 10, 0) == 0);
  CHECK(seconds_until(1'000'010, 10, 1) == 1);
  CHECK(seconds_until(1'000'011, 10, 1) == 2);
}
