#include "svc/access/fallback.hpp"

#include <doctest/doctest.h>

using namespace svc;
using namespace std::chrono_literals;

namespace {

constexpr steady::time_point start(1000s);

}  // namespace

TEST_CASE("misses within one deadline count as one; the fifth opens the breaker, once") {
  access::breaker b(50ms);
  for (int i = 0; i < 4; ++i) {
    CHECK_FALSE(b.missed(start + i * 50ms));
    CHECK_FALSE(b.missed(start + i * 50ms + 49ms));
  }
  CHECK_FALSE(b.is_open());
  CHECK(b.missed(start + 200ms));
  CHECK(b.is_open());
  CHECK_FALSE(b.missed(start + 300ms));
}

TEST_CASE("an answer between them restarts the count") {
  access::breaker b(50ms, 2);
  CHECK_FALSE(b.missed(start));
  b.answered();
  CHECK_FALSE(b.missed(start + 1ms));
  CHECK(b.missed(start + 51ms));
}

TEST_CASE("it closes only after a complete recovery") {
  access::breaker b(50ms, 1);
  CHECK(b.missed(start));
  b.answered();
  CHECK(b.is_open());
  CHECK(b.close(b.losses()));
  CHECK_FALSE(b.is_open());
  CHECK(b.missed(start + 1ms));
}

TEST_CASE("a lost connection opens it at once, and a recovery begun before does not close it") {
  access::breaker b(50ms);
  CHECK(b.lost());
  CHECK(b.is_open());
  int const begun = b.losses();
  CHECK_FALSE(b.lost());
  CHECK_FALSE(b.close(begun));
  CHECK(b.is_open());
  CHECK(b.close(b.losses()));
  CHECK_FALSE(b.is_open());
}
