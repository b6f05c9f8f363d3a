#include "svc/core/numbers.hpp"

#include <doctest/doctest.h>

#include <cstdint>

using namespace svc;

namespace {

constexpr std::int64_t century_of_days = std::int64_t{36'600} * 86'400;

}  // namespace

TEST_CASE("a number is the whole text, in decimal, within the range of its type") {
  struct {
    char const* text;
    std::optional<std::int64_t> wide;
    std::optional<std::uint8_t> narrow;
  } const cases[] = {
      {"0", 0, 0},
      {"007", 7, 7},
      {"255", 255, 255},
      {"256", 256, {}},
      {"-1", -1, {}},
      {"9223372036854775807", INT64_MAX, {}},
      {"9223372036854775808", {}, {}},
      {"-9223372036854775808", INT64_MIN, {}},
      {"-9223372036854775809", {}, {}},
      {"", {}, {}},
      {"-", {}, {}},
      {"+1", {}, {}},
      {" 1", {}, {}},
      {"1 ", {}, {}},
      {"0x1", {}, {}},
      {"1.0", {}, {}},
      {"1e3", {}, {}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.text);
    CHECK(parse_number<std::int64_t>(c.text) == c.wide);
    CHECK(parse_number<std::uint8_t>(c.text) == c.narrow);
  }
  CHECK(parse_number<int>(std::string_view("12\0", 3)) == std::nullopt);
  CHECK(parse_number<int>(std::string_view()) == std::nullopt);
}

TEST_CASE("a duration of an option is a count of seconds, or a count and its unit, of at most a century") {
  struct {
    char const* text;
    std::optional<std::int64_t> seconds;
  } const cases[] = {
      {"45", 45},
      {"45s", 45},
      {"30m", 1800},
      {"12h", 43'200},
      {"90d", 7'776'000},
      {"2w", 1'209'600},
      {"0", 0},
      {"0d", 0},
      {"36600d", century_of_days},
      {"36601d", {}},
      {"3162240001", {}},
      {"", {}},
      {"d", {}},
      {"1.5h", {}},
      {"-1s", {}},
      {"1 s", {}},
      {"1y", {}},
      {"1sm", {}},
      {"99999999999s", {}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.text);
    CHECK(parse_seconds(c.text) == c.seconds);
  }
  for (auto const* text : {"0s", "59s", "1m", "90m", "36h", "1d", "3650d"})
    CHECK(seconds_text(*parse_seconds(text)) == text);
}

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
