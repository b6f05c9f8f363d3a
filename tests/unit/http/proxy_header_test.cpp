#include "svc/http/client_address.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using svc::http::parse_proxy_header;
using svc::http::proxy_header;
using namespace std::string_literals;

namespace {

constexpr auto peer = "(peer)";  // complete, without a source

std::string const signature = "\r\n\r\n\0\r\nQUIT\n"s;
std::string const v4_block = "\xc0\x00\x02\x07\x0a\x00\x00\x01\x80\x00\x01\xbb"s;  // 192.0.2.7:32768 > 10.0.0.1:443

/// Returns a header of version 2 with the length of its block.
std::string v2(char command, char family, std::string const& block) {
  auto const size = block.size();
  return signature + command + family + static_cast<char>(size >> 8U) + static_cast<char>(size & 0xffU) + block;
}

std::string v6_block(std::string const& source) {
  return source + std::string(16, '\1') + "\x80\x00\x01\xbb"s;
}

struct row {
  std::string name;
  std::string bytes;
  std::string source;  ///< empty: refused
};

std::vector<row> const& rows() {
  static std::vector<row> const all{
      {"TCP4", "PROXY TCP4 192.0.2.7 10.0.0.1 56324 443\r\n", "192.0.2.7"},
      {"TCP4, widest", "PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n", "255.255.255.255"},
      {"TCP4, port 0", "PROXY TCP4 1.2.3.4 1.2.3.4 0 0\r\n", "1.2.3.4"},
      {"TCP6", "PROXY TCP6 2001:db8::7 ::1 1 2\r\n", "2001:db8::7"},
      {"TCP6, 104 bytes",
       "PROXY TCP6 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535\r\n",
       "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
      {"TCP6, mapped", "PROXY TCP6 ::ffff:192.0.2.7 ::1 1 2\r\n", "192.0.2.7"},
      {"UNKNOWN", "PROXY UNKNOWN\r\n", peer},
      {"UNKNOWN with words", "PROXY UNKNOWN ffff:f...f:ffff x 65535 65535\r\n", peer},
      {"107 bytes", "PROXY UNKNOWN " + std::string(107 - 16, 'x') + "\r\n", peer},
      {"108 bytes", "PROXY UNKNOWN " + std::string(108 - 16, 'x') + "\r\n", ""},
      {"no CRLF in 107 bytes", "PROXY UNKNOWN " + std::string(120, 'x'), ""},
      {"family of another", "PROXY TCP4 ::1 ::1 1 2\r\n", ""},
      {"family of another, 6", "PROXY TCP6 1.2.3.4 1.2.3.4 1 2\r\n", ""},
      {"mixed families", "PROXY TCP4 1.2.3.4 ::1 1 2\r\n", ""},
      {"unknown family", "PROXY UDP4 1.2.3.4 1.2.3.4 1 2\r\n", ""},
      {"small letters", "PROXY tcp4 1.2.3.4 1.2.3.4 1 2\r\n", ""},
      {"small signature", "proxy TCP4 1.2.3.4 1.2.3.4 1 2\r\n", ""},
      {"no words", "PROXY \r\n", ""},
      {"three words", "PROXY TCP4 1.2.3.4 1.2.3.4 1\r\n", ""},
      {"five words", "PROXY TCP4 1.2.3.4 1.2.3.4 1 2 3\r\n", ""},
      {"space at the end", "PROXY TCP4 1.2.3.4 1.2.3.4 1 2 \r\n", ""},
      {"two spaces", "PROXY TCP4  1.2.3.4 1.2.3.4 1 2\r\n", ""},
      {"tab", "PROXY TCP4\t1.2.3.4 1.2.3.4 1 2\r\n", ""},
      {"a name", "PROXY TCP4 localhost 1.2.3.4 1 2\r\n", ""},
      {"leading zero in an address", "PROXY TCP4 01.2.3.4 1.2.3.4 1 2\r\n", ""},
      {"leading zero in a port", "PROXY TCP4 1.2.3.4 1.2.3.4 01 2\r\n", ""},
      {"port of 65536", "PROXY TCP4 1.2.3.4 1.2.3.4 65536 2\r\n", ""},
      {"port of 6 digits", "PROXY TCP4 1.2.3.4 1.2.3.4 1 100000\r\n", ""},
      {"sign", "PROXY TCP4 1.2.3.4 1.2.3.4 +1 2\r\n", ""},
      {"no port", "PROXY TCP4 1.2.3.4 1.2.3.4  2\r\n", ""},
      {"zone", "PROXY TCP6 fe80::1%1 ::1 1 2\r\n", ""},
      {"bare LF", "PROXY TCP4 1.2.3.4 1.2.3.4 1 2\n", ""},
      {"bare CR", "PROXY TCP4 1.2.3.4\r1.2.3.4 1 2\r\n", ""},
      {"NUL", "PROXY TCP4 1.2.3.4\0 1.2.3.4 1 2\r\n"s, ""},
      {"a request", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", ""},
      {"a TLS hello", "\x16\x03\x01\x02\x00\x01"s, ""},
      {"PRI", "PRI * HTTP/2.0\r\n\r\n", ""},

      {"v2 TCP4", v2('\x21', '\x11', v4_block), "192.0.2.7"},
      {"v2 TCP6", v2('\x21', '\x21', v6_block("\x20\x01\x0d\xb8"s + std::string(11, '\0') + '\7')), "2001:db8::7"},
      {"v2 TCP6, mapped", v2('\x21', '\x21', v6_block(std::string(10, '\0') + "\xff\xff\xc0\0\2\7"s)), "192.0.2.7"},
      {"v2 with TLVs", v2('\x21', '\x11', v4_block + "\x02\x00\x04host\x20\x00\x01x"s), "192.0.2.7"},
      {"v2 with TLVs that lie of their length", v2('\x21', '\x11', v4_block + "\x02\xff\xff"s), "192.0.2.7"},
      {"v2 Unix", v2('\x21', '\x31', std::string(216, 'p')), peer},
      {"v2 UNSPEC", v2('\x21', '\0', ""), peer},
      {"v2 UNSPEC with a block", v2('\x21', '\0', "abc"), peer},
      {"v2 LOCAL", v2('\x20', '\0', ""), peer},
      {"v2 LOCAL with addresses", v2('\x20', '\x11', v4_block), peer},
      {"v2 LOCAL with any family", v2('\x20', '\x77', "x"), peer},
      {"v2 of 2048 bytes", v2('\x21', '\x11', v4_block + std::string(2048 - 28, 'x')), "192.0.2.7"},
      {"v2 of 2049 bytes", v2('\x21', '\x11', v4_block + std::string(2049 - 28, 'x')), ""},
      {"v2 of 64 KiB", signature + "\x21\x11\xff\xff"s, ""},
      {"v2, short block", v2('\x21', '\x11', v4_block.substr(1)), ""},
      {"v2, no block", v2('\x21', '\x11', ""), ""},
      {"v2 TCP6, block of TCP4", v2('\x21', '\x21', v4_block), ""},
      {"v2 Unix, short", v2('\x21', '\x31', std::string(215, 'p')), ""},
      {"v2 UDP4", v2('\x21', '\x12', v4_block), ""},
      {"v2 UDP6", v2('\x21', '\x22', v6_block(std::string(16, '\2'))), ""},
      {"v2 Unix datagram", v2('\x21', '\x32', std::string(216, 'p')), ""},
      {"v2, family 4", v2('\x21', '\x41', v4_block), ""},
      {"v2, transport without family", v2('\x21', '\x01', v4_block), ""},
      {"v2, command 2", v2('\x22', '\x11', v4_block), ""},
      {"version 1 in binary", v2('\x11', '\x11', v4_block), ""},
      {"version 3", v2('\x31', '\x11', v4_block), ""},
      {"broken signature", "\r\n\r\n\0\r\nQUIT\r"s, ""},
      {"an empty request", "\r\n\r\nGET / HTTP/1.1\r\n", ""},
  };
  return all;
}

}  // namespace

TEST_CASE("PROXY headers, versions 1 and 2") {
  for (auto const& each : rows()) {
    CAPTURE(each.name);
    auto const got = parse_proxy_header(each.bytes);
    if (each.source.empty()) {
      CHECK(got.content == proxy_header::verdict::refused);
      continue;
    }
    REQUIRE(got.content == proxy_header::verdict::complete);
    CHECK(got.size == each.bytes.size());
    CHECK(got.source.value_or(peer) == each.source);
    // The following bytes are not part of the header.
    auto const followed = parse_proxy_header(each.bytes + "\x16\x03\x01"s);
    CHECK(followed.content == proxy_header::verdict::complete);
    CHECK(followed.size == each.bytes.size());
  }
}

TEST_CASE("a good header is incomplete at every earlier byte, and a bad one never becomes good") {
  for (auto const& each : rows()) {
    CAPTURE(each.name);
    bool refused = false;
    for (std::size_t n = 0; n < each.bytes.size(); ++n) {
      auto const got = parse_proxy_header(std::string_view(each.bytes).substr(0, n));
      CHECK(got.content != proxy_header::verdict::complete);
      if (!each.source.empty()) CHECK(got.content == proxy_header::verdict::need_more);
      // Once refused, more bytes change nothing.
      if (refused) CHECK(got.content == proxy_header::verdict::refused);
      refused = got.content == proxy_header::verdict::refused;
    }
  }
}
