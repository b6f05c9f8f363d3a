#include "app/process/primaries.hpp"

#include <doctest/doctest.h>

using namespace svc;
using namespace svc::app;

TEST_CASE("the first primary of a store is no switch, each further one is") {
  primary_history history;
  CHECK(history.to_json().is_null());
  CHECK_FALSE(history.moved_to("a", {1'000'000}));
  CHECK(history.to_json() ==
        boost::json::value{{"server", "a"}, {"since", "1970-01-01T00:00:01.000Z"}, {"switches", 0}});
  CHECK(history.moved_to("b", {2'000'000}));
  CHECK(history.moved_to("a", {3'000'000}));
  CHECK(history.to_json() ==
        boost::json::value{{"server", "a"}, {"since", "1970-01-01T00:00:03.000Z"}, {"switches", 2}});
}

TEST_CASE("a promotion shows as a timeline and a switch; nothing is said of a single Redis server") {
  asio::io_context io;
  metrics counters;
  primaries primaries(io, counters, nullptr);
  CHECK(primaries.to_json() == boost::json::object{{"postgres", nullptr}, {"redis", nullptr}});
  CHECK(counters.expose().find("svc_postgres_timeline 0\n") != std::string::npos);
  postgres::server_report report, two;
  report.address.host = "db1", two.address.host = "db2";
  primaries.follow(report, {.server = 0, .identity = {.system = 7, .timeline = 3}});
  CHECK(counters.expose().find("svc_postgres_switches_total 0\n") != std::string::npos);
  primaries.follow(two, {.server = 1, .identity = {.system = 7, .timeline = 4}});
  auto const page = counters.expose();
  CHECK(page.find("svc_postgres_timeline 4\n") != std::string::npos);
  CHECK(page.find("svc_postgres_switches_total 1\n") != std::string::npos);
  CHECK(page.find("svc_redis_switches_total 0\n") != std::string::npos);
  auto const shown = primaries.to_json();
  CHECK(shown.at("redis").is_null());
  CHECK(shown.at("postgres").at("server") == "db2");
  CHECK(shown.at("postgres").at("timeline") == 4);
  CHECK(shown.at("postgres").at("switches") == 1);
}

TEST_CASE("the masters of a Cluster: a replica that takes over is a switch, one more master is not") {
  asio::io_context io;
  metrics counters;
  primaries primaries(io, counters, nullptr);
  auto const shown = [&](std::string_view of_redis) { return primaries.to_json().at("redis").at(of_redis); };
  auto const counted = [&](std::string const& times) {
    return counters.expose().find("svc_redis_switches_total " + times + "\n") != std::string::npos;
  };
  primaries.follow({{"a", "1"}, {"b", "1"}}, 0);
  CHECK(shown("server") == "a:1, b:1");
  CHECK(counted("0"));
  primaries.follow({{"a", "1"}, {"b", "1"}, {"c", "1"}}, 0);
  CHECK(shown("server") == "a:1, b:1, c:1");
  CHECK(counted("0"));
  primaries.follow({{"d", "1"}, {"b", "1"}, {"e", "1"}}, 2);
  CHECK(shown("server") == "d:1, b:1, e:1");
  CHECK(shown("switches") == 2);
  CHECK(counted("2"));
}
