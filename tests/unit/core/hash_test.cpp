#include "svc/core/hash.hpp"

#include <doctest/doctest.h>

using namespace svc;

TEST_CASE("published vectors") {
  CHECK(crc32("123456789") == 0xCBF43926U);
  CHECK(crc32("") == 0);
  CHECK(to_hex(sha256("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
