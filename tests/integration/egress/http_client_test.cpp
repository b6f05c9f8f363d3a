#include "integration/egress/fixture.hpp"
#include "support/free_port.hpp"

using namespace svc;
using namespace svc::egress;

TEST_CASE("a request as it was given, and its answer") {
  http_server server([](http_connection& connection) {
    connection.request();
    connection.send(
        "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 201 \r\nX-One: a\r\nX-Two:b \r\nContent-Length: "
        "5\r\n\r\nhello");
  });
  egress_fixture fixture;
  auto request = to(server.url("/p/../a?b=c%20d", "a.test"));
  request.method = "PATCH";
  request.fields = {{"X-Given", "v"}, {"X-Empty", ""}, {"Content-Type", "application/json"}};
  request.body = "{}";
  auto const got = fixture.fetch(request);
  CHECK(code_of(got.error) == "");
  CHECK(got.status == 201);
  CHECK(got.body == "hello");
  CHECK_FALSE(got.truncated);
  CHECK(got.fields ==
        std::vector<std::pair<std::string, std::string>>{{"x-one", "a"}, {"x-two", "b"}, {"content-length", "5"}});
  CHECK(got.address == "127.0.0.1");
  CHECK(got.http_version == "1.1");
  CHECK(got.redirects == 0);
  CHECK(got.url == server.url("/p/../a?b=c%20d", "a.test"));
  CHECK_FALSE(got.certificate);
  CHECK(got.timings.dns > 0us);
  CHECK(got.timings.tls == 0us);
  CHECK(got.timings.first_byte > 0us);
  CHECK(got.timings.total >= got.timings.dns + got.timings.connect + got.timings.first_byte);

  REQUIRE(server.requests().size() == 1);
  auto const sent = server.requests()[0];
  for (auto const* line :
       {"PATCH /p/../a?b=c%20d HTTP/1.1", "X-Given: v", "X-Empty:", "Content-Type: application/json",
        "Content-Length: 2", "User-Agent: checks/1", "Accept-Encoding: gzip"}) {
    CAPTURE(sent);
    CAPTURE(line);
    CHECK(has_line(sent, line));
  }
  CHECK(sent.ends_with("\r\n\r\n{}"));
}

TEST_CASE("methods and their framing") {
  http_server server(saying(answer_of(200)));
  egress_fixture fixture;
  struct {
    char const* method;
    char const* body;
    char const* line;
    bool typed;
  } const cases[] = {{"GET", "", "", false},
                     {"HEAD", "", "", false},
                     {"OPTIONS", "", "", false},
                     {"DELETE", "", "", false},
                     {"POST", "", "Content-Length: 0", false},
                     {"PUT", "", "Content-Length: 0", false},
                     {"POST", "a=b", "Content-Length: 3", false},
                     {"DELETE", "x", "Content-Length: 1", false}};
  for (auto const& c : cases) {
    CAPTURE(c.method);
    auto request = to(server.url());
    request.method = c.method;
    request.body = c.body;
    CHECK(code_of(fixture.fetch(request).error) == "");
    auto const sent = server.requests().back();
    CAPTURE(sent);
    CHECK(sent.starts_with(std::string(c.method) + " / HTTP/1.1\r\n"));
    if (*c.line != '\0')
      CHECK(has_line(sent, c.line));
    else
      CHECK(sent.find("Content-Length") == std::string::npos);
    CHECK(sent.find("Content-Type") == std::string::npos);
    CHECK(sent.ends_with(std::string("\r\n\r\n") + c.body));
  }
}

TEST_CASE("each request has a connection of its own") {
  http_server server([](http_connection& connection) {
    while (!connection.request().empty())
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n");
  });
  egress_fixture fixture;
  for (int i = 1; i <= 3; ++i) {
    CHECK(fixture.get(server.url()).status == 200);
    CHECK(server.connections() == i);
  }
}

TEST_CASE("the environment has no influence") {
  http_server server(saying(answer_of(200, "Set-Cookie: c=1; Path=/\r\n")));
  http_server proxy(saying(answer_of(200)));
  temporary_directory home;
  home.write(".netrc", "machine a.test login user password secret\ndefault login user password secret\n");
  auto const address = "http://127.0.0.1:" + std::to_string(proxy.port());
  setenv("HOME", home.path().c_str(), 1);
  for (auto const* name : {"http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"})
    setenv(name, address.c_str(), 1);
  egress_fixture fixture;
  CHECK(fixture.get(server.url("/", "a.test")).status == 200);
  CHECK(fixture.get(server.url("/", "a.test")).status == 200);
  CHECK(proxy.connections() == 0);
  for (auto const& sent : server.requests()) {
    CHECK(sent.find("Authorization") == std::string::npos);
    CHECK(sent.find("Cookie") == std::string::npos);
  }
  for (auto const* name : {"http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"}) unsetenv(name);
}

