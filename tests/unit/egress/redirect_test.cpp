#include "egress/http/redirect.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace svc;
using namespace svc::egress;

namespace {

http_hop first_hop(char const* url, char const* method) {
  return {.url = parse_http_url(url).value(), .method = method};
}

std::string lines_of(http_request const& request, http_hop const& hop) {
  auto const lines = field_lines(request, hop);
  if (!lines) return "-";
  std::string out;
  for (auto const& line : *lines) out.append(out.empty() ? "" : "|").append(line);
  return out;
}

}  // namespace

TEST_CASE("which answers are followed") {
  std::string const out = "/b", empty;
  for (int const status : {301, 302, 303, 307, 308}) {
    CHECK(is_redirect(status, &out));
    CHECK_FALSE(is_redirect(status, &empty));
    CHECK_FALSE(is_redirect(status, nullptr));
  }
  for (int const status : {200, 201, 300, 304, 305, 306, 400}) CHECK_FALSE(is_redirect(status, &out));
}

TEST_CASE("the method and the body after a redirect") {
  struct {
    int status;
    char const* method;
    char const* next;
    bool with_body;
  } const cases[] = {
      {301, "GET", "GET", true},   {302, "GET", "GET", true},       {303, "GET", "GET", true},
      {307, "GET", "GET", true},   {308, "GET", "GET", true},       {301, "POST", "GET", false},
      {302, "POST", "GET", false}, {303, "POST", "GET", false},     {307, "POST", "POST", true},
      {308, "POST", "POST", true}, {301, "PUT", "PUT", true},       {302, "PATCH", "PATCH", true},
      {303, "PUT", "GET", false},  {303, "DELETE", "GET", false},   {303, "HEAD", "HEAD", true},
      {301, "HEAD", "HEAD", true}, {302, "DELETE", "DELETE", true},
  };
  for (auto const& c : cases) {
    CAPTURE(c.status);
    CAPTURE(c.method);
    auto const next = next_hop(first_hop("http://a.example/", c.method), c.status, "/b");
    REQUIRE(next);
    CHECK(next->method == c.next);
    CHECK(next->with_body == c.with_body);
  }
}

TEST_CASE("where no redirect leads") {
  for (char const* out : {"ftp://b.example/", "file:///etc/passwd", "http://b.example:25/", "http://u@b.example/",
                          "http://[fe80::1%25eth0]/", "gopher://b.example/", "http://"}) {
    CAPTURE(out);
    CHECK_FALSE(next_hop(first_hop("http://a.example/", "GET"), 302, out));
  }
  CHECK_FALSE(next_hop(first_hop("https://a.example/", "GET"), 302, "http://a.example/"));
  CHECK(next_hop(first_hop("http://a.example/", "GET"), 302, "https://a.example/"));
}

TEST_CASE("credentials stay at the first origin, and do not return to it") {
  auto const credentials = [](char const* source, char const* out) {
    return next_hop(first_hop(source, "GET"), 302, out)->with_credentials;
  };
  CHECK(credentials("http://a.example/x", "/y"));
  CHECK(credentials("http://a.example/x", "http://a.example:80/y"));
  CHECK(credentials("http://a.example/x", "//A.EXAMPLE/y"));
  CHECK_FALSE(credentials("http://a.example/", "http://b.example/"));
  CHECK_FALSE(credentials("http://a.example/", "http://sub.a.example/"));
  CHECK_FALSE(credentials("http://a.example/", "http://a.example:8080/"));
  CHECK_FALSE(credentials("http://a.example/", "https://a.example/"));
  auto const away = next_hop(first_hop("http://a.example/", "GET"), 302, "http://b.example/");
  auto const back = next_hop(*away, 302, "http://a.example/");
  CHECK_FALSE(back->with_credentials);
}

TEST_CASE("a secret body stays at the first origin") {
  http_request request{.body = "a", .secret_body = true};
  auto const leaks = [&](int status, char const* method, char const* out) {
    return would_leak(request, *next_hop(first_hop("http://a.example/", method), status, out));
  };
  char const* const other = "http://b.example/";
  CHECK(leaks(307, "POST", other));
  CHECK(leaks(308, "PUT", other));
  CHECK(leaks(302, "PUT", other));
  CHECK(leaks(302, "GET", other));
  CHECK_FALSE(leaks(307, "POST", "/b"));
  CHECK_FALSE(leaks(302, "POST", other));
  CHECK_FALSE(leaks(303, "PUT", other));
  CHECK_FALSE(leaks(307, "HEAD", other));
  request.secret_body = false;
  CHECK_FALSE(leaks(307, "POST", other));
  request = {.secret_body = true};
  CHECK_FALSE(leaks(307, "POST", other));
}

TEST_CASE("the fields that are sent with a hop") {
  http_request const request{.method = "POST",
                             .fields = {{"Accept", "text/html"},
                                        {"X-Api-Key", "k", true},
                                        {"AUTHORIZATION", "Basic x"},
                                        {"Cookie", "c=1"},
                                        {"Host", "other.example"},
                                        {"Content-Language", "en"},
                                        {"Content-Type", "text/plain"},
                                        {"X-Empty", ""}}};
  http_hop hop{.method = "POST"};
  CHECK(lines_of(request, hop) ==
        "Accept: text/html|X-Api-Key: k|AUTHORIZATION: Basic x|Cookie: c=1|Host: other.example|Content-Language: en|"
        "Content-Type: text/plain|X-Empty;");
  hop.with_credentials = false;
  CHECK(lines_of(request, hop) == "Accept: text/html|Content-Language: en|Content-Type: text/plain|X-Empty;");
  hop.with_body = false;
  CHECK(lines_of(request, hop) == "Accept: text/html|X-Empty;|Content-Type:");
}

TEST_CASE("fields and methods that are not sent") {
  auto const alone = [](request_field field) { return lines_of({.fields = {std::move(field)}}, {}); };
  for (char const* name : {"Content-Length", "transfer-encoding", "Connection", "UPGRADE", "Expect", "TE", "Trailer",
                           "Keep-Alive", "", "a b", "a:b", "a\r\nb", "\xC3\xBC"}) {
    CAPTURE(name);
    CHECK(alone({name, "x"}) == "-");
  }
  for (char const* value : {"a\r\nb", "a\nb", "a\rb", "\x01", "\x7F"}) CHECK(alone({"X", value}) == "-");
  CHECK(alone({"X", std::string("a\0b", 3)}) == "-");
  CHECK(alone({"X", " a\tb \xC3\xBC"}) == "X: a\tb \xC3\xBC|Content-Type:");
  CHECK(lines_of({.fields = {{"Host", "a"}, {"host", "b"}}}, {}) == "-");
  CHECK(lines_of({.method = "GET / HTTP/1.1\r\nX:"}, {}) == "-");
}
