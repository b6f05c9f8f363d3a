#include "integration/net/client.hpp"
#include "integration/net/server.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using namespace std::chrono_literals;
using svc::test::client;
using svc::test::server;

namespace {

std::string get(std::string_view target, std::string_view more = {}) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(more) + "\r\n";
}

std::string post(std::string_view target, std::string_view fields, std::string_view body) {
  return "POST " + std::string(target) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(fields) + "\r\n" +
         std::string(body);
}

std::string length(std::size_t n) {
  return "Content-Length: " + std::to_string(n) + "\r\n";
}

constexpr std::string_view chunked = "Transfer-Encoding: chunked\r\n";

}  // namespace

TEST_CASE("one connection serves many requests") {
  server running;
  client user(running.address());
  for (int i = 0; i < 20; ++i) {
    auto const target = "/" + std::to_string(i);
    auto const got = user.ask(get(target));
    CHECK(got.status == 200);
    CHECK(got.body == "GET " + target + " ");
    CHECK(got.head.find("\r\nDate: ") != std::string::npos);
    CHECK_FALSE(got.has("Connection: close"));
  }
  CHECK(running.eventually([&] { return running.service().complete == 20; }));
  CHECK(running.load() == 1);
}

TEST_CASE("fifty pipelined requests, with bodies among them, are answered in order") {
  server running;
  client user(running.address());
  std::string all;
  for (int i = 0; i < 50; ++i) {
    auto const target = "/" + std::to_string(i);
    auto const text = std::string(static_cast<std::size_t>(i) * 20, 'b');
    all += i % 3 == 0   ? get(target)
           : i % 3 == 1 ? post(target, length(text.size()), text)
                        : post(target, chunked, "3\r\nabc\r\n0\r\n\r\n");
  }
  REQUIRE(user.send(all));
  for (int i = 0; i < 50; ++i) {
    CAPTURE(i);
    auto const got = user.receive();
    REQUIRE(got);
    auto const body = i % 3 == 0 ? "" : i % 3 == 1 ? std::string(static_cast<std::size_t>(i) * 20, 'b') : "abc";
    CHECK(got->body == (i % 3 == 0 ? "GET /" : "POST /") + std::to_string(i) + " " + body);
  }
}

TEST_CASE("a request is understood wherever it is cut in two") {
  server running;
  client user(running.address());
  auto const request = post("/c", chunked, "5\r\nhello\r\n1;x=y\r\n!\r\n0\r\n\r\n");
  for (std::size_t cut = 1; cut < request.size(); ++cut) {
    CAPTURE(cut);
    REQUIRE(user.send(request.substr(0, cut)));
    auto const got = user.ask(request.substr(cut));
    CHECK(got.body == "POST /c hello!");
  }
  for (auto const byte : request) REQUIRE(user.send({&byte, 1}));
  CHECK(user.receive()->body == "POST /c hello!");
}

