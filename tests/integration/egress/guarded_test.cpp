#include "egress/http/exchange.hpp"
#include "egress/http/multi.hpp"
#include "integration/egress/fixture.hpp"
#include "support/free_port.hpp"

using namespace svc;
using namespace svc::egress;

namespace {

/// Listeners at closed addresses, all on one port, which must see no connection.
struct closed_addresses {
  int const number = free_port();  ///< at 127.0.0.1 too
  http_server v4{{.address = "127.0.0.2", .port = number}, saying(answer_of(200))};
  http_server v6{{.address = "::1", .port = number}, saying(answer_of(200))};
  std::string const port = ":" + std::to_string(number);

  int connections() const { return v4.connections() + v6.connections(); }
};

}  // namespace

TEST_CASE("no closed address is connected to, however it is named") {
  closed_addresses inside;
  egress_fixture fixture([](dns_question const& q) {
    if (q.name == "inside.test") return dns_addresses(q, {"127.0.0.2"});
    if (q.name == "inside6.test") return dns_addresses(q, {"::1"});
    if (q.name == "mapped.test") return dns_addresses(q, {"::ffff:127.0.0.2"});
    if (q.name == "nat64.test") return dns_addresses(q, {"64:ff9b::127.0.0.2"});
    if (q.name == "zero.test") return dns_addresses(q, {"0.0.0.0", "::"});
    if (q.name == "metadata.test") return dns_addresses(q, {"169.254.169.254", "fd00:ec2::254"});
    if (q.name == "alias.test" && q.type == 1)
      return dns_script{
          .records = {{"", 5, 60, dns_name("localhost")}, {"localhost", 1, 60, dns_address("127.0.0.2")}}};
    if (q.name == "localhost") return dns_addresses(q, {"127.0.0.2", "::1"});
    return dns_script{};
  });
  for (auto const* host : {"127.0.0.2", "[::1]", "[::ffff:127.0.0.2]", "[::ffff:7f00:2]", "[64:ff9b::7f00:2]",
                           "0.0.0.0", "[::]", "inside.test", "inside6.test", "mapped.test", "nat64.test", "zero.test",
                           "metadata.test", "alias.test", "localhost", "10.0.0.1", "169.254.169.254"}) {
    CAPTURE(host);
    auto const got = fixture.get("http://" + std::string(host) + inside.port + "/");
    CHECK(code_of(got.error) == "address_blocked");
    // It tells nobody what is there.
    CHECK(got.message.find("127.") == std::string::npos);
    CHECK(got.address.empty());
  }
  CHECK(inside.connections() == 0);
}

TEST_CASE("a redirect to each closed place is judged like the first request") {
  closed_addresses inside;
  egress_fixture fixture;
  for (auto const* host : {"127.0.0.2", "[::1]", "[::ffff:127.0.0.2]", "[64:ff9b::7f00:2]", "0.0.0.0", "[::]",
                           "inside.test", "inside6.test", "127.2", "2130706434", "0x7f000002", "0177.0.0.2",
                           "10.0.0.1", "169.254.169.254", "[fe80::1]", "[fd00:ec2::254]"}) {
    CAPTURE(host);
    auto const location = "http://" + std::string(host) + inside.port + "/secret";
    http_server outside(saying(answer_of(302, "Location: " + location + "\r\n")));
    auto const got = fixture.get(outside.url("/", "a.test"));
    CHECK(code_of(got.error) == "address_blocked");
    CHECK(got.redirects == 1);
    CHECK(outside.connections() == 1);
  }
  CHECK(inside.connections() == 0);
}

