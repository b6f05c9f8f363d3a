#include "svc/access/recent_keys.hpp"

#include <doctest/doctest.h>

using svc::access::recent_keys;

TEST_CASE("recent keys: the keys used last are remembered, others are forgotten, and memory is bounded") {
  recent_keys<int> keys(100);
  CHECK_FALSE(keys.use(1));
  keys.add(1);
  for (int i = 1000; i < 100'000; ++i) {
    keys.add(i);
    REQUIRE(keys.size() <= 200);
    // A key that is used at least once in a hundred others stays.
    if (i % 90 == 0) REQUIRE(keys.use(1));
  }
  CHECK(keys.use(99'999));
  CHECK(keys.use(99'900));
  CHECK_FALSE(keys.use(1000));
  CHECK_FALSE(keys.use(99'000));
}

TEST_CASE("recent keys: a forgotten key is gone from both generations") {
  recent_keys<int> keys(2);
  for (int const key : {1, 2, 3}) keys.add(key);
  for (int const key : {1, 2, 3}) {
    keys.remove(key);
    CHECK_FALSE(keys.use(key));
  }
  CHECK(keys.size() == 0);
}
