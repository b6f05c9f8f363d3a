#include "svc/egress/url.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace svc;
using namespace svc::egress;
using namespace std::literals;

namespace {

std::string written(result<http_url> const& got) {
  return got ? got->to_string() : "-";
}

}  // namespace

TEST_CASE("URLs of http and https") {
  struct {
    std::string_view text;
    char const* wanted;
  } const cases[] = {
      {"http://example.com", "http://example.com/"},
      {"https://example.com/", "https://example.com/"},
      {"HTTPS://Example.COM/Path?Q=1", "https://example.com/Path?Q=1"},
      {"http://example.com?a=b", "http://example.com/?a=b"},
      {"http://example.com:80/", "http://example.com/"},
      {"https://example.com:443/", "https://example.com/"},
      {"https://example.com:80/", "https://example.com:80/"},
      {"http://example.com:443/", "http://example.com:443/"},
      {"http://example.com:8080/a/../b", "http://example.com:8080/a/../b"},
      {"http://[2001:db8::1]/", "http://[2001:db8::1]/"},
      {"http://[2001:DB8::1]:8080/", "http://[2001:db8::1]:8080/"},
      {"http://8.8.8.8:65535", "http://8.8.8.8:65535/"},
      {"http://example.com/%20%zz", "http://example.com/%20%zz"},
      {"http://example.com/ü", "http://example.com/%C3%BC"},
      {"http://münchen.de/", "http://xn--mnchen-3ya.de/"},
      {"http://example.com//a@b:c", "http://example.com//a@b:c"},
      {"http://example.com/?u=http://a@b/", "http://example.com/?u=http://a@b/"},
      {"http://example.com/{a}|b", "http://example.com/{a}|b"},
      {"", "-"},
      {"example.com", "-"},
      {"//example.com/", "-"},
      {"http:/example.com", "-"},
      {"http:example.com", "-"},
      {"http://", "-"},
      {"http:///", "-"},
      {"https://?", "-"},
      {"ftp://example.com/", "-"},
      {"file:///etc/passwd", "-"},
      {"gopher://example.com/", "-"},
      {"javascript://example.com/", "-"},
      {"ws://example.com/", "-"},
      {"ht\ttp://example.com/", "-"},
      {" http://example.com/", "-"},
      {"http://example.com/ ", "-"},
      {"http://example.com/a b", "-"},
      {"http://example.com/a\nb", "-"},
      {"http://example.com/a\r\nHost: x", "-"},
      {"http://example.com/\0"sv, "-"},
      {"http://example.com/\x7f", "-"},
      {"http://user@example.com/", "-"},
      {"http://user:secret@example.com/", "-"},
      {"http://:@example.com/", "-"},
      {"http://example.com@127.0.0.1/", "-"},
      {"http://127.0.0.1\\@example.com/", "-"},
      {"http://example.com\\/", "-"},
      {"http://example.com/a\\b", "-"},
      {"http:\\\\example.com/", "-"},
      {"http://example.com/#part", "-"},
      {"http://example.com#", "-"},
      {"http://example.com:/", "-"},
      {"http://example.com:0/", "-"},
      {"http://example.com:080/", "-"},
      {"http://example.com:65536/", "-"},
      {"http://example.com:+80/", "-"},
      {"http://example.com:-80/", "-"},
      {"http://example.com:80a/", "-"},
      {"http://example.com:80:80/", "-"},
      {"http://example.com: 80/", "-"},
      {"http://2001:db8::1/", "-"},
      {"http://[::1/", "-"},
      {"http://[::1]8080/", "-"},
      {"http://[fe80::1%25eth0]/", "-"},
      {"http://127.1/", "-"},
      {"http://2130706433/", "-"},
      {"http://0x7f000001/", "-"},
      {"http://0177.0.0.1/", "-"},
      {"http://１２７.０.０.１/", "-"},
      {"http://example.com:22/", "-"},
      {"http://example.com:25/", "-"},
      {"https://example.com:6667/", "-"},
      {"https://example.com:10080/", "-"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.text);
    auto const got = parse_http_url(c.text);
    CHECK(written(got) == c.wanted);
    if (got) CHECK(parse_http_url(got->to_string()).value() == *got);
    if (!got) CHECK_FALSE(got.error().message.empty());
  }
}

