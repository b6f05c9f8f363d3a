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

TEST_CASE("of two windows the one is shown that a client must heed") {
  auto const of = [](rate_class which, bool admitted, std::uint32_t remaining, std::int64_t retry) {
    return limit_decision{which, {20, 60}, admitted, remaining, 0, 0, retry};
  };
  struct {
    char const* name;
    limit_decision cli, probe;
    rate_class shown;
  } const cases[] = {
      {"less left of cli", of(rate_class::cli, true, 1, 0), of(rate_class::probe, true, 2, 0), rate_class::cli},
      {"less left of probe", of(rate_class::cli, true, 3, 0), of(rate_class::probe, true, 2, 0), rate_class::probe},
      {"as much of both", of(rate_class::cli, true, 2, 0), of(rate_class::probe, true, 2, 0), rate_class::probe},
      {"cli is full", of(rate_class::cli, false, 0, 9), of(rate_class::probe, true, 0, 0), rate_class::cli},
      {"probe is full", of(rate_class::cli, true, 0, 0), of(rate_class::probe, false, 0, 9), rate_class::probe},
      {"both, cli longer", of(rate_class::cli, false, 0, 9), of(rate_class::probe, false, 0, 8), rate_class::cli},
      {"both, probe longer", of(rate_class::cli, false, 0, 8), of(rate_class::probe, false, 0, 9), rate_class::probe},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(shown_of(c.cli, c.probe).which == c.shown);
  }
}
