#include "svc/core/uuid.hpp"

#include <doctest/doctest.h>

using namespace svc;

TEST_CASE("uuid grammar") {
  auto const id = uuid::parse("0189F7E2-7B1c-7abc-8def-0123456789ab");
  REQUIRE(id);
  CHECK(id->to_string() == "0189f7e2-7b1c-7abc-8def-0123456789ab");
  for (auto bad : {"", "0189f7e27b1c7abc8def0123456789ab", "0189f7e2-7b1c-7abc-8def-0123456789a",
                   "0189f7e2-7b1c-7abc-8def-0123456789abc", "0189f7e2-7b1c-7abc-8def-0123456789ag",
                   "0189f7e2_7b1c-7abc-8def-0123456789ab", "{189f7e2-7b1c-7abc-8def-0123456789a}"}) {
    CAPTURE(bad);
    CHECK_FALSE(uuid::parse(bad));
  }
}

TEST_CASE("version 7 contains version, variant and time") {
  auto const a = uuid::generate_v7();
  auto const b = uuid::generate_v7();
  CHECK(a != b);
  CHECK((a.bytes[6] >> 4) == 7);
  CHECK((a.bytes[8] >> 6) == 2);
  // The first six bytes are milliseconds: two ids generated in a row are at most a second apart.
  CHECK(a.to_string().substr(0, 8) == b.to_string().substr(0, 8));
}
