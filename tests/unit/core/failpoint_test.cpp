#include "svc/core/failpoint.hpp"

#include <doctest/doctest.h>

#ifdef SVC_FAILPOINTS

#include "svc/core/result.hpp"

#include <stdexcept>

using namespace svc;

TEST_CASE("a failpoint fires as many times as its specification says") {
  REQUIRE(failpoint::configure("twice=throw*2,always=bug,never=throw*0"));
  CHECK(failpoint::is_set("twice"));
  for (int i = 0; i < 2; ++i) CHECK_THROWS_AS(failpoint::hit_now("twice"), unavailable);
  for (int i = 0; i < 3; ++i) {
    CHECK_NOTHROW(failpoint::hit_now("twice"));
    CHECK_NOTHROW(failpoint::hit_now("never"));
    CHECK_NOTHROW(failpoint::hit_now("unknown"));
    CHECK_THROWS_AS(failpoint::hit_now("always"), std::logic_error);
  }
  REQUIRE(failpoint::configure(""));
  CHECK_FALSE(failpoint::is_set("always"));
  CHECK_NOTHROW(failpoint::hit_now("always"));
}

TEST_CASE("a specification that cannot be read changes no failpoint") {
  REQUIRE(failpoint::configure("kept=bug"));
  for (auto const* const wrong : {"a", "a=", "a=dance", "a=throw*", "a=throw*x", "a=throw*-1",
                                  "a=delay:", "a=delay:x", "a=delay:-1", "a=throw,b"}) {
    CAPTURE(wrong);
    CHECK_FALSE(failpoint::configure(wrong));
    CHECK(failpoint::is_set("kept"));
    CHECK_FALSE(failpoint::is_set("a"));
  }
  REQUIRE(failpoint::configure(""));
}

#endif