TEST_CASE("a name that is public first and closed next is judged each time") {
  closed_addresses inside;
  http_server outside({.port = inside.number}, saying(answer_of(200)));
  egress_fixture fixture([](dns_question const& q) {
    return dns_addresses(q, {q.count == 0 ? "127.0.0.1" : "127.0.0.2"}, q.name == "rebinds.test" ? 0 : 300);
  });
  auto request = to("http://rebinds.test" + inside.port + "/");
  request.address_age = 60s;
  request.family = ip_family::v4;
  CHECK(fixture.fetch(request).status == 200);
  CHECK(code_of(fixture.fetch(request).error) == "address_blocked");
  // With a TTL, the cache holds what was checked, and it is checked again.
  request.url = to("http://cached.test" + inside.port + "/").url;
  CHECK(fixture.fetch(request).status == 200);
  CHECK(fixture.fetch(request).status == 200);
  request.address_age = 0s;
  CHECK(code_of(fixture.fetch(request).error) == "address_blocked");
  CHECK(outside.connections() == 3);
  CHECK(inside.connections() == 0);
}

TEST_CASE("in mixed answers only the open addresses are used, also when they do not answer") {
  closed_addresses inside;
  egress_fixture fixture(
      [](dns_question const& q) { return dns_addresses(q, {"::1", "127.0.0.2", "127.0.0.1", "169.254.169.254"}); });
  {
    http_server outside({.port = inside.number}, saying(answer_of(200)));
    auto const got = fixture.get("http://mixed.test" + inside.port + "/");
    CHECK(got.status == 200);
    CHECK(got.address == "127.0.0.1");
  }
  CHECK(fixture.code_of_get("http://mixed.test" + inside.port + "/") == "connect_refused");
  CHECK(inside.connections() == 0);
}

TEST_CASE("only the DNS servers resolve names: a hosts file opens nothing and closes nothing") {
  closed_addresses inside;
  egress_fixture fixture(knowing({}));
  CHECK(fixture.code_of_get("http://localhost" + inside.port + "/") == "dns_not_found");
  CHECK(inside.connections() == 0);
}

TEST_CASE("an address that passes the first check is stopped at the socket") {
  closed_addresses inside;
  auto const policy = loopback_policy();
  auto const trust = std::make_shared<trust_store const>(std::initializer_list<std::string>{});
  asio::io_context io{1};
  auto const multi = std::make_shared<curl_multi>(io);
  for (auto const* url : {"http://slips.test", "http://127.0.0.2", "http://[::1]"}) {
    CAPTURE(url);
    auto const request = to(url + inside.port + "/");
    http_hop const hop{.url = request.url, .method = "GET"};
    exchange exchange(request, hop, {*ip_address::parse("127.0.0.2"), *ip_address::parse("::1")}, *policy, trust,
                      "x");
    curl_multi::transfer transfer(multi, exchange.easy());
    run_task(io, transfer.over_by(steady::now() + 10s));
    REQUIRE(transfer.code());
    CHECK(code_of(failure_of(exchange.end_of(*transfer.code()))) == "address_blocked");
  }
  CHECK(inside.connections() == 0);
}

TEST_CASE("libcurl resolves no name itself") {
  http_server server(saying(answer_of(200)));
  auto const policy = loopback_policy();
  auto const trust = std::make_shared<trust_store const>(std::initializer_list<std::string>{});
  asio::io_context io{1};
  auto const multi = std::make_shared<curl_multi>(io);
  auto const request = to(server.url("/", "localhost"));
  http_hop const hop{.url = request.url, .method = "GET"};
  exchange exchange(request, hop, {*ip_address::parse("127.0.0.1")}, *policy, trust, "x");
  // As if nothing were pinned; the hosts file knows the name.
  set_option(exchange.easy(), CURLOPT_RESOLVE, static_cast<curl_slist*>(nullptr));
  curl_multi::transfer transfer(multi, exchange.easy());
  run_task(io, transfer.over_by(steady::now() + 10s));
  CHECK(transfer.code() == CURLE_COULDNT_RESOLVE_HOST);
  CHECK(server.connections() == 0);
}

