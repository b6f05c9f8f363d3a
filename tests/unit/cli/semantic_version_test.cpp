#include "cli/commands/semantic_version.hpp"

#include <doctest/doctest.h>

using namespace svc::cli;

TEST_CASE("semantic versions: the order of semver.org, section 11") {
  char const* const ascending[] = {"0.1.0",
                                   "0.9.9",
                                   "0.10.0",
                                   "1.0.0-0",
                                   "1.0.0-9",
                                   "1.0.0-10",
                                   "1.0.0-4294967296",
                                   "1.0.0--1",
                                   "1.0.0-alpha",
                                   "1.0.0-alpha.1",
                                   "1.0.0-alpha.beta",
                                   "1.0.0-beta",
                                   "1.0.0-beta.2",
                                   "1.0.0-beta.11",
                                   "1.0.0-rc.1",
                                   "1.0.0",
                                   "2.0.0",
                                   "2.1.0",
                                   "2.1.1"};
  for (auto const* const a : ascending)
    for (auto const* const b : ascending) {
      CAPTURE(a);
      CAPTURE(b);
      auto const first = semantic_version::parse(a), second = semantic_version::parse(b);
      REQUIRE(first);
      REQUIRE(second);
      auto const spot = [&](char const* text) { return std::ranges::find(ascending, text) - ascending; };
      CHECK((*first < *second) == (spot(a) < spot(b)));
      CHECK((*first == *second) == (spot(a) == spot(b)));
    }
}

TEST_CASE("semantic versions: build metadata has no part in the order") {
  CHECK(*semantic_version::parse("1.2.3+a.-.007") == *semantic_version::parse("1.2.3"));
  CHECK(*semantic_version::parse("1.2.3-rc.1+b") == *semantic_version::parse("1.2.3-rc.1+c"));
}

TEST_CASE("semantic versions: invalid ones") {
  for (auto const* const text :
       {"",        "1",      "1.2",    "1.2.3.4",    "v1.2.3",         "01.2.3",   "1.02.3",
        "1.2.03",  "1.2.-3", "1.2.3-", "1.2.3-a..b", "1.2.3-01",       "1.2.3+",   "1.2.3+a..b",
        "1.2.3-ä", "1.2.x",  " 1.2.3", "1.2.3 ",     "4294967296.0.0", "1.2.3-a b"}) {
    CAPTURE(text);
    CHECK_FALSE(semantic_version::parse(text));
  }
}

TEST_CASE("versions fit together within a major version, and before 1.0.0 within a minor one") {
  struct row {
    char const *a, *b;
    bool fit;
  };
  row const rows[] = {{"0.1.0", "0.1.9", true},  {"0.1.0", "0.2.0", false}, {"1.0.0", "1.9.0", true},
                      {"1.0.0", "2.0.0", false}, {"0.9.0", "1.0.0", false}, {"1.0.0-rc.1", "1.2.0", true},
                      {"0.1.0-a", "0.1.0", true}};
  for (auto const& r : rows) {
    CAPTURE(r.a);
    CAPTURE(r.b);
    CHECK(compatible(*semantic_version::parse(r.a), *semantic_version::parse(r.b)) == r.fit);
    CHECK(compatible(*semantic_version::parse(r.b), *semantic_version::parse(r.a)) == r.fit);
  }
}
