#include "integration/egress/cost.hpp"
#include "integration/egress/fixture.hpp"
#include "support/gzip.hpp"

using namespace svc;
using namespace svc::egress;

TEST_CASE("a body has one gzip coding and one chunked at most; all others end as http_invalid") {
  auto const text = gzip("hello"), two = gzip(text);
  auto const chunk = [](std::string const& part) {
    std::array<char, 16> size{};
    snprintf(size.data(), size.size(), "%zx\r\n", part.size());
    return size.data() + part + "\r\n0\r\n\r\n";
  };
  struct {
    std::string name, fields, body, wanted, plain;
  } const cases[] = {
      {"none", "", "hello", "", "hello"},
      {"gzip", "Content-Encoding: gzip\r\n", text, "", "hello"},
      {"its other name", "Content-Encoding: x-gzip\r\n", text, "", "hello"},
      {"no coding by name", "Content-Encoding: identity\r\n", "hello", "", "hello"},
      {"chunked", "Transfer-Encoding: chunked\r\n", chunk("hello"), "", "hello"},
      {"both", "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", chunk(text), "", "hello"},
      {"gzip twice", "Content-Encoding: gzip, gzip\r\n", two, "http_invalid", ""},
      {"gzip in two fields", "Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n", two, "http_invalid", ""},
      {"brotli", "Content-Encoding: br\r\n", "\x0b\x02\x80hello\x03", "http_invalid", ""},
      {"zstd", "Content-Encoding: zstd\r\n", "\x28\xb5\x2f\xfd", "http_invalid", ""},
      {"deflate", "Content-Encoding: deflate\r\n", "hello", "http_invalid", ""},
      {"unknown", "Content-Encoding: rot13\r\n", "uryyb", "http_invalid", ""},
      {"gzip for the transfer", "Transfer-Encoding: gzip\r\n", text, "http_invalid", ""},
      {"gzip and chunked for the transfer", "Transfer-Encoding: gzip, chunked\r\n", chunk(text), "http_invalid", ""},
      {"zstd for the transfer", "Transfer-Encoding: zstd, chunked\r\n", chunk(text), "http_invalid", ""},
      {"chunked twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", chunk("hello"),
       "http_invalid", ""},
  };
  egress_fixture fixture;
  for (auto const& c : cases) {
    CAPTURE(c.name);
    http_server server(saying("HTTP/1.1 200 OK\r\nConnection: close\r\n" + c.fields + "\r\n" + c.body));
    auto const got = fixture.get(server.url());
    CHECK(code_of(got.error) == c.wanted);
    CHECK(got.body == c.plain);
    if (!c.wanted.empty()) CHECK(got.message.find("Encoding is another") != std::string::npos);
  }
}

TEST_CASE("an interim answer adds no coding to the answer") {
  egress_fixture fixture;
  http_server content(
      saying("HTTP/1.1 103 Early Hints\r\nContent-Encoding: gzip\r\n\r\n"
             "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n" +
             gzip("hello")));
  CHECK(fixture.get(content.url()).body == "hello");
  http_server transfer(saying("HTTP/1.1 103 Early Hints\r\nTransfer-Encoding: gzip\r\n\r\n" + answer_of(200)));
  CHECK(fixture.code_of_get(transfer.url()) == "http_invalid");
}

TEST_CASE("an answer without a body may name any coding, and a request its own codings") {
  egress_fixture fixture;
  http_server server(saying(answer_of(200, "Content-Encoding: br\r\n")));
  auto request = to(server.url());
  request.method = "HEAD";
  request.fields = {{"Accept-Encoding", "identity"}};
  CHECK(fixture.fetch(request).status == 200);
  CHECK(has_line(server.requests().back(), "Accept-Encoding: identity"));
  CHECK(server.requests().back().find("Accept-Encoding: gzip") == std::string::npos);
}

TEST_CASE("a gzip body is read up to the bound, and one that decodes to nothing is given up") {
  egress_fixture fixture;
  http_server large(saying(answer_of(200, "Content-Encoding: gzip\r\n", gzip(std::string(5'000'000, 'x')))));
  auto request = to(large.url());
  request.most_body_bytes = 2000;
  auto const got = fixture.fetch(request);
  CHECK(code_of(got.error) == "");
  CHECK(got.truncated);
  CHECK(got.body.size() == 2000);
  http_server endless([](http_connection& connection) {
    connection.request();
    connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + empty_blocks(0));
    auto const more = empty_blocks(3000).substr(10);
    while (connection.send(more)) {
    }
  });
  CHECK(fixture.code_of_get(endless.url()) == "http_invalid");
}

/// `TEST_NESTED_THOUSANDS`: of how many thousand empty blocks; 700 000 of them are 5 KB.
TEST_CASE("nested codings cost nothing, however long their content is") {
  auto const* const text = std::getenv("TEST_NESTED_THOUSANDS");
  auto const body = nested_empty_blocks(text == nullptr ? 40'000 : std::stoul(text));
  egress_fixture fixture;
  for (auto const* fields :
       {"Content-Encoding: gzip, gzip, gzip\r\n", "Transfer-Encoding: gzip, gzip, gzip\r\nConnection: close\r\n"}) {
    CAPTURE(fields);
    http_server server(saying("HTTP/1.1 200 OK\r\n" + std::string(fields) + "\r\n" + body));
    auto const before = cpu_used();
    auto const got = fixture.get(server.url(), 60s);
    auto const spent = cpu_used() - before;
    CHECK(code_of(got.error) == "http_invalid");
    MESSAGE("CPU in µs of ", body.size(), " bytes: ", spent.count());
    CHECK(spent < 50ms);
  }
}
