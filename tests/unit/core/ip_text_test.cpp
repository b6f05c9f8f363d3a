#include "svc/core/ip_text.hpp"

#include <doctest/doctest.h>

#include <array>

using svc::ip_text;
using svc::ip_text_of;

TEST_CASE("a literal has one spelling") {
  struct {
    std::string_view given;
    std::string_view written;  ///< empty: none
  } const cases[] = {
      {"192.0.2.1", "192.0.2.1"},
      {"2001:DB8:0:0:0:0:0:1", "2001:db8::1"},
      {"::ffff:192.0.2.1", "192.0.2.1"},
      {"::ffff:c000:201", "192.0.2.1"},
      {"::", "::"},
      {"::192.0.2.1", "::192.0.2.1"},
      {"", ""},
      {"192.0.2", ""},
      {"192.0.2.01", ""},
      {"192.0.2.256", ""},
      {" 192.0.2.1", ""},
      {"192.0.2.1:80", ""},
      {"[::1]", ""},
      {"fe80::1%eth0", ""},
      {"localhost", ""},
      {std::string_view("::1\0x", 5), ""},
      {"0000:0000:0000:0000:0000:ffff:255.255.255.2555", ""},
  };
  for (auto const& c : cases) {
    CAPTURE(c.given);
    CHECK(ip_text_of(c.given).value_or("") == c.written);
  }
}

TEST_CASE("bytes become text") {
  std::array<std::uint8_t, 16> bytes{0x20, 0x01, 0x0d, 0xb8};
  CHECK(ip_text(bytes) == "2001:db8::");
  CHECK(ip_text(std::span(bytes).first(4)) == "32.1.13.184");
}
