#include "border/raw_case.hpp"

namespace svc::test {
namespace {

std::string host(std::string const& value) {
  return "GET /livez HTTP/1.1\r\nHost: " + value + "\r\n\r\n";
}

}  // namespace

raw_cases host_cases() {
  std::string const refused = "400 close", section = "9112 3.2", form = "9110 7.2", uri = "3986 3.2.2";
  return {
      {"no Host", "GET /livez HTTP/1.1\r\n\r\n", refused, section},
      {"no Host among other fields", "GET /livez HTTP/1.1\r\nX-Host: a\r\nForwarded: host=a\r\n\r\n", refused,
       section},
      {"two Hosts alike", get("Host: a\r\n"), refused, section},
      {"two Hosts", get("Host: b\r\n"), refused, section},
      {"two Hosts in different case", get("HOST: a\r\n"), refused, section},
      {"two Hosts, the second empty", get("Host:\r\n"), refused, section},
      {"two Hosts far apart", get("A: b\r\nC: d\r\nhost: a\r\n"), refused, section},
      {"two Hosts on HTTP/1.0", "GET /livez HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", refused, section},
      {"an empty Host", host(""), refused, section},
      {"white space for a Host", host(" \t "), refused, section},
      {"Host in capitals", "GET /livez HTTP/1.1\r\nHOST: a\r\n\r\n", "200", "9110 5.1"},
      {"Host after others", "GET /livez HTTP/1.1\r\nA: b\r\nHost: a\r\n\r\n", "200", section},
      {"Host without a space", "GET /livez HTTP/1.1\r\nHost:a\r\n\r\n", "200", "9112 5"},
      {"Host between white space", host("\t a \t"), "200", "9112 5"},
      {"a name and a port", host("api.example.com:8443"), "200", form},
      {"an empty port", host("a:"), "200", "3986 3.2.3"},
      {"the largest port", host("a:65535"), "200", form},
      {"a port too large", host("a:65536"), refused, form},
      {"a port of six digits", host("a:000080"), refused, form},
      {"a port with a sign", host("a:+80"), refused, form},
      {"a port with a letter", host("a:8o"), refused, form},
      {"two ports", host("a:80:80"), refused, form},
      {"only a port", host(":80"), refused, form},
      {"an IPv4 address", host("127.0.0.1:443"), "200", uri},
      {"an IPv6 address", host("[::1]:443"), "200", uri},
      {"an IPv6 address with an IPv4 end", host("[::ffff:192.0.2.1]"), "200", uri},
      {"an IPv6 address without brackets", host("::1"), refused, uri},
      {"an IPv6 address that is none", host("[:::::]"), refused, uri},
      {"nine groups", host("[1:2:3:4:5:6:7:8:9]"), refused, uri},
      {"dots in brackets", host("[...:]"), refused, uri},
      {"a name in brackets", host("[a]"), refused, uri},
      {"an address of the future", host("[v1.a]"), refused, uri},
      {"an IPv6 address with a zone", host("[fe80::1%25eth0]"), refused, "6874 2"},
      {"an open bracket", host("[::1"), refused, uri},
      {"text after the bracket", host("[::1]a"), refused, uri},
      {"user information", host("user@a"), refused, form},
      {"user and password", host("user:pass@a"), refused, form},
      {"a path", host("a/livez"), refused, form},
      {"a query", host("a?b"), refused, form},
      {"a fragment", host("a#b"), refused, form},
      {"a whole URL", host("https://a"), refused, form},
      {"a list", host("a, b"), refused, form},
      {"two names", host("a b"), refused, form},
      {"a comma", host("a,b"), refused, form},
      {"a percent escape", host("a%2eb"), refused, "own"},
      {"a byte above ASCII", host("\xC3\xA4.example"), refused, uri},
      {"a backslash", host("a\\b"), refused, uri},
      {"quotes", host("\"a\""), refused, uri},
      {"a script", host("<script>"), refused, uri},
      {"an underscore", host("a_b"), "200", uri},
      {"a name of 255", host(std::string(255, 'a')), "200", "1123 2.1"},
      {"a name of 256", host(std::string(256, 'a')), refused, "1123 2.1"},
      {"a folded Host", "GET /livez HTTP/1.1\r\nHost:\r\n a\r\n\r\n", refused, "9112 5.2"},
      {"Host with a space before the colon", "GET /livez HTTP/1.1\r\nHost : a\r\n\r\n", refused, "9112 5.1"},
  };
}

}  // namespace svc::test
