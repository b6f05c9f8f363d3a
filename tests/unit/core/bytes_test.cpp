#include "svc/core/bytes.hpp"

#include <doctest/doctest.h>

using namespace svc;

TEST_CASE("hex round trip and refusals") {
  CHECK(to_hex(as_bytes("\x01\xfe z")) == "01fe207a");
  CHECK(from_hex("01fe")->size() == 2);
  CHECK(from_hex("")->empty());
  for (auto bad : {"0", "0g", "01F", "FF"}) CHECK_FALSE(from_hex(bad));
  CHECK(from_hex("FF", true)->front() == 0xff);
}

TEST_CASE("base64url without padding (RFC 4648 section 10, other alphabet)") {
  struct {
    std::string_view plain, encoded;
  } const table[] = {{"", ""},           {"f", "Zg"}, {"fo", "Zm8"}, {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"},
                     {"\xfb\xff", "-_8"}};
  for (auto const& row : table) {
    CAPTURE(row.encoded);
    CHECK(to_base64url(as_bytes(row.plain)) == row.encoded);
    auto const back = from_base64url(row.encoded);
    REQUIRE(back);
    CHECK(as_text(*back) == row.plain);
  }
}

TEST_CASE("base64url has exactly one spelling for each value") {
  for (auto bad : {"Z", "Zg=", "Zh", "Zm9", "Z+", "Zm 8", "Zm9vY"}) {
    CAPTURE(bad);
    CHECK_FALSE(from_base64url(bad));
  }
}

TEST_CASE("base64 with padding (RFC 4648 section 10), in exactly one spelling") {
  struct {
    std::string_view plain, encoded;
  } const table[] = {{"", ""},        {"f", "Zg=="},          {"fo", "Zm8="},
                     {"foo", "Zm9v"}, {"foobar", "Zm9vYmFy"}, {"\xfb\xff", "+/8="}};
  for (auto const& row : table) {
    CAPTURE(row.encoded);
    CHECK(to_base64(as_bytes(row.plain)) == row.encoded);
    auto const back = from_base64(row.encoded);
    REQUIRE(back);
    CHECK(as_text(*back) == row.plain);
  }
  for (auto bad : {"Z", "Zg", "Zg=", "Zh==", "Zm9=", "Z===", "====", "-_8=", "Zg==Zg==", "Zm 8"}) {
    CAPTURE(bad);
    CHECK_FALSE(from_base64(bad));
  }
}
