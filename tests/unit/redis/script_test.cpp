#include "svc/redis/client.hpp"

#include <doctest/doctest.h>

using svc::redis::script;

TEST_CASE("a script is named by the SHA-1 of its body") {
  struct {
    char const* body;
    char const* sha;
  } const cases[] = {
      {"", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},  // FIPS 180-4 test vectors
      {"abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
      {"return 1", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db"},  // the answer of SCRIPT LOAD
  };
  for (auto const& c : cases) {
    script const s("name", c.body);
    CHECK(s.sha() == c.sha);
    CHECK(s.body() == c.body);
    CHECK(s.name() == "name");
  }
}