TEST_CASE("servers that answer badly, and the failure of each") {
  auto const reset_after = [](std::string bytes) {
    return [bytes = std::move(bytes)](http_connection& connection) {
      connection.request();
      connection.send(bytes);
      connection.reset();
    };
  };
  std::string many_lines = "HTTP/1.1 200 OK\r\n";
  while (many_lines.size() < 300 * 1024) many_lines += "X-Line: " + std::string(1000, 'x') + "\r\n";
  struct {
    std::string name;
    http_server::script script;
    char const* wanted;
  } const cases[] = {
      {"closes at once", [](http_connection&) {}, "connect_reset"},
      {"closes after the request", saying(""), "connect_reset"},
      {"resets after the request", reset_after(""), "connect_reset"},
      {"resets in the body", reset_after("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"), "connect_reset"},
      {"body too short", saying("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"), "body_incomplete"},
      {"chunks without an end", saying("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"),
       "body_incomplete"},
      {"malformed chunks", saying("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n"),
       "http_invalid"},
      {"HTTP/0.9", saying("hello, world\r\n"), "http_invalid"},
      {"another protocol", saying("220 mail.test ESMTP\r\n"), "http_invalid"},
      {"SSH", saying("SSH-2.0-OpenSSH_9.2\r\n"), "http_invalid"},
      {"broken gzip", saying(answer_of(200, "Content-Encoding: gzip\r\n", "not gzip at all")), "http_invalid"},
      {"a head of many lines", saying(many_lines + "\r\n"), "http_invalid"},
      {"a head of one long line", saying("HTTP/1.1 200 OK\r\nX: " + std::string(200 * 1024, 'x') + "\r\n\r\n"),
       "http_invalid"},
      {"a head that ends early", saying("HTTP/1.1 200 OK\r\nX: y\r\n"), "connect_reset"},
      // odd, but what everybody takes
      {"no reason and no space", saying("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n"), ""},
      {"bare line feeds", saying("HTTP/1.1 200 OK\nContent-Length: 2\n\nok"), ""},
      {"HTTP/1.0 until the end", saying("HTTP/1.0 200 OK\r\n\r\nhello"), ""},
  };
  egress_fixture fixture;
  for (auto const& c : cases) {
    CAPTURE(c.name);
    http_server server(c.script);
    auto const got = fixture.get(server.url());
    CHECK(code_of(got.error) == c.wanted);
    CHECK(got.message.empty() == (got.error == failure::none));
  }
}

TEST_CASE("ports without a listener, and names that do not exist") {
  egress_fixture fixture;
  CHECK(fixture.code_of_get("http://127.0.0.1:" + std::to_string(free_port()) + "/") == "connect_refused");
  CHECK(fixture.code_of_get("http://unknown.test/") == "dns_not_found");
}

TEST_CASE("each phase that stalls has its code") {
  auto const ca = make_throwaway_ca("DNS:a.test");
  full_listener full;
  http_server no_handshake({.tls = &ca, .mute = true}, saying(""));
  http_server no_answer([](http_connection& connection) { connection.request(), connection.hold(); });
  http_server half_head(
      [](http_connection& context) { context.request(), context.send("HTTP/1.1 200 OK\r\nX:"), context.hold(); });
  http_server half_body([](http_connection& client) {
    client.request(), client.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\nX: y\r\n\r\nabc"), client.hold();
  });
  egress_fixture fixture([](dns_question const& q) {
    if (q.name == "silent.test") return dns_script{.behaviour = dns_script::kind::silence};
    return q.name.empty() ? dns_script{} : dns_addresses(q, {"127.0.0.1"});
  });
  auto const time = steady::now();
  auto const got =
      fetch_all(fixture,
                {to("http://127.0.0.1:" + std::to_string(full.port()) + "/"), to(no_handshake.url()),
                 to(no_answer.url()), to(half_head.url()), to(half_body.url()), to("http://silent.test/")},
                1500ms);
  CHECK(steady::now() - time < 8s);
  CHECK(code_of(got[0].error) == "connect_timeout");
  CHECK(code_of(got[1].error) == "tls_timeout");
  CHECK(code_of(got[2].error) == "first_byte_timeout");
  CHECK(code_of(got[3].error) == "body_timeout");
  CHECK(code_of(got[4].error) == "body_timeout");
  CHECK(got[4].status == 200);
  CHECK(got[4].body == "abc");
  CHECK(got[4].timings.transfer > 0us);
  CHECK(code_of(got[5].error) == "dns_timeout");
}

TEST_CASE("no more of a body is read than requested, which is not a failure") {
  http_server endless([](http_connection& connection) {
    connection.request();
    connection.send("HTTP/1.1 200 OK\r\n\r\n");
    while (connection.send(std::string(16384, 'x'))) {
    }
  });
  http_server exact(saying(answer_of(200, "", std::string(2000, 'x'))));
  egress_fixture fixture;
  auto request = to(endless.url());
  request.most_body_bytes = 2000;
  auto got = fixture.fetch(request);
  CHECK(code_of(got.error) == "");
  CHECK(got.truncated);
  CHECK(got.body.size() == 2000);
  request.url = to(exact.url()).url;
  got = fixture.fetch(request);
  CHECK_FALSE(got.truncated);
  CHECK(got.body.size() == 2000);
}

TEST_CASE("fields that may not be sent end the attempt before a connection is made") {
  http_server server(saying(answer_of(200)));
  egress_fixture fixture;
  auto request = to(server.url());
  for (auto const& field :
       {request_field{"Content-Length", "5"}, {"X", "a\r\nY: b"}, {"Transfer-Encoding", "chunked"}}) {
    request.fields = {field};
    CHECK(code_of(fixture.fetch(request).error) == "target_invalid");
  }
  CHECK(server.connections() == 0);
}
