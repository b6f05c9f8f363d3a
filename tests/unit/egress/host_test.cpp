#include "svc/egress/host.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace svc;
using namespace svc::egress;
using namespace std::literals;

namespace {

/// Returns the result of reading a host: its name, after `ip ` if it is an address; `-` if it was refused.
std::string read_as(result<host> const& got) {
  if (!got) return "-";
  return (got->address ? "ip " : "") + got->name;
}

}  // namespace

TEST_CASE("hosts of URLs: names, dotted decimal, IPv6 in brackets") {
  struct {
    std::string_view text;
    char const* wanted;
  } const cases[] = {
      {"example.com", "example.com"},
      {"EXAMPLE.Com", "example.com"},
      {"a", "a"},
      {"localhost", "localhost"},
      {"1a", "1a"},
      {"3com.example", "3com.example"},
      {"a-b.example", "a-b.example"},
      {"a--b.example", "a--b.example"},
      {"xn--mnchen-3ya.de", "xn--mnchen-3ya.de"},
      {"127.0.0.1.example", "127.0.0.1.example"},
      {"1.2.3.4a", "1.2.3.4a"},
      {"0x7f.example", "0x7f.example"},
      {"0xg", "0xg"},
      {"8.8.8.8", "ip 8.8.8.8"},
      {"127.0.0.1", "ip 127.0.0.1"},
      {"0.0.0.0", "ip 0.0.0.0"},
      {"255.255.255.255", "ip 255.255.255.255"},
      {"[::1]", "ip ::1"},
      {"[::]", "ip ::"},
      {"[2001:DB8:0:0:0:0:0:1]", "ip 2001:db8::1"},
      {"[::ffff:127.0.0.1]", "ip 127.0.0.1"},
      {"[::ffff:7f00:1]", "ip 127.0.0.1"},
      {"[64:ff9b::8.8.8.8]", "ip 64:ff9b::808:808"},
      // numbers that some readers take for addresses
      {"127.1", "-"},
      {"127.0.1", "-"},
      {"2130706433", "-"},
      {"0", "-"},
      {"017700000001", "-"},
      {"0177.0.0.1", "-"},
      {"0177.0.0.01", "-"},
      {"127.0.0.01", "-"},
      {"127.0.0.010", "-"},
      {"127.000.000.001", "-"},
      {"0x7f000001", "-"},
      {"0x7F000001", "-"},
      {"0X7f000001", "-"},
      {"0x7f.0.0.1", "-"},
      {"0x7f.0x0.0x0.0x1", "-"},
      {"127.0.0.0x1", "-"},
      {"127.0.0x1", "-"},
      {"0x", "-"},
      {"127.0.0.0x", "-"},
      {"1.2.3.256", "-"},
      {"256.1.1.1", "-"},
      {"1.2.3.4.5", "-"},
      {"1.2.3", "-"},
      {"1.2.3.4.", "-"},
      {"1..2.3", "-"},
      {".1.2.3.4", "-"},
      {"a.1", "-"},
      {"example.0x1f", "-"},
      {"4294967296", "-"},
      {"99999999999999999999", "-"},
      {"+127.0.0.1", "-"},
      {"-127.0.0.1", "-"},
      {"127.0.0.1 ", "-"},
      {" 127.0.0.1", "-"},
      {"127.0.0.1\t", "-"},
      {"127.0.0.1\0.example.com"sv, "-"},
      {"127.0.0.1%00", "-"},
      {"%31%32%37.0.0.1", "-"},
      {"127%2e0%2e0%2e1", "-"},
      {"exa%6dple.com", "-"},
      // brackets
      {"[127.0.0.1]", "-"},
      {"[example.com]", "-"},
      {"[", "-"},
      {"]", "-"},
      {"[]", "-"},
      {"[::1", "-"},
      {"::1]", "-"},
      {"::1", "-"},
      {"2001:db8::1", "-"},
      {"[::1]x", "-"},
      {"x[::1]", "-"},
      {"[[::1]]", "-"},
      {"[fe80::1%eth0]", "-"},
      {"[fe80::1%25eth0]", "-"},
      {"[::1%]", "-"},
      {"[:::1]", "-"},
      {"[1::2::3]", "-"},
      {"[1:2:3:4:5:6:7]", "-"},
      {"[1:2:3:4:5:6:7:8:9]", "-"},
      {"[::g]", "-"},
      {"[::12345]", "-"},
      {"[::127.0.0.256]", "-"},
      {"[::ffff:0x7f.0.0.1]", "-"},
      {"[v1.fe80::a]", "-"},
      {"[ ::1]", "-"},
      {"[::1\0]"sv, "-"},
      // names
      {"", "-"},
      {".", "-"},
      {"..", "-"},
      {"example.com.", "-"},
      {".example.com", "-"},
      {"example..com", "-"},
      {"-a.example", "-"},
      {"a-.example", "-"},
      {"a_b.example", "-"},
      {"_dmarc.example", "-"},
      {"*.example", "-"},
      {"a b", "-"},
      {"a\nb", "-"},
      {"a/b", "-"},
      {"a\\b", "-"},
      {"a@b", "-"},
      {"a:b", "-"},
      {"a?b", "-"},
      {"a#b", "-"},
      {"a,b", "-"},
      {"a;b", "-"},
      {"a'b", "-"},
      {"a\"b", "-"},
      {"a<b", "-"},
      {"a|b", "-"},
      {"a^b", "-"},
      {"a`b", "-"},
      {"a{b}", "-"},
      {"a!b", "-"},
      {"a$b", "-"},
      {"a&b", "-"},
      {"a(b)", "-"},
      {"a=b", "-"},
      {"a~b", "-"},
      {"a\x7f", "-"},
      // other alphabets
      {"münchen.de", "xn--mnchen-3ya.de"},
      {"MÜNCHEN.de", "xn--mnchen-3ya.de"},
      {"mu\xCC\x88nchen.de", "xn--mnchen-3ya.de"},
      {"faß.de", "xn--fa-hia.de"},
      {"例え.jp", "xn--r8jz45g.jp"},
      {"例え。jp", "xn--r8jz45g.jp"},
      {"ｅｘａｍｐｌｅ.com", "example.com"},
      {"☃.net", "-"},
      {"１２７.０.０.１", "-"},
      {"127。0。0。1", "-"},
      {"⑫7.0.0.1", "-"},
      {"0ｘ7f000001", "-"},
      {"ａ＿b.example", "-"},
      {"ａ／b.example", "-"},
      {"ａ：80", "-"},
      {"a\xC2\xAD", "a"},
      {"\xC2\xAD", "-"},
      {"\xE2\x80\x8B", "-"},
      {"\xFF\xFE.example", "-"},
      {"\xC0\xAE", "-"},
      {"a\xE2\x80\xAE.example", "-"},
      {"ü\0.example"sv, "-"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.text);
    auto const got = parse_host(c.text);
    CHECK(read_as(got) == c.wanted);
    if (!got) CHECK_FALSE(got.error().message.empty());
  }
}

