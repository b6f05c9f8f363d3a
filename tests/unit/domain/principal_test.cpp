#include "svc/domain/principal.hpp"

#include <doctest/doctest.h>

using namespace svc;

TEST_CASE("addresses are counted by the range that one customer has") {
  CHECK(address_subject("192.0.2.7") == "192.0.2.7");
  CHECK(address_subject("::ffff:192.0.2.7") == "192.0.2.7");
  CHECK(address_subject("2001:db8:1:2:3:4:5:6") == "2001:db8:1:2::/64");
  CHECK(address_subject("2001:db8:1:2:ffff::1") == address_subject("2001:db8:1:2::1"));
  CHECK(address_subject("2001:db8:1:3::1") != address_subject("2001:db8:1:2::1"));
  CHECK(address_subject("") == "local");
}

TEST_CASE("keys of a subject share a slot, and epochs are kept for about a day") {
  CHECK(epoch_key("abc") == "svc:{abc}:epoch");
  for (int i = 0; i < 100; ++i) {
    auto const life = std::stoll(epoch_life_millis());
    CHECK(life >= 77'760'000);
    CHECK(life <= 95'040'000);
  }
}
