#include "cli/commands/test_type.hpp"

#include "cli/console/failure.hpp"

#include <doctest/doctest.h>

namespace svc::cli {

TEST_CASE("the name of a script determines the type of its test, or the type must be named") {
  struct {
    char const* script;
    char const* type;
  } const cases[] = {
      {"smoke.sh", "command"},         {"./tests/a b.bash", "command"}, {"load.k6.js", "performance"},
      {"load.k6.ts", "performance"},   {"checkout.spec.ts", "browser"}, {"checkout.test.js", "browser"},
      {"checkout.spec.js", "browser"}, {"checkout.test.ts", "browser"}, {"", ""},
  };
  for (auto const& c : cases) {
    CAPTURE(c.script);
    CHECK(test_type_of(c.script) == c.type);
    CHECK(derived_test_type(c.script) == c.type);
  }
  for (auto const* const script : {"-", "smoke", "load.js", "page.ts", "smoke.sh.txt", "sh"}) {
    CAPTURE(script);
    CHECK(test_type_of(script).empty());
    CHECK_THROWS_AS(derived_test_type(script), failure);
  }
}

}  // namespace svc::cli
