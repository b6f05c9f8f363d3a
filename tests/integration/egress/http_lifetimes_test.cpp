#include "integration/egress/fixture.hpp"

using namespace svc;
using namespace svc::egress;

TEST_CASE("only the cancelled request ends, and its connection is closed") {
  std::atomic<bool> closed = false;
  http_server slow([&](http_connection& connection) { connection.request(), connection.hold(), closed = true; });
  http_server fast(saying(answer_of(200)));
  egress_fixture fixture;
  asio::cancellation_signal signal;
  std::optional<http_answer> got;
  asio::co_spawn(
      fixture.io, fixture.client.fetch(to(slow.url()), deadline::after(20s)),
      asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr, http_answer a) { got = std::move(a); }));
  while (slow.requests().empty()) CHECK(fixture.get(fast.url()).status == 200);
  CHECK_FALSE(got);
  signal.emit(asio::cancellation_type::terminal);
  CHECK(fixture.get(fast.url()).status == 200);
  REQUIRE(got);
  CHECK(code_of(got->error) == "cancelled");
  auto const until = deadline::after(5s);
  while (!closed && !until.passed()) fixture.get(fast.url());
  CHECK(closed);
}

TEST_CASE("a client that ends cancels its requests, and a loop that ends drops them") {
  http_server slow([](http_connection& connection) { connection.request(), connection.hold(); });
  dns_server dns(knowing({}));
  auto const trust = std::make_shared<trust_store const>(std::initializer_list<std::string>{});
  std::vector<failure> ends;
  auto const note = [&](std::exception_ptr, http_answer a) { ends.push_back(a.error); };
  {
    asio::io_context io{1};
    resolver names(io, asking({dns.port()}));
    auto client = std::make_unique<http_client>(io, names, loopback_policy(), trust);
    for (int i = 0; i < 3; ++i) asio::co_spawn(io, client->fetch(to(slow.url()), deadline::after(20s)), note);
    while (slow.requests().size() < 3) io.run_for(10ms);
    client.reset();
    io.run();
    CHECK(ends == std::vector(3, failure::cancelled));
  }
  asio::io_context io{1};
  resolver names(io, asking({dns.port()}));
  http_client client(io, names, loopback_policy(), trust);
  asio::co_spawn(io, client.fetch(to(slow.url()), deadline::after(20s)), note);
  while (slow.requests().size() < 4) io.run_for(10ms);
}

TEST_CASE("many requests at once") {
  http_server server(saying(answer_of(200, "", "hello")));
  egress_fixture fixture;
  std::vector<http_request> all(60, to(server.url("/", "a.test")));
  int good = 0;
  for (auto const& got : fetch_all(fixture, all, 20s)) good += got.status == 200 && got.body == "hello" ? 1 : 0;
  CHECK(good == 60);
  CHECK(server.connections() == 60);
}