TEST_CASE("redirects: followed up to the limit, with the method that each status asks for") {
  http_server target(saying(answer_of(200, "", "end")));
  egress_fixture fixture;
  auto const via = [&](int status) {
    return answer_of(status, "Location: " + target.url("/end", "a.test") + "\r\n", "ignored");
  };
  for (auto const& [status, line] : {std::pair{301, "GET /end HTTP/1.1"},
                                     {302, "GET /end HTTP/1.1"},
                                     {303, "GET /end HTTP/1.1"},
                                     {307, "POST /end HTTP/1.1"},
                                     {308, "POST /end HTTP/1.1"}}) {
    CAPTURE(status);
    http_server first(saying(via(status)));
    auto request = to(first.url("/", "a.test"));
    request.method = "POST";
    request.body = "payload";
    request.fields = {{"Content-Type", "text/plain"}};
    auto const got = fixture.fetch(request);
    CHECK(got.status == 200);
    CHECK(got.body == "end");
    CHECK(got.redirects == 1);
    CHECK(got.url == target.url("/end", "a.test"));
    auto const sent = target.requests().back();
    CHECK(has_line(sent, line));
    CHECK((sent.find("payload") != std::string::npos) == (status >= 307));
    CHECK((sent.find("Content-Type") != std::string::npos) == (status >= 307));
  }
}

TEST_CASE("redirects: the limit, those that are refused, and those that are not followed") {
  egress_fixture fixture;
  http_server endless(saying(answer_of(302, "Location: /again\r\n")));
  auto request = to(endless.url());
  request.most_redirects = 3;
  auto got = fixture.fetch(request);
  CHECK(code_of(got.error) == "redirect_limit");
  CHECK(got.redirects == 3);
  CHECK(endless.connections() == 4);
  request.most_redirects = 0;
  CHECK(code_of(fixture.fetch(request).error) == "redirect_limit");
  request.follow_redirects = false;
  got = fixture.fetch(request);
  CHECK(code_of(got.error) == "");
  CHECK(got.status == 302);
  for (auto const* location : {"ftp://a.test/", "file:///etc/passwd", "http://a.test:25/", "http://u:p@a.test/",
                               "http://", "dict://127.0.0.1:11211/", "gopher://127.0.0.1/"}) {
    CAPTURE(location);
    http_server server(saying(answer_of(302, std::string("Location: ") + location + "\r\n")));
    CHECK(fixture.code_of_get(server.url()) == "redirect_refused");
  }
}

TEST_CASE("credentials reach the first origin and no other") {
  http_server elsewhere(saying(answer_of(200)));
  std::string back;
  http_server away([&](http_connection& connection) {
    connection.request();
    connection.send(answer_of(302, "Location: " + back + "\r\n"));
  });
  http_server first([&](http_connection& context) {
    auto const sent = context.request();
    if (has_line(sent, "GET /same HTTP/1.1"))
      context.send(answer_of(302, "Location: " + away.url("/", "a.test") + "\r\n"));
    else if (has_line(sent, "GET /back HTTP/1.1"))
      context.send(answer_of(302, "Location: " + elsewhere.url() + "\r\n"));
    else
      context.send(answer_of(302, "Location: /same\r\n"));
  });
  back = first.url("/back", "a.test");
  egress_fixture fixture;
  auto request = to(first.url("/", "a.test"));
  request.fields = {{"Authorization", "Bearer hunter2"},
                    {"cookie", "session=hunter2"},
                    {"X-Api-Key", "hunter2", true},
                    {"X-Plain", "public"},
                    {"Host", "virtual.test"}};
  auto const got = fixture.fetch(request);
  CHECK(got.status == 200);
  CHECK(got.redirects == 4);
  auto const at_first = first.requests();
  REQUIRE(at_first.size() == 3);
  for (int const i : {0, 1}) {
    CHECK(has_line(at_first[i], "Authorization: Bearer hunter2"));
    CHECK(has_line(at_first[i], "cookie: session=hunter2"));
    CHECK(has_line(at_first[i], "X-Api-Key: hunter2"));
    CHECK(has_line(at_first[i], "Host: virtual.test"));
  }
  for (auto const& sent : {at_first[2], away.requests().at(0), elsewhere.requests().at(0)}) {
    CAPTURE(sent);
    CHECK(sent.find("hunter2") == std::string::npos);
    CHECK(sent.find("virtual") == std::string::npos);
    CHECK(has_line(sent, "X-Plain: public"));
  }
}
