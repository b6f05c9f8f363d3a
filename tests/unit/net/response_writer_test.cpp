#include "net/response_writer.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using svc::net::append_response;
using svc::net::response_frame;

namespace {

constexpr std::string_view date = "Fri, 20 Nov 2026 10:11:12 GMT";

svc::http::response make(unsigned status, std::string body = {}, std::string_view type = "application/json") {
  svc::http::response made;
  made.status = status;
  made.body = std::move(body);
  made.content_type = type;
  return made;
}

struct row {
  std::string name;
  svc::http::response answer;
  response_frame frame;
  std::string expected;
};

std::string const date_line = "Date: Fri, 20 Nov 2026 10:11:12 GMT\r\n";

std::vector<row> rows() {
  std::vector<row> all;
  all.push_back(
      {"with body",
       make(200, "{}"),
       {date},
       "HTTP/1.1 200 OK\r\n" + date_line + "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"});
  all.push_back({"empty body",
                 make(201, "", ""),
                 {date},
                 "HTTP/1.1 201 Created\r\n" + date_line + "Content-Length: 0\r\n\r\n"});
  all.push_back({"closing",
                 make(400, "x", "text/plain"),
                 {.date = date, .keep_alive = false},
                 "HTTP/1.1 400 Bad Request\r\n" + date_line +
                     "Content-Type: text/plain\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx"});
  all.push_back({"1.0 stays open",
                 make(200, "x", ""),
                 {.date = date, .version_minor = 0},
                 "HTTP/1.1 200 OK\r\n" + date_line + "Content-Length: 1\r\nConnection: keep-alive\r\n\r\nx"});
  all.push_back({"HEAD",
                 make(200, "12345", ""),
                 {.date = date, .head_only = true},
                 "HTTP/1.1 200 OK\r\n" + date_line + "Content-Length: 5\r\n\r\n"});
  auto marked = make(200, "12345", "");
  marked.head_only = true;
  all.push_back(
      {"HEAD by the service", marked, {date}, "HTTP/1.1 200 OK\r\n" + date_line + "Content-Length: 5\r\n\r\n"});
  all.push_back({"204 has neither body nor length",
                 make(204, "dropped", ""),
                 {date},
                 "HTTP/1.1 204 No Content\r\n" + date_line + "\r\n"});
  all.push_back({"304 has neither body nor length",
                 make(304, "dropped", ""),
                 {date},
                 "HTTP/1.1 304 Not Modified\r\n" + date_line + "\r\n"});
  all.push_back({"the browser shall keep to TLS",
                 make(200, "x", ""),
                 {.date = date, .pins_tls = true},
                 "HTTP/1.1 200 OK\r\n" + date_line +
                     "Strict-Transport-Security: max-age=31536000\r\nContent-Length: 1\r\n\r\nx"});
  auto fields = make(429, "", "");
  fields.set("Retry-After", "7");
  fields.set("X-Split", std::string("a\r\nSet-Cookie: b\tc") + '\0' + '\x7f');
  all.push_back({"values cannot start a line",
                 fields,
                 {date},
                 "HTTP/1.1 429 Too Many Requests\r\n" + date_line +
                     "Retry-After: 7\r\nX-Split: a  Set-Cookie: b\tc  \r\nContent-Length: 0\r\n\r\n"});
  auto shared = make(200, "", "");
  shared.shared_body = std::make_shared<std::string const>("document");
  all.push_back(
      {"shared body", shared, {date}, "HTTP/1.1 200 OK\r\n" + date_line + "Content-Length: 8\r\n\r\ndocument"});
  return all;
}

}  // namespace

TEST_CASE("a response is serialised into one buffer") {
  for (auto const& each : rows()) {
    CAPTURE(each.name);
    std::string out = "before";
    CHECK(append_response(out, each.answer, each.frame).empty());
    CHECK(out == "before" + each.expected);
  }
}

TEST_CASE("a body over the inline size is written after the head") {
  auto const answer = make(200, "123456", "");
  for (auto const& [size, rest] : {std::pair{5UL, "123456"}, {6UL, ""}, {7UL, ""}}) {
    std::string out;
    CHECK(append_response(out, answer, {date}, size) == rest);
    CHECK(out.ends_with(*rest != '\0' ? "Content-Length: 6\r\n\r\n" : "\r\n\r\n123456"));
  }
  std::string out;
  CHECK(append_response(out, answer, {.date = date, .head_only = true}, 0).empty());
}

TEST_CASE("which hosts are the developer's own machine") {
  for (auto const* const host : {"localhost", "localhost:8443", "LocalHost", "localhost.", "localhost.:1",
                                 "a.localhost", "a.b.localhost:443", ".localhost"}) {
    CAPTURE(host);
    CHECK(svc::net::is_local_name(host));
  }
  for (auto const* const host : {"", "svc.example", "notlocalhost", "localhost.example", "localhost.example:443",
                                 "127.0.0.1:8443", "[::1]:8443", "localhos", "example:localhost", "localhost.."}) {
    CAPTURE(host);
    CHECK(!svc::net::is_local_name(host));
  }
}
