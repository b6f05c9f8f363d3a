#include "svc/core/time.hpp"

#include <doctest/doctest.h>

using namespace svc;

TEST_CASE("RFC 3339 is written in UTC with milliseconds, truncated") {
  CHECK(to_rfc3339({0}) == "1970-01-01T00:00:00.000Z");
  CHECK(to_rfc3339({1'763'635'872'345'999}) == "2025-11-20T10:51:12.345Z");
  CHECK(to_rfc3339({-1}) == "1969-12-31T23:59:59.999Z");
}

TEST_CASE("RFC 3339 is read with any offset") {
  struct {
    std::string_view text;
    std::int64_t micros;
  } const good[] = {{"1970-01-01T00:00:00Z", 0},
                    {"1970-01-01T01:00:00+01:00", 0},
                    {"1969-12-31T23:30:00.5-00:30", 500'000},
                    {"2024-02-29t00:00:00.123456789z", 1'709'164'800'123'456}};
  for (auto const& row : good) {
    CAPTURE(row.text);
    auto const t = parse_rfc3339(row.text);
    REQUIRE(t);
    CHECK(t->micros == row.micros);
  }
}

TEST_CASE("an invalid timestamp is refused") {
  for (auto bad : {"", "2024-01-01", "2023-02-29T00:00:00Z", "2024-13-01T00:00:00Z", "2024-01-01T24:00:00Z",
                   "2024-01-01T00:60:00Z", "2024-01-01T00:00:60Z", "2024-01-01T00:00:00", "2024-01-01T00:00:00.Z",
                   "2024-01-01T00:00:00+1:00", "2024-01-01T00:00:00Z ", "2024-01-01 00:00:00Z",
                   "2024-01-01T00:00:00.12", "20x4-01-01T00:00:00Z", "2024-01-01T00:00:00+24:00"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_rfc3339(bad));
  }
}

TEST_CASE("HTTP dates have the fixed length of IMF-fixdate") {
  CHECK(http_date_now().size() == 29);
}
