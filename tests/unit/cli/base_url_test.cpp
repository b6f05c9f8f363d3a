#include "cli/settings/base_url.hpp"

#include <doctest/doctest.h>

using namespace svc::cli;

namespace {

std::string spelling_of(std::string_view text) {
  std::string reason;
  auto const url = base_url::parse(text, reason);
  CHECK(url.has_value() == reason.empty());
  return url ? url->text : "refused";
}

}  // namespace

TEST_CASE("an address has one spelling, whatever way it is written") {
  struct {
    char const* text;
    char const* spelling;
  } const rows[] = {
      {"https://ci.example.com", "https://ci.example.com"},
      {"https://ci.example.com/", "https://ci.example.com"},
      {"https://ci.example.com:443", "https://ci.example.com"},
      {"https://ci.example.com:8443", "https://ci.example.com:8443"},
      {"https://ci.example.com:08443", "https://ci.example.com:8443"},
      {"HTTPS://CI.Example.COM/Prefix", "https://ci.example.com/Prefix"},
      {"https://example.com/a/b//", "https://example.com/a/b"},
      {"https://example.com/a%20b", "https://example.com/a%20b"},
      {"https://ci_1.internal", "https://ci_1.internal"},
      {"https://xn--bcher-kva.example", "https://xn--bcher-kva.example"},
      {"https://192.0.2.7", "https://192.0.2.7"},
      {"https://[2001:DB8:0::1]", "https://[2001:db8::1]"},
      {"https://[2001:db8::1]:8443/ci", "https://[2001:db8::1]:8443/ci"},
      {"http://localhost", "http://localhost"},
      {"http://localhost:80", "http://localhost"},
      {"http://LOCALHOST:8080/x", "http://localhost:8080/x"},
      {"http://svc.localhost", "http://svc.localhost"},
      {"http://127.0.0.1:8080", "http://127.0.0.1:8080"},
      {"http://127.255.255.254", "http://127.255.255.254"},
      {"http://[::1]:8080", "http://[::1]:8080"},
      {"http://[::ffff:127.0.0.1]", "http://127.0.0.1"},
      {"https://example.com:65535", "https://example.com:65535"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.text);
    CHECK(spelling_of(row.text) == row.spelling);
    CHECK(spelling_of(row.spelling) == row.spelling);
  }
}

TEST_CASE("an address that no service could have is refused") {
  for (std::string const text : {
           "",
           "ci.example.com",
           "//ci.example.com",
           "ftp://ci.example.com",
           "file:///etc/passwd",
           "https:/ci.example.com",
           "https://",
           "https:///path",
           "https://user@example.com",
           "https://user:secret@example.com",
           "https://example.com?x=1",
           "https://example.com/?x=1",
           "https://example.com#x",
           "https://example.com:",
           "https://example.com:0",
           "https://example.com:65536",
           "https://example.com:-1",
           "https://example.com:+443",
           "https://example.com:https",
           "https://example.com:443:443",
           "https://exa mple.com",
           "https://example.com/a b",
           "https://example.com\\@evil.example",
           "https://example.com/\n",
           "https://bücher.example",
           "https://.example.com",
           "https://example..com",
           "https://example.com.",
           "https://-a.example",
           "https://a-.example",
           "https://a%2eb.example",
           "https://example.com/../x",
           "https://example.com/./x",
           "https://example.com//x",
           "https://example.com/%zz",
           "https://example.com/%2",
           "https://example.com/<x>",
           "https://[::1",
           "https://[]",
           "https://[example.com]",
           "https://[127.0.0.1]",
           "https://[fe80::1%eth0]",
           "https://2001:db8::1",
           "https://127.1",
           "https://2130706433",
           "https://0x7f.0.0.1",
           "https://0x7f000001",
           "https://1.2.3.4.5",
           "https://256.1.1.1",
           "http://example.com",
           "http://10.0.0.1",
           "http://126.255.255.255",
           "http://128.0.0.1",
           "http://0.0.0.0",
           "http://[::2]",
           "http://[::]",
           "http://localhost.example.com",
           "http://notlocalhost",
           "http://127.0.0.1.example.com",
       }) {
    CAPTURE(text);
    CHECK(spelling_of(text) == "refused");
  }
  CHECK(spelling_of("https://" + std::string(64, 'a') + ".example") == "refused");
  CHECK(spelling_of("https://" + std::string(63, 'a') + ".example") != "refused");
  CHECK(spelling_of("https://example.com/" + std::string(2048, 'a')) == "refused");
}

TEST_CASE("a refusal quotes nothing of an address that may hold a password") {
  std::string reason;
  CHECK_FALSE(base_url::parse("https://ada:hunter2@example.com", reason));
  CHECK(reason.find("hunter2") == std::string::npos);
  CHECK(reason.find("user name or password") != std::string::npos);
}

TEST_CASE("the parts of an address") {
  std::string reason;
  auto const v6 = base_url::parse("https://[2001:db8::1]/ci", reason);
  REQUIRE(v6);
  CHECK(v6->scheme == "https");
  CHECK(v6->host == "2001:db8::1");
  CHECK(v6->port == "443");
}