TEST_CASE("hosts: the longest name and the longest label") {
  std::string const label(63, 'a');
  auto const longest = label + "." + label + "." + label + "." + std::string(61, 'b');
  REQUIRE(longest.size() == 253);
  CHECK(parse_host(longest).has_value());
  CHECK_FALSE(parse_host(longest + "b").has_value());
  CHECK_FALSE(parse_host(label + "a").has_value());
  std::string many;
  for (int i = 0; i < 400; ++i) many += "ü";
  CHECK_FALSE(parse_host(many).has_value());
  CHECK_FALSE(parse_host(many + many).has_value());
}

TEST_CASE("targets that are no URL have IPv6 without brackets") {
  CHECK(read_as(parse_bare_host("::1")) == "ip ::1");
  CHECK(read_as(parse_bare_host("2001:db8::1")) == "ip 2001:db8::1");
  CHECK(read_as(parse_bare_host("127.0.0.1")) == "ip 127.0.0.1");
  CHECK(read_as(parse_bare_host("example.com")) == "example.com");
  for (auto const* text : {"[::1]", "fe80::1%eth0", "127.1", "example.com:80", "::1:", ""}) {
    CAPTURE(text);
    CHECK(read_as(parse_bare_host(text)) == "-");
  }
}

TEST_CASE("a host in a URL is the parsed one") {
  for (auto const* text : {"example.com", "8.8.8.8", "[2001:db8::1]"}) CHECK(parse_host(text)->in_url() == text);
}

TEST_CASE("names to be looked up have underscores and numbers too") {
  CHECK(parse_dns_name("_dmarc.Example.com.").value() == "_dmarc.example.com");
  CHECK(parse_dns_name("1.0.0.127.in-addr.arpa").value() == "1.0.0.127.in-addr.arpa");
  CHECK(parse_dns_name("münchen.de").value() == "xn--mnchen-3ya.de");
  for (auto const* text : {"", ".", "a..b", "a b", "a\\046b", "*", "a/b", "-a"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_dns_name(text).has_value());
  }
}
