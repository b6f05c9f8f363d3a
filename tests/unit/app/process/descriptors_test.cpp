#include "app/process/descriptors.hpp"

#include <doctest/doctest.h>

TEST_CASE("each worker has as many connections as the descriptors allow, but no more than configured") {
  // 64 of the process, 64 of the admin listener, 172 of what delivers alerts; 8, 6 and 8 of each worker; 32
  // of each table are the reserve. Nothing is checked here.
  struct {
    char const* name;
    int workers;
    bool internal;
    std::size_t descriptors, expected;
  } const table[] = {
      {"enough", 2, false, 100'000, 1000},
      {"exactly enough", 2, false, 2 * 1032 + 300 + 2 * 22, 1000},
      {"one too few", 2, false, 2 * 1032 + 300 + 2 * 22 - 1, 999},
      {"half for runners", 2, true, 2 * 1032 + 300 + 2 * 22, 484},
      {"hardly any", 4, false, 200, 1},
      {"none", 4, true, 0, 1},
  };
  for (auto const& each : table) {
    CAPTURE(each.name);
    svc::app::configuration config;
    config.workers = each.workers;
    config.checks.workers = 0;
    config.http.session.connections = 1000;
    if (each.internal) {
      auto& added = config.listeners.emplace_back();
      added.kind = svc::app::listener_kind::internal_api;
    }
    CHECK(svc::app::settings_within(config, each.descriptors).connections == each.expected);
  }
}

TEST_CASE("an identity provider takes 32 descriptors from clients") {
  svc::app::configuration config;
  config.workers = 1;
  config.checks.workers = 0;
  config.http.session.connections = 100'000;
  auto const without = svc::app::settings_within(config, 8000).connections;
  config.sign_in.oidc.emplace_back();
  CHECK(svc::app::settings_within(config, 8000).connections == without - 32);
}

TEST_CASE("checks have the descriptors that are configured, but never more than a quarter") {
  svc::app::configuration config;
  config.checks.workers = 2;
  config.checks.in_flight = 1000;
  CHECK(svc::app::checks_within(config, 100'000) == 1000);
  CHECK(svc::app::checks_within(config, 8000) == 1000);
  CHECK(svc::app::checks_within(config, 7992) == 999);
  CHECK(svc::app::checks_within(config, 0) == 1);
  // Their descriptors are not for clients: 8, 2 and 32 of each worker in addition to those of its checks.
  config.workers = 1;
  config.http.session.connections = 100'000;
  auto const alone = [&] {
    auto without = config;
    without.checks.workers = 0;
    return svc::app::settings_within(without, 8000).connections;
  }();
  CHECK(svc::app::settings_within(config, 8000).connections == alone - 2 * 1042);
}

TEST_CASE("the limit that is called enough gives all that is configured, and one less does not") {
  struct {
    char const* name;
    int workers, check_workers, in_flight;
    std::size_t connections;
    char const* reduced;  ///< by one descriptor less
  } const table[] = {
      {"clients decide", 2, 1, 100, 10'000, "http.connections"},
      {"checks decide", 1, 4, 2000, 10, "checks.in_flight"},
      {"nothing is checked", 2, 0, 2000, 1000, "http.connections"},
  };
  for (auto const& each : table) {
    CAPTURE(each.name);
    svc::app::configuration config;
    config.workers = each.workers;
    config.checks.workers = each.check_workers;
    config.checks.in_flight = each.in_flight;
    config.http.session.connections = each.connections;
    auto const whole = [&](std::size_t limit) {
      return svc::app::settings_within(config, limit).connections == each.connections &&
             (each.check_workers == 0 ||
              svc::app::checks_within(config, limit) == static_cast<std::size_t>(each.in_flight));
    };
    auto const enough = svc::app::descriptors_enough(config);
    CHECK(whole(enough));
    CHECK_FALSE(whole(enough - 1));
    CHECK(svc::app::numbers_beyond(config, enough).empty());
    auto const reduced = svc::app::numbers_beyond(config, enough - 1);
    REQUIRE(reduced.size() == 1);
    CHECK(reduced[0].key == each.reduced);
    CHECK(reduced[0].fitting == reduced[0].configured - 1);
  }
}

TEST_CASE("a limit of open files that is far too low reduces connections and checks") {
  svc::app::configuration config;
  config.checks.workers = 1;
  CHECK(svc::app::numbers_beyond(config, 64).size() == 2);
  config.checks.workers = 0;
  CHECK(svc::app::numbers_beyond(config, 64).size() == 1);
}

TEST_CASE("the least limit of open files has room for the reserved connections and as many others of each table") {
  svc::app::configuration config;
  config.workers = 2;
  config.checks.workers = 0;
  // 300 and 22 of each worker as above; 32 connections are the reserve of each worker.
  CHECK(svc::app::descriptors_needed(config) == 300 + 2 * 22 + 2 * 64);
  CHECK(svc::app::settings_within(config, svc::app::descriptors_needed(config)).connections >= 32);
  CHECK(svc::app::descriptors_needed(config) < svc::app::descriptors_enough(config));
}