TEST_CASE("large bodies are received and sent whole") {
  server running;
  client user(running.address());
  std::string const sent(150'000, 'z');
  CHECK(user.ask(post("/l", length(sent.size()), sent)).body == "POST /l " + sent);
  std::string pieces;
  for (std::size_t position = 0; position < sent.size(); position += 1000)
    pieces += "3e8\r\n" + sent.substr(position, 1000) + "\r\n";
  CHECK(user.ask(post("/l", chunked, pieces + "0\r\n\r\n")).body == "POST /l " + sent);
  for (std::size_t size : {65'536UL, 65'537UL, 3'000'000UL}) {
    CHECK(user.ask(get("/big/" + std::to_string(size))).body == std::string(size, 'x'));
  }
}

TEST_CASE("HEAD is answered like GET, without the body") {
  server running;
  client user(running.address());
  auto const got = user.ask("HEAD /big/100000 HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(got.has("Content-Length: 100000"));
  CHECK(user.ask(get("/none")).status == 204);
  CHECK(user.ask(get("/next")).body == "GET /next ");
}

TEST_CASE("100 Continue is sent when the body is asked for, and never when it is not") {
  server running;
  client user(running.address());
  auto const expect = "Expect: 100-continue\r\n" + length(5);
  CHECK(user.ask(post("/e", expect, "")).head == "HTTP/1.1 100 Continue\r\n\r\n");
  CHECK(user.ask("hello").body == "POST /e hello");

  SUBCASE("a body that came unasked requires no 100 Continue") {
    CHECK(user.ask(post("/e", expect, "hello")).body == "POST /e hello");
    CHECK(user.ask(get("/next")).body == "GET /next ");
  }
  SUBCASE("a body that is not wanted closes the connection: it may arrive or not") {
    CHECK(user.ask(post("/unread", expect, "")).has("Connection: close"));
    CHECK(user.ended());
  }
  SUBCASE("a body that is too large gets no 100 Continue") {
    auto const got = user.ask(post("/small", "Expect: 100-continue\r\n" + length(11), ""));
    CHECK(got.status == 413);
    CHECK(got.has("Connection: close"));
    CHECK(user.ended());
  }
}

TEST_CASE("HTTP/1.0 closes unless it asks for keep-alive") {
  server running;
  client user(running.address());
  auto const stays = user.ask("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  CHECK(stays.has("Connection: keep-alive"));
  auto const closes = user.ask("GET /b HTTP/1.0\r\n\r\n");
  CHECK(closes.body == "GET /b ");
  CHECK(closes.has("Connection: close"));
  CHECK(user.ended());
  CHECK_FALSE(user.abruptly());
}

TEST_CASE("Connection: close by either side is obeyed") {
  server running;
  for (auto const& request : {get("/a", "Connection: close\r\n"), get("/close")}) {
    client user(running.address());
    CHECK(user.ask(request).has("Connection: close"));
    CHECK(user.ended());
    CHECK_FALSE(user.abruptly());
  }
}

TEST_CASE("bodies at their limit") {
  struct row {
    char const* name;
    std::string fields, body;
    int status;
    bool stays;
  };
  server running;
  for (auto const& each : {
           row{"at the limit", length(10), "0123456789", 200, true},
           row{"one more: small enough to drop", length(11), "0123456789a", 413, true},
           row{"chunked at the limit", std::string(chunked), "a\r\n0123456789\r\n0\r\n\r\n", 200, true},
           row{"chunked over it", std::string(chunked), "b\r\n0123456789a\r\n0\r\n\r\n", 413, false},
           row{"chunked nonsense", std::string(chunked), "x\r\n", 400, false},
       }) {
    CAPTURE(each.name);
    client user(running.address());
    auto const got = user.ask(post("/small", each.fields, each.body));
    CHECK(got.status == each.status);
    CHECK(got.has("Connection: close") == !each.stays);
    if (each.stays) {
      CHECK(user.ask(get("/next")).body == "GET /next ");
    } else {
      CHECK(user.ended());
    }
  }
}

TEST_CASE("an unread body is dropped if small, otherwise the connection closes after the answer") {
  server running;
  for (std::size_t size : {1UL, 65'536UL, 65'537UL}) {
    CAPTURE(size);
    client user(running.address());
    std::string const body(size, 'u');
    REQUIRE(user.send(post("/unread", length(size), body)));
    auto const got = user.receive();
    REQUIRE(got);
    CHECK(got->status == 200);
    auto const stays = size <= 65'536;
    CHECK(got->has("Connection: close") == !stays);
    if (stays) {
      CHECK(user.ask(get("/next")).body == "GET /next ");
    } else {
      CHECK(user.ended());
    }
  }
  client user(running.address());
  CHECK(user.ask(post("/unread", chunked, "3\r\nabc\r\n0\r\n\r\n")).status == 200);
  CHECK(user.ask(get("/next")).body == "GET /next ");
}

TEST_CASE("the answer to a large body that is not read reaches a client that continues to send") {
  server running;
  for (int i = 0; i < 20; ++i) {
    client user(running.address(), i % 2 == 0 ? client::security::tls13 : client::security::tls12);
    user.send(post("/unread", length(1'000'000), std::string(300'000, 'u')));
    auto const got = user.receive();
    REQUIRE(got);
    CHECK(got->status == 200);
  }
}

TEST_CASE("a request that the guard refuses is answered, and the connection ends") {
  struct row {
    char const* name;
    std::string head;
    int status;
  };
  server running;
  for (auto const& each : {
           row{"no Host", "GET / HTTP/1.1\r\n\r\n", 400},
           row{"both lengths", post("/", length(1) + std::string(chunked), "x"), 400},
           row{"head too large", get("/", "X: " + std::string(17'000, 'x') + "\r\n"), 431},
       }) {
    CAPTURE(each.name);
    client user(running.address());
    auto const got = user.ask(get("/first") + each.head);
    CHECK(got.body == "GET /first ");
    auto const refused = user.receive();
    REQUIRE(refused);
    CHECK(refused->status == each.status);
    CHECK(refused->has("Connection: close"));
    CHECK(user.ended());
    CHECK_FALSE(user.abruptly());
  }
  CHECK(running.service().served == 3);
}

TEST_CASE("a service that throws loses only this connection") {
  server running;
  client other(running.address());
  CHECK(other.ask(get("/a")).status == 200);
  client user(running.address());
  REQUIRE(user.send(get("/throw")));
  CHECK(user.ended());
  CHECK(other.ask(get("/b")).status == 200);
}
