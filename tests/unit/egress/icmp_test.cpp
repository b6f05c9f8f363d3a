#include "egress/icmp/echo.hpp"
#include "svc/core/bytes.hpp"

#include <doctest/doctest.h>

using namespace svc;
using namespace svc::egress;

namespace {

byte_vector bytes_of(std::string_view hex) {
  return from_hex(hex).value();
}

}  // namespace

TEST_CASE("echo requests, as tcpdump shows those of ping") {
  auto const payload = bytes_of("00010203");
  CHECK(to_hex(as_bytes(echo_request(true, 0x1234, 1, payload))) == "0800e3c61234000100010203");
  CHECK(to_hex(as_bytes(echo_request(true, 0xFFFF, 0xFFFF, {}))) == "0800f7ffffffffff");
  CHECK(to_hex(as_bytes(echo_request(false, 0x1234, 1, payload))) == "800000001234000100010203");
}

TEST_CASE("packets that are echoes, and packets that are not") {
  struct {
    std::string name;
    std::string_view hex;
    bool v4, with_ip, is_echo, reply;
  } const cases[] = {
      {"reply", "0000000012340001aabb", true, false, true, true},
      {"request", "0800000012340001", true, false, true, false},
      {"of IPv6", "8100000012340001", false, false, true, true},
      {"request of IPv6", "8000000012340001", false, false, true, false},
      {"of the other family", "8100000012340001", true, false, false, false},
      {"unreachable", "0301000012340001", true, false, false, false},
      {"with a code", "0001000012340001", true, false, false, false},
      {"cut", "00000000123400", true, false, false, false},
      {"empty", "", true, false, false, false},
      {"behind a header", "4500001c00000000400100007f0000017f0000010000000012340001", true, true, true, true},
      {"behind options", "4600002000000000400100007f0000017f000001000000000000000012340001", true, true, true, true},
      {"header cut", "4500001c0000", true, true, false, false},
      {"header too short", "4400001c00000000400100007f0000017f0000010000000012340001", true, true, false, false},
      {"header longer than all", "4f00001c00000000400100007f0000017f0000010000000012340001", true, true, false,
       false},
      {"header of IPv6", "6500001c00000000400100007f0000017f0000010000000012340001", true, true, false, false},
      {"nothing, where a header should be", "", true, true, false, false},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const message = bytes_of(c.hex);
    auto const got = read_echo(message, c.v4, c.with_ip);
    REQUIRE(got.has_value() == c.is_echo);
    if (!got) continue;
    CHECK(got->reply == c.reply);
    CHECK(got->id == 0x1234);
    CHECK(got->sequence == 1);
  }
}
