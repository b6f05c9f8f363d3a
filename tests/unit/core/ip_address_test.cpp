#include "svc/core/ip_address.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>

using namespace svc;
using namespace std::literals;

TEST_CASE("which addresses a range contains") {
  struct {
    char const* range;
    char const* address;
    bool inside;
  } const cases[] = {
      {"203.0.113.0/24", "203.0.113.0", true},
      {"203.0.113.0/24", "203.0.113.255", true},
      {"203.0.113.0/24", "203.0.112.255", false},
      {"203.0.113.0/24", "203.0.114.0", false},
      {"203.0.113.77/24", "203.0.113.1", true},
      {"10.0.0.0/9", "10.127.255.255", true},
      {"10.0.0.0/9", "10.128.0.0", false},
      {"10.0.0.7/32", "10.0.0.7", true},
      {"10.0.0.7/32", "10.0.0.6", false},
      {"10.0.0.6/31", "10.0.0.7", true},
      {"0.0.0.0/0", "255.255.255.255", true},
      {"0.0.0.0/0", "::1", false},
      {"::/0", "2001:db8::1", true},
      {"::/0", "10.0.0.1", false},
      {"2001:db8::/32", "2001:db8:ffff::1", true},
      {"2001:db8::/32", "2001:db9::", false},
      {"2001:db8::/33", "2001:db8:8000::", false},
      {"::1/128", "::1", true},
      {"::1/128", "::2", false},
      {"203.0.113.0/24", "::ffff:203.0.113.9", true},
      {"::ffff:203.0.113.0/120", "203.0.113.9", true},
      {"::ffff:203.0.113.0/120", "203.0.114.9", false},
      {"::ffff:0:0/96", "10.0.0.1", true},
      {"::ffff:0:0/95", "10.0.0.1", false},
      {"fe80::/10", "fe80::1%eth0", true},
  };
  for (auto const& c : cases) {
    CAPTURE(c.range);
    CAPTURE(c.address);
    auto const range = cidr::parse(c.range);
    auto const address = ip_address::parse(c.address);
    REQUIRE(range);
    REQUIRE(address);
    CHECK(range->contains(*address) == c.inside);
    CHECK(cidr::parse(range->to_string()) == range);
  }
}

TEST_CASE("texts that are not ranges, and texts that are not addresses") {
  for (auto const text : {""sv, "/"sv, "/8"sv, "10.0.0.0"sv, "10.0.0.0/"sv, "10.0.0.0/33"sv, "10.0.0.0/08"sv,
                          "10.0.0.0/+8"sv, "10.0.0.0/8 "sv, "10.0.0/8"sv, "10.0.0.0/8/8"sv, "::/129"sv, "::/1000"sv,
                          "fe80::1%eth0/64"sv, "10.0.0.0\0x/8"sv, "10.0.0.0/4294967304"sv}) {
    CAPTURE(text);
    CHECK_FALSE(cidr::parse(text));
  }
  for (auto const text : {""sv, "10.0.0"sv, "10.0.0.256"sv, "localhost"sv, "%eth0"sv, "::1\0"sv, "1::2::3"sv}) {
    CAPTURE(text);
    CHECK_FALSE(ip_address::parse(text));
  }
}

TEST_CASE("a range contains those that are no larger and lie in it") {
  struct {
    char const* outer;
    char const* inner;
    bool inside;
  } const cases[] = {
      {"169.254.0.0/16", "169.254.0.0/16", true},
      {"169.254.0.0/16", "169.254.169.254/32", true},
      {"169.254.0.0/16", "169.254.0.0/15", false},
      {"169.254.0.0/16", "0.0.0.0/0", false},
      {"169.254.0.0/16", "169.255.0.0/24", false},
      {"fe80::/10", "febf::/16", true},
      {"fe80::/10", "fe00::/9", false},
      {"::/0", "0.0.0.0/0", false},
      {"10.0.0.0/8", "::ffff:10.1.0.0/112", true},
  };
  for (auto const& c : cases) {
    CAPTURE(c.outer);
    CAPTURE(c.inner);
    CHECK(cidr::parse(c.outer)->contains(*cidr::parse(c.inner)) == c.inside);
  }
}

TEST_CASE("an address of bytes is that of its text") {
  std::array<std::uint8_t, 4> const v4{203, 0, 113, 9};
  CHECK(ip_address::of(v4) == ip_address::parse("203.0.113.9"));
  std::array<std::uint8_t, 16> const v6{0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9};
  CHECK(ip_address::of(v6) == ip_address::parse("2001:db8::9"));
  CHECK(ip_address::of(v6).to_string() == "2001:db8::9");
  std::array<std::uint8_t, 16> const mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 203, 0, 113, 9};
  CHECK(ip_address::of(mapped) == ip_address::parse("203.0.113.9"));
  CHECK(ip_address::of(mapped).to_string() == "203.0.113.9");
}

TEST_CASE("a range is written as its network") {
  CHECK(cidr::parse("203.0.113.77/24")->to_string() == "203.0.113.0/24");
  CHECK(cidr::parse("2001:DB8::1/32")->to_string() == "2001:db8::/32");
  CHECK(cidr::parse("::ffff:203.0.113.77/128")->to_string() == "203.0.113.77/32");
}

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
