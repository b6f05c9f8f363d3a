#include "svc/core/numbers.hpp"

#include <doctest/doctest.h>

#include <cstdint>

using svc::parse_number;

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
