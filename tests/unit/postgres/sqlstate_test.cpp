#include "postgres/pipeline.hpp"

#include <doctest/doctest.h>

using svc::postgres::classify;
using svc::postgres::verdict;

TEST_CASE("each class of SQLSTATE has its verdict") {
  constexpr verdict value{}, reopen{.unavailable = false, .close = true}, busy{.unavailable = true, .close = false},
      gone{.unavailable = true, .close = true};
  struct {
    char const* name;
    char const* sqlstate;
    verdict expected;
  } const cases[] = {
      {"unique violation", "23505", value},
      {"foreign key violation", "23503", value},
      {"bad text", "22P02", value},
      {"serialization failure", "40001", value},
      {"deadlock", "40P01", value},
      {"syntax error, our bug", "42601", value},
      {"raised", "P0001", value},
      {"other invalid transaction state", "25001", value},
      {"stale plan", "0A000", reopen},
      {"prepared statement gone", "26000", reopen},
      {"statement timeout", "57014", busy},
      {"lock timeout", "55P03", busy},
      {"object in use", "55006", value},
      {"disk full", "53100", busy},
      {"too many connections", "53300", busy},
      {"I/O error", "58030", busy},
      {"read-only", "25006", gone},
      {"idle in a transaction", "25P03", gone},
      {"transaction timeout", "25P04", gone},
      {"shutdown", "57P01", gone},
      {"starting up", "57P03", gone},
      {"connection failure", "08006", gone},
      {"internal error", "XX000", gone},
      {"corrupted", "XX001", gone},
      {"libpq's own: no code", "", gone},
      {"no SQLSTATE at all", "2350", gone},
      {"too long", "235055", gone},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(classify(c.sqlstate) == c.expected);
  }
}
