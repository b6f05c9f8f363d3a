#include "svc/http/target.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace svc;
using namespace svc::http;

namespace {

/// "raw_path [segment][segment] name=value;"
std::string describe(target const& t) {
  std::string out(t.raw_path);
  out += ' ';
  for (auto const& s : t.segments) out += "[" + s + "]";
  for (auto const& [name, value] : t.query) out += " " + name + "=" + value + ";";
  return out;
}

}  // namespace

TEST_CASE("target: accepted ones") {
  struct {
    std::string raw;
    std::string expected;
    char const* method = "GET";
  } const cases[] = {
      {"/", "/ "},
      {"/a", "/a [a]"},
      {"/a/b-._~!$&'()*+,;=:@", "/a/b-._~!$&'()*+,;=:@ [a][b-._~!$&'()*+,;=:@]"},
      {"/a%20b/%C3%A4", "/a%20b/%C3%A4 [a b][\xC3\xA4]"},
      {"/%2541", "/%2541 [%41]"},
      {"/...", "/... [...]"},
      {"/.a/b.", "/.a/b. [.a][b.]"},
      {"/?", "/ "},
      {"/a?x=1", "/a [a] x=1;"},
      {"/a?x=1&x=2&y", "/a [a] x=1; x=2; y=;"},
      {"/a?&&x=1&", "/a [a] x=1;"},
      {"/a?=1", "/a [a] =1;"},
      {"/a?x=a+b%2Bc%20d", "/a [a] x=a b+c d;"},
      {"/a?x=1=2?3/4", "/a [a] x=1=2?3/4;"},
      {"/a?filter[name]=%2F%5C", "/a [a] filter[name]=/\\;"},
      {"http://example.com:80/a?x", "/a [a] x=;"},
      {"HTTPS://EXAMPLE.com:80", "/ "},
      {"http://example.com:80?x=1", "/  x=1;"},
      {"*", "* ", "OPTIONS"},
      {"/*", "/* [*]"},
  };
  for (auto const& c : cases) {
    INFO(c.raw);
    auto const got = parse_target(c.raw, "example.com:80", c.method);
    REQUIRE(got.has_value());
    CHECK(describe(*got) == c.expected);
  }
}

TEST_CASE("target: refused ones") {
  struct {
    std::string name;
    std::string raw;
    char const* method = "GET";
  } const cases[] = {
      {"nothing", ""},
      {"no slash", "a"},
      {"asterisk with GET", "*"},
      {"asterisk with more", "*/", "OPTIONS"},
      {"fragment", "/a#b"},
      {"fragment in the query", "/a?b#c"},
      {"fragment after the authority", "http://example.com:80#a"},
      {"other authority", "http://example.com/a"},
      {"user in the authority", "http://u@example.com:80/"},
      {"no authority", "http:///a"},
      {"other scheme", "ftp://example.com:80/"},
      {"double slash", "//a"},
      {"double slash inside", "/a//b"},
      {"trailing slash", "/a/"},
      {"dot", "/./a"},
      {"dots", "/a/.."},
      {"encoded dot", "/%2e/a"},
      {"half-encoded dots", "/a/.%2E"},
      {"encoded slash", "/a%2fb"},
      {"encoded backslash", "/a%5Cb"},
      {"backslash", "/a\\b"},
      {"bracket in the path", "/a[b"},
      {"quote in the path", "/a\"b"},
      {"NUL", "/a%00"},
      {"CR", "/a%0d"},
      {"DEL", "/a%7F"},
      {"NUL in the query", "/a?b=%00"},
      {"LF in a query name", "/a?b%0a=1"},
      {"half an escape", "/a%4"},
      {"no digits", "/a%"},
      {"wrong digits", "/a%4g"},
      {"wrong digits in the query", "/a?b=%zz"},
      {"UTF-16 escape", "/a%u0041"},
      {"invalid UTF-8", "/a%ff"},
      {"overlong slash", "/a%c0%af"},
      {"surrogate", "/a%ED%A0%80"},
      {"beyond Unicode", "/a%F4%90%80%80"},
      {"cut sequence in the query", "/a?b=%E2%82"},
      {"space", "/a b"},
      {"byte above ASCII", "/\xC3\xA4"},
  };
  for (auto const& c : cases) {
    INFO(c.name);
    auto const got = parse_target(c.raw, "example.com:80", c.method);
    REQUIRE(got.has_error());
    CHECK(got.error().code == errc::malformed_request);
    CHECK_FALSE(got.error().message.empty());
  }
}

TEST_CASE("target: absolute form requires a host") {
  CHECK(parse_target("http:///", "", "GET").has_error());
}

TEST_CASE("target: at most 50 parameters") {
  std::string raw = "/a?";
  for (int i = 0; i < 49; ++i) raw += "p&";
  CHECK(parse_target(raw, "h", "GET")->query.size() == 49);
  raw += "p&";
  CHECK(parse_target(raw, "h", "GET")->query.size() == 50);
  raw += "&&&";
  CHECK(parse_target(raw, "h", "GET").has_value());
  raw += "p";
  CHECK(parse_target(raw, "h", "GET").has_error());
}
