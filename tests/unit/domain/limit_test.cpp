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

TEST_CASE("with two windows, the one is shown that a client must heed") {
  auto const projection = [](rate_class which, bool admitted, std::uint32_t remaining, std::int64_t retry) {
    return limit_decision{which, {20, 60}, admitted, remaining, 0, 0, retry};
  };
  struct {
    char const* name;
    limit_decision cli, probe;
    rate_class shown;
  } const cases[] = {
      {"less left of cli", projection(rate_class::cli, true, 1, 0), projection(rate_class::probe, true, 2, 0),
       rate_class::cli},
      {"less left of probe", projection(rate_class::cli, true, 3, 0), projection(rate_class::probe, true, 2, 0),
       rate_class::probe},
      {"as much of both", projection(rate_class::cli, true, 2, 0), projection(rate_class::probe, true, 2, 0),
       rate_class::probe},
      {"cli is full", projection(rate_class::cli, false, 0, 9), projection(rate_class::probe, true, 0, 0),
       rate_class::cli},
      {"probe is full", projection(rate_class::cli, true, 0, 0), projection(rate_class::probe, false, 0, 9),
       rate_class::probe},
      {"both, cli longer", projection(rate_class::cli, false, 0, 9), projection(rate_class::probe, false, 0, 8),
       rate_class::cli},
      {"both, probe longer", projection(rate_class::cli, false, 0, 8), projection(rate_class::probe, false, 0, 9),
       rate_class::probe},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(shown_of(c.cli, c.probe).which == c.shown);
  }
}

TEST_CASE("the most that a key may be allowed follows from its window") {
  struct {
    std::uint32_t a_minute, seconds, most;
  } const cases[] = {
      {6000, 60, 6000},
      {6000, 1, 100},
      {6000, 86'400, 8'640'000},
      {60, 1, 1},
      {59, 1, 1},
      {1, 1, 1},
      {1, 120, 2},
      {1, 119, 1},
      {100, 3, 5},
      {0xffffffff, 86'400, 0xffffffff},
  };
  for (auto const& c : cases) {
    CAPTURE(c.a_minute);
    CAPTURE(c.seconds);
    CHECK(most_in_window(c.a_minute, c.seconds) == c.most);
    CHECK(check_key_limit({c.most, c.seconds}, c.a_minute).has_value());
    if (c.most == 0xffffffff) continue;
    auto const refused = check_key_limit({c.most + 1, c.seconds}, c.a_minute);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == errc::validation_failed);
    CHECK(refused.error().details.at(0).field == "/rateLimit/limit");
  }
}

TEST_CASE("a key's window: its own as far as the installation allows, or the default") {
  limit_table table;
  table.trigger_default = {100, 60};
  table.trigger_most = 600;
  struct {
    char const* name;
    std::optional<std::uint32_t> limit, seconds;
    window_limit expected;
  } const cases[] = {
      {"the default", {}, {}, {100, 60}},
      {"its own", 20, 2, {20, 2}},
      {"at the most", 10, 1, {10, 1}},
      {"beyond the most", 100'000, 1, {10, 1}},
      {"beyond the most of a long window", 100'000, 600, {6000, 600}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK((table.of_key(c.limit, c.seconds) == c.expected));
  }
  // The operator's default is not held to the most.
  table.trigger_default = {100'000, 1};
  CHECK((table.of_key({}, {}) == window_limit{100'000, 1}));
}
