#include "svc/core/setting_text.hpp"

#include <doctest/doctest.h>

using namespace svc;

TEST_CASE("a duration is a count and its unit, and nothing else") {
  struct {
    char const* text;
    std::optional<std::int64_t> ms;
  } const cases[] = {
      {"0s", 0},
      {"250ms", 250},
      {"2s", 2000},
      {"3m", 180'000},
      {"24h", 86'400'000},
      {"9223372036854775807ms", INT64_MAX},
      {"9223372036854775807s", std::nullopt},
      {"9223372036854775808ms", std::nullopt},
      {"", std::nullopt},
      {"5", std::nullopt},
      {"s", std::nullopt},
      {"-1s", std::nullopt},
      {"1.5s", std::nullopt},
      {"1 s", std::nullopt},
      {"1S", std::nullopt},
      {"1d", std::nullopt},
  };
  for (auto const& c : cases) {
    CAPTURE(c.text);
    CHECK(parse_milliseconds(c.text) == c.ms);
  }
}

TEST_CASE("a duration is written in the largest exact unit") {
  for (auto const* text : {"0ms", "1ms", "1500ms", "2s", "90s", "2m", "1h", "25h"}) {
    CAPTURE(text);
    CHECK(duration_text(*parse_milliseconds(text)) == text);
  }
  CHECK(duration_text(60'000) == "1m");
}

TEST_CASE("an integer is decimal, without other text") {
  CHECK(parse_integer("-12") == -12);
  CHECK(parse_integer("9223372036854775807") == INT64_MAX);
  for (auto const* text : {"", "-", "+1", "0x1", "1 ", " 1", "1.0", "9223372036854775808"}) {
    CAPTURE(text);
    CHECK(!parse_integer(text));
  }
}
