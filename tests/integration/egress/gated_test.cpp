// Each connection of a check asks its gate, for the address that it goes to.
#include "integration/egress/fixture.hpp"
#include "support/free_port.hpp"
#include "svc/egress/datagram_client.hpp"
#include "svc/egress/stream_client.hpp"

#include <set>
#include <vector>

using namespace svc;
using namespace svc::egress;

namespace {

/// Notes what it is asked, and answers by a script.
struct scripted_gate : connection_gate {
  explicit scripted_gate(asio::io_context& target) : io(target) {}

  task<std::optional<admission>> enter(ip_address address, std::uint16_t port, deadline until) override {
    asked.push_back("enter " + address.to_string() + ":" + std::to_string(port));
    if (refuses) co_return std::nullopt;
    steady_timer pause(io, wait);
    co_await pause.async_wait(awaiting);
    co_return admission{wait, deadline(until.at() + wait)};
  }
  bool try_enter(ip_address const& address, std::uint16_t port) override {
    auto const spot = address.to_string() + ":" + std::to_string(port);
    if (asked.back() == "enter " + spot) return true;
    asked.push_back("try " + spot);
    return !busy.contains(address.to_string());
  }

  asio::io_context& io;
  std::vector<std::string> asked;
  std::set<std::string> busy;
  milliseconds wait{0};
  bool refuses = false;
};

using lines = std::vector<std::string>;

/// All of 127.0.0.0/8 is open. Only 127.0.0.1 listens.
struct gated_fixture {
  http_answer get(std::string const& url, milliseconds within = 10s) {
    http_request request{.url = parse_http_url(url).value()};
    request.gate = gate;
    return run_task(io, client.fetch(std::move(request), deadline::after(within)));
  }

  dns_server dns{knowing({{"two.test", {"127.0.0.7", "127.0.0.1"}},
                          {"three.test", {"127.0.0.7", "127.0.0.8", "127.0.0.1"}},
                          {"none.test", {"127.0.0.7", "127.0.0.8"}}})};
  asio::io_context io{1};
  resolver names{io, asking({dns.port()})};
  std::shared_ptr<address_policy const> open =
      std::make_shared<address_policy const>(std::vector{*cidr::parse("127.0.0.0/8")});
  std::shared_ptr<trust_store const> trust =
      std::make_shared<trust_store const>(std::initializer_list<std::string>{});
  http_client client{io, names, open, trust, {}};
  std::shared_ptr<scripted_gate> gate = std::make_shared<scripted_gate>(io);
};

}  // namespace

TEST_CASE("each hop of a redirect asks the gate for its own address, also when it returns to a former one") {
  gated_fixture fixture;
  std::string second;
  http_server last(saying(answer_of(200)));
  http_server middle({.address = "127.0.0.2"}, [&](http_connection& c) {
    auto const back = c.request().starts_with("GET /back");
    c.send(answer_of(302, "Location: " + (back ? last.url("/end") : second + "/back") + "\r\n"));
  });
  second = "http://127.0.0.2:" + std::to_string(middle.port());
  http_server first({.address = "127.0.0.3"}, saying(answer_of(302, "Location: " + second + "/\r\n")));
  auto const got = fixture.get("http://127.0.0.3:" + std::to_string(first.port()) + "/");
  CHECK(got.status == 200);
  CHECK(fixture.gate->asked ==
        lines{"enter 127.0.0.3:" + std::to_string(first.port()), "enter 127.0.0.2:" + std::to_string(middle.port()),
              "enter 127.0.0.2:" + std::to_string(middle.port()), "enter 127.0.0.1:" + std::to_string(last.port())});
}

TEST_CASE("each address of a name is asked for, and one without a place is tried after the others") {
  http_server server(saying(answer_of(200, {}, "here")));
  auto const port = ":" + std::to_string(server.port());
  struct {
    std::string host;
    std::set<std::string> busy;
    lines asked;
    failure error = failure::none;
  } const cases[] = {
      {"two.test", {}, {"enter 127.0.0.7", "try 127.0.0.1"}},
      {"two.test", {"127.0.0.1"}, {"enter 127.0.0.7", "try 127.0.0.1", "enter 127.0.0.1"}},
      {"three.test", {}, {"enter 127.0.0.7", "try 127.0.0.8", "try 127.0.0.1"}},
      {"three.test", {"127.0.0.8"}, {"enter 127.0.0.7", "try 127.0.0.8", "try 127.0.0.1"}},
      {"three.test",
       {"127.0.0.8", "127.0.0.1"},
       {"enter 127.0.0.7", "try 127.0.0.8", "try 127.0.0.1", "enter 127.0.0.8", "try 127.0.0.1", "enter 127.0.0.1"}},
      {"none.test", {"127.0.0.8"}, {"enter 127.0.0.7", "try 127.0.0.8", "enter 127.0.0.8"}, failure::connect_refused},
  };
  for (auto const& c : cases) {
    CAPTURE(c.host);
    CAPTURE(c.busy.size());
    gated_fixture fixture;
    fixture.gate->busy = c.busy;
    lines expected;
    for (auto const& each : c.asked) expected.push_back(each + port);
    auto const got = fixture.get("http://" + c.host + port + "/");
    CHECK(code_of(got.error) == code_of(c.error));
    CHECK(got.body == (c.error == failure::none ? "here" : ""));
    CHECK(fixture.gate->asked == expected);

    // The same for a port that is only opened.
    fixture.gate->asked.clear();
    stream_client streams(fixture.io, fixture.names, fixture.open, fixture.trust);
    stream_request request{.host = parse_host(c.host).value(), .port = static_cast<std::uint16_t>(server.port())};
    request.gate = fixture.gate;
    auto const opened = run_task(fixture.io, streams.talk(std::move(request), deadline::after(10s)));
    CHECK(code_of(opened.error) == code_of(c.error));
    CHECK(fixture.gate->asked == expected);
  }
}

TEST_CASE("a request that the gate refuses connects to nothing") {
  gated_fixture fixture;
  fixture.gate->refuses = true;
  http_server server(saying(answer_of(200)));
  CHECK(fixture.get(server.url()).error == failure::cancelled);
  CHECK(fixture.gate->asked.size() == 1);
  stream_client streams(fixture.io, fixture.names, fixture.open, fixture.trust);
  stream_request request{.host = parse_host("127.0.0.1").value(), .port = static_cast<std::uint16_t>(server.port())};
  request.gate = fixture.gate;
  CHECK(run_task(fixture.io, streams.talk(std::move(request), deadline::after(10s))).error == failure::cancelled);
  CHECK(server.connections() == 0);
  datagram_client datagrams(fixture.io, fixture.names, fixture.open);
  datagram_request datagram{.host = parse_host("127.0.0.1").value(), .port = 9};
  datagram.gate = fixture.gate;
  CHECK(run_task(fixture.io, datagrams.ask(std::move(datagram), deadline::after(10s))).error == failure::cancelled);
  CHECK(fixture.gate->asked.back() == "enter 127.0.0.1:9");
}

TEST_CASE("a wait at the gate is no time of the request") {
  gated_fixture fixture;
  fixture.gate->wait = 400ms;
  http_server server(saying(answer_of(200)));
  http_server first(saying(answer_of(302, "Location: " + server.url() + "\r\n")));
  auto const begin = steady::now();
  auto const got = fixture.get(first.url(), 300ms);
  CHECK(got.status == 200);
  CHECK(steady::now() - begin >= 800ms);
  CHECK(got.timings.total < 300ms);
}
