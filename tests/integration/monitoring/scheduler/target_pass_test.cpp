// Checks and the gates of all addresses that they connect to.
#include "integration/egress/http_server.hpp"

#include "monitoring/checks/target_pass.hpp"
#include "support/run_task.hpp"
#include "svc/http/json.hpp"
#include "svc/monitoring/checks/engine.hpp"

#include <doctest/doctest.h>

#include <boost/asio/co_spawn.hpp>

#include <atomic>
#include <map>
#include <thread>

using namespace svc;
using namespace svc::test;
using namespace std::chrono_literals;

namespace {

/// A server that counts how many of its requests are under way.
struct counted_server {
  counted_server(std::string address, std::function<std::string(std::string const&)> says, milliseconds takes = 0ms)
      : answers(std::move(says)), time(takes), server({.address = std::move(address)}, [this](http_connection& c) {
          auto const now = ++under_way;
          for (auto before = most.load(); now > before && !most.compare_exchange_weak(before, now);) {
          }
          auto const asked = c.request();
          std::this_thread::sleep_for(time);
          --under_way;
          c.send(answers(asked.substr(0, asked.find(" HTTP"))));
        }) {}

  std::function<std::string(std::string const&)> answers;
  milliseconds time;
  std::atomic<int> under_way{0}, most{0};
  http_server server;
};

std::string redirect_to(std::string const& url) {
  return answer_of(302, "Location: " + url + "\r\n");
}

/// Checks of one worker that begin together.
struct passing {
  explicit passing(scheduler::target_gate::limits bounds) : gate(bounds) {}

  void begin(std::string const& url, std::string const& config, uuid project, milliseconds patience = 10s) {
    auto const json = http::parse_json(config).value();
    auto made =
        checks::parse_check({checks::check_type_named("http_request"), url, 600s, &json.as_object()}, nullptr);
    REQUIRE(made.has_value());
    ++under_way;
    auto const pass = std::make_shared<checks::target_pass>(
        gate, scheduler::target_gate::owner{.project = project},
        checks::gate_patience{.first = deadline::after(patience), .each = patience, .all = patience});
    asio::co_spawn(
        io,
        engine.run(std::make_shared<checks::check_config const>(std::move(*made)),
                   std::make_shared<checks::check_values const>(), checks::check_limits(deadline::after(60s)), pass),
        [this](std::exception_ptr, std::optional<checks::check_outcome> got) {
          --under_way;
          ++ended[!got ? "refused" : std::string(checks::name_of(got->result.ended))];
        });
  }
  std::map<std::string, int> wait() {
    io.restart();
    while (under_way > 0 && io.run_one() > 0) {
    }
    return ended;
  }

  asio::io_context io{1};
  checks::engine engine{
      io,
      {.policy = std::make_shared<egress::address_policy const>(std::vector{cidr::parse("127.0.0.0/8").value()}),
       .trust = std::make_shared<egress::trust_store const>(std::initializer_list<std::string>{})}};
  scheduler::target_gate gate;
  int under_way = 0;
  std::map<std::string, int> ended;
};

using outcomes = std::map<std::string, int>;

std::string const once = R"({"retryStrategy":{"maxRetries":0}})";
uuid const own_project = uuid::generate_v7();

}  // namespace

TEST_CASE("redirects from many addresses reach a stranger no faster than checks of its own address would") {
  counted_server stranger("127.0.0.1", [](auto const&) { return answer_of(200); }, 50ms);
  counted_server bouncer("0.0.0.0", [&](auto const&) { return redirect_to(stranger.server.url()); });
  auto const bounced = [&](int i) {
    return "http://127.0.0." + std::to_string(10 + i) + ":" + std::to_string(bouncer.server.port()) + "/";
  };
  {
    passing all({.at_a_time = 2, .most_at_all = 2});
    for (int i = 0; i < 20; ++i) all.begin(bounced(i), once, own_project);
    CHECK(all.wait() == outcomes{{"up", 20}});
    CHECK(stranger.most <= 2);
    CHECK(stranger.server.connections() == 20);
  }
  // The number of the minute holds as well.
  passing all({.per_minute = 5});
  for (int i = 0; i < 20; ++i) all.begin(bounced(i), once, own_project, 500ms);
  CHECK(all.wait() == outcomes{{"up", 5}, {"refused", 15}});
  CHECK(stranger.server.connections() == 25);
}

TEST_CASE("every retry and every hop of it counts at the address that it connects to") {
  counted_server stranger("127.0.0.1", [](auto const&) { return answer_of(500); });
  counted_server bouncer("127.0.0.2", [&](auto const&) { return redirect_to(stranger.server.url()); });
  auto const source = "http://127.0.0.2:" + std::to_string(bouncer.server.port()) + "/";
  passing all({.per_minute = 4});
  // Two attempts of two checks make four connections there.
  std::string const twice = R"({"retryStrategy":{"maxRetries":1,"delaySeconds":1}})";
  for (int i = 0; i < 2; ++i) all.begin(source, twice, own_project);
  CHECK(all.wait() == outcomes{{"down", 2}});
  CHECK(stranger.server.connections() == 4);
  all.begin(stranger.server.url(), once, own_project, 100ms);
  all.begin(source, once, own_project, 100ms);
  CHECK(all.wait() == outcomes{{"down", 2}, {"refused", 2}});
  CHECK(stranger.server.connections() == 4);
}

TEST_CASE("checks that lead to each other's targets do not wait for each other for ever") {
  std::string url[2];
  auto const says = [&](int other) {
    return [&url, other](std::string const& asked) {
      return asked == "GET /end" ? answer_of(200) : redirect_to(url[other] + "end");
    };
  };
  counted_server first("127.0.0.1", says(1), 20ms), second("127.0.0.2", says(0), 20ms);
  url[0] = first.server.url();
  url[1] = second.server.url("/", "127.0.0.2");
  passing all({.at_a_time = 1, .most_at_all = 1});
  for (int i = 0; i < 20; ++i) all.begin(url[i % 2], once, own_project);
  auto const begun = steady::now();
  CHECK(all.wait() == outcomes{{"up", 20}});
  CHECK(steady::now() - begun < 8s);
  CHECK(first.most == 1);
  CHECK(second.most == 1);
}

TEST_CASE("one project's slow checks of a shared address delay no check of another project") {
  counted_server shared("127.0.0.1", [](std::string const& asked) {
    if (asked == "GET /slow") std::this_thread::sleep_for(2s);
    return answer_of(200);
  });
  passing all({});
  for (int i = 0; i < 16; ++i) all.begin(shared.server.url("/slow"), once, own_project);
  uuid const neighbour = uuid::generate_v7();
  // Their time would pass while the slow ones hold all eight places.
  for (int i = 0; i < 20; ++i) all.begin(shared.server.url("/fast"), once, neighbour, 1s);
  CHECK(all.wait() == outcomes{{"up", 36}});
}
