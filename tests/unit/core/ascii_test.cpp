#include "svc/core/ascii.hpp"

#include <doctest/doctest.h>

using namespace svc;

TEST_CASE("names are the same in either case of ASCII letters, and only of these") {
  struct {
    char const *a, *b;
    bool same;
  } const rows[] = {
      {"", "", true},    {"Host", "hOST", true}, {"x-A_z", "X-a_Z", true}, {"host", "hosts", false},
      {"@", "`", false}, {"[", "{", false},      {"\xC4", "\xE4", false},  {"a", "", false},
  };
  for (auto const& row : rows) {
    CAPTURE(row.a);
    CHECK(iequals(row.a, row.b) == row.same);
    CHECK((lower_case(row.a) == lower_case(row.b)) == row.same);
  }
  CHECK(lower_case("@AZ[`az{\xC4") == "@az[`az{\xC4");
}

TEST_CASE("white space around a value is spaces and tabs") {
  CHECK(trim("") == "");
  CHECK(trim(" \t ") == "");
  CHECK(trim("\t a \t b ") == "a \t b");
  CHECK(trim("\ra\n") == "\ra\n");
}
