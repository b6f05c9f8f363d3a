
#include "cli/http/proxy.hpp"
#include "cli/console/failure.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace svc::cli;

namespace {

base_url address_of(std::string const& text) {
  std::string reason;
  auto const out = base_url::parse(text, reason);
  REQUIRE_MESSAGE(out.has_value(), reason);
  return *out;
}

}  // namespace

TEST_CASE("hosts that bypass the proxy") {
  struct row {
    std::string url, no_proxy;
    bool direct;
  };
  std::vector<row> const table{
      {"https://ci.example.com", "", false},
      {"https://ci.example.com", "*", true},
      {"https://ci.example.com", "ci.example.com", true},
      {"https://ci.example.com", "CI.Example.COM", true},
      {"https://ci.example.com", "example.com", true},
      {"https://ci.example.com", ".example.com", true},
      {"https://ci.example.com", "*.example.com", true},
      {"https://example.com", ".example.com", true},
      {"https://ci.example.com", "ample.com", false},
      {"https://ci.example.com", "com", true},
      {"https://ci.example.com", "www.ci.example.com", false},
      {"https://ci.example.com", "example.com.", true},
      {"https://ci.example.com", "example.org", false},
      {"https://ci.example.com", " other.org ,\texample.com ", true},
      {"https://ci.example.com", "other.org example.com", true},
      {"https://ci.example.com", ",,,", false},
      {"https://ci.example.com", ".", false},
      {"https://ci.example.com", "example.com:443", true},
      {"https://ci.example.com", "example.com:0443", true},
      {"https://ci.example.com", "example.com:8443", false},
      {"https://ci.example.com:8443", "example.com:8443", true},
      {"https://ci.example.com:8443", "*:8443", true},
      {"https://ci.example.com", "*:8443", false},
      {"https://ci.example.com", "example.com:x", false},
      {"https://ci.example.com", "10.0.0.0/8", false},
      {"https://10.1.2.3", "10.0.0.0/8", true},
      {"https://10.1.2.3", "11.0.0.0/8", false},
      {"https://10.1.2.3", "10.1.2.3", true},
      {"https://10.1.2.3", "10.1.2.3:443", true},
      {"https://10.1.2.3", "10.1.2.3:444", false},
      {"https://10.1.2.3", "2.3", false},
      {"https://10.1.2.3", ".1.2.3", false},
      {"https://10.1.2.3", "*", true},
      {"https://[fd00::1]", "fd00::/8", true},
      {"https://[fd00::1]", "fe00::/8", false},
      {"https://[fd00::1]", "fd00:0::1", true},
      {"https://[fd00::1]", "[fd00::1]", true},
      {"https://[fd00::1]:8443", "[fd00::1]:8443", true},
      {"https://[fd00::1]", "[fd00::1]:8443", false},
      {"https://[fd00::1]", "[fd00::1", false},
      {"https://[fd00::1]", "[fd00::1]x", false},
      {"https://[fd00::1]", "0.0.0.0/0", false},
      {"https://localhost", "", false},
      {"https://127.0.0.1", "localhost", false},
  };
  for (auto const& each : table) {
    CAPTURE(each.url);
    CAPTURE(each.no_proxy);
    proxy_settings settings;
    settings.https = "http://proxy:3128";
    settings.no_proxy = each.no_proxy;
    CHECK(proxy_for(address_of(each.url), settings) == (each.direct ? "" : "http://proxy:3128"));
  }
}

TEST_CASE("each scheme has its own proxy") {
  proxy_settings settings;
  settings.http = "http://a:1";
  settings.https = "http://b:2";
  CHECK(proxy_for(address_of("http://localhost:80"), settings) == "http://a:1");
  CHECK(proxy_for(address_of("https://localhost:80"), settings) == "http://b:2");
}

TEST_CASE("a proxy's address, without its credentials") {
  struct row {
    std::string url, text;  // empty: not one
  };
  std::vector<row> const table{
      {"http://proxy:3128", "http://proxy:3128"},
      {"proxy:3128", "http://proxy:3128"},
      {"proxy", "http://proxy:1080"},
      {"HTTP://User:Pass@Proxy:3128/", "http://proxy:3128"},
      {"https://proxy", "https://proxy:443"},
      {"socks5h://u:p%40@proxy:9", "socks5h://proxy:9"},
      {"socks5://[::1]:9", "socks5://[::1]:9"},
      {"ftp://proxy", ""},
      {"file:///etc/passwd", ""},
      {"http://", ""},
      {"http://a b:1", ""},
      {"http://u:p@proxy:999999", ""},
      {std::string("http://a\0b", 10), ""},
  };
  for (auto const& each : table) {
    CAPTURE(each.url);
    auto const got = proxy_address::parse(each.url);
    CHECK((got ? got->text() : "") == each.text);
  }
}

TEST_CASE("a credential is sent over TLS, or stays on this machine") {
  struct row {
    std::string url, proxy;
    bool safe;
  };
  std::vector<row> const table{
      {"https://ci.example.com", "http://proxy:3128", true},
      {"http://localhost:1", "", true},
      {"http://127.9.9.9:1", "", true},
      {"http://[::1]:1", "", true},
      {"http://localhost:1", "http://proxy:3128", false},
      {"http://localhost:1", "http://127.0.0.1:3128", true},
      {"http://localhost:1", "http://[::1]:3128", true},
      {"http://localhost:1", "ftp://127.0.0.1", false},
  };
  for (auto const& each : table) {
    CAPTURE(each.url);
    CAPTURE(each.proxy);
    if (each.safe) {
      CHECK_NOTHROW(require_safe_way(address_of(each.url), each.proxy));
    } else {
      CHECK_THROWS_AS(require_safe_way(address_of(each.url), each.proxy), failure);
    }
  }
  auto elsewhere = address_of("https://ci.example.com");
  elsewhere.scheme = "http";
  CHECK_THROWS_AS(require_safe_way(elsewhere, ""), failure);
}
