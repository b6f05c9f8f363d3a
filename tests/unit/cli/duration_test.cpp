#include "cli/commands/arguments.hpp"

#include "cli/console/failure.hpp"

#include <doctest/doctest.h>

using svc::cli::minutes_argument;
using svc::cli::seconds_spelled;

TEST_CASE("durations: a count and its unit; a bare number is seconds") {
  struct row {
    char const* text;
    std::optional<std::int64_t> seconds;
  };
  row const rows[] = {
      {"45s", 45},
      {"30m", 1800},
      {"12h", 43200},
      {"90d", 7776000},
      {"2w", 1209600},
      {"3600", 3600},
      {"0", 0},
      {"0d", 0},
      {"36600d", 3162240000},
      {"36601d", std::nullopt},
      {"4294967295", std::nullopt},
      {"4294967296d", std::nullopt},
      {"", std::nullopt},
      {"d", std::nullopt},
      {"-1d", std::nullopt},
      {"+1d", std::nullopt},
      {"1.5h", std::nullopt},
      {"1 d", std::nullopt},
      {" 1d", std::nullopt},
      {"1dd", std::nullopt},
      {"1D", std::nullopt},
      {"1h30m", std::nullopt},
      {"1y", std::nullopt},
      {"ninety", std::nullopt},
  };
  for (auto const& r : rows) {
    CAPTURE(r.text);
    CHECK(seconds_spelled(r.text) == r.seconds);
  }
}

TEST_CASE("minutes are whole, and at least one") {
  CHECK(minutes_argument("30m", "--for") == 30);
  CHECK(minutes_argument("2h", "--for") == 120);
  CHECK(minutes_argument("1w", "--for") == 10080);
  CHECK(minutes_argument("60", "--for") == 1);
  for (auto const* const wrong : {"0", "0m", "30", "90s", "1.5h", "soon", ""}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(minutes_argument(wrong, "--for"), svc::cli::failure);
  }
}