TEST_CASE("the error does not repeat a secret of the user information") {
  CHECK(parse_http_url("http://user:hunter2@example.com/").error().message.find("hunter2") == std::string::npos);
}

TEST_CASE("the longest URL") {
  std::string const head = "http://example.com/";
  CHECK(parse_http_url(head + std::string(2048 - head.size(), 'a')).has_value());
  CHECK_FALSE(parse_http_url(head + std::string(2049 - head.size(), 'a')).has_value());
}

TEST_CASE("ports that browsers refuse") {
  int bad = 0;
  for (unsigned port = 0; port <= 0xFFFF; ++port) bad += is_bad_port(static_cast<std::uint16_t>(port)) ? 1 : 0;
  CHECK(bad == 83);
  for (std::uint16_t const port : {0, 1, 22, 25, 53, 110, 143, 465, 587, 993, 2049, 4190, 6000, 6697, 10080})
    CHECK(is_bad_port(port));
  for (std::uint16_t const port : {80, 443, 8080, 8443, 3000, 5432, 6379, 9200, 24, 10081})
    CHECK_FALSE(is_bad_port(port));
}

TEST_CASE("where a redirect leads") {
  struct {
    char const* base;
    std::string_view location;
    char const* wanted;
  } const cases[] = {
      {"http://a.example/x/y?z", "/b", "http://a.example/b"},
      {"http://a.example/x/y?z", "b", "http://a.example/x/b"},
      {"http://a.example/x/y", "../b", "http://a.example/b"},
      {"http://a.example/x/y", "?q", "http://a.example/x/y?q"},
      {"http://a.example:8080/x", "/b", "http://a.example:8080/b"},
      {"https://a.example/x", "//b.example/c", "https://b.example/c"},
      {"https://a.example/x", "http://b.example/c", "http://b.example/c"},
      {"http://a.example/x", "HTTP://B.example/", "http://b.example/"},
      {"http://a.example/", "/b#part", "http://a.example/b"},
      {"http://a.example/", "/b c", "http://a.example/b%20c"},
      {"http://a.example/", "/ü", "http://a.example/%c3%bc"},
      {"http://a.example/", "http://münchen.de/", "http://xn--mnchen-3ya.de/"},
      {"http://[2001:db8::1]:8080/", "/b", "http://[2001:db8::1]:8080/b"},
      {"http://a.example/", "ftp://b.example/", "-"},
      {"http://a.example/", "file:///etc/passwd", "-"},
      {"http://a.example/", "javascript:alert(1)", "-"},
      {"http://a.example/", "http://user@b.example/", "-"},
      {"http://a.example/", "//user:secret@b.example/", "-"},
      // libcurl reads other notations of addresses; what is checked and connected to is what they stand for
      {"http://a.example/", "http://127.1/", "http://127.0.0.1/"},
      {"http://a.example/", "http://2130706433/", "http://127.0.0.1/"},
      {"http://a.example/", "http://0x7f.1/", "http://127.0.0.1/"},
      {"http://a.example/", "http://127.0.0.0x/", "-"},
      {"http://a.example/", "http://a.example.0x1/", "-"},
      {"http://a.example/", "http://[fe80::1%25eth0]/", "-"},
      {"http://a.example/", "http://b.example:25/", "-"},
      {"http://a.example/", "http://", "-"},
      {"http://a.example/", "http://b.example:99999/", "-"},
      {"http://a.example/", "/a\0b"sv, "-"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.base);
    CAPTURE(c.location);
    auto const base = parse_http_url(c.base);
    REQUIRE(base.has_value());
    CHECK(written(resolve_location(*base, c.location)) == c.wanted);
  }
  auto const base = parse_http_url("http://a.example/");
  CHECK_FALSE(resolve_location(*base, std::string(5000, 'a')).has_value());
}
