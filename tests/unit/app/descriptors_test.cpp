#include "app/descriptors.hpp"

#include <doctest/doctest.h>

TEST_CASE("each worker has as many connections as the descriptors allow, but no more than configured") {
  // 64 of the process, 64 of the admin listener, 140 of what delivers alerts, 8 and 8 of each worker; 32 of
  // each table are the reserve. Nothing is checked here.
  struct {
    char const* name;
    int workers;
    bool internal;
    std::size_t descriptors, expected;
  } const table[] = {
      {"enough", 2, false, 100'000, 1000},
      {"exactly enough", 2, false, 2 * 1032 + 268 + 32, 1000},
      {"one too few", 2, false, 2 * 1032 + 268 + 31, 999},
      {"half for runners", 2, true, 2 * 1032 + 268 + 32, 484},
      {"hardly any", 4, false, 200, 1},
      {"none", 4, true, 0, 1},
  };
  for (auto const& each : table) {
    CAPTURE(each.name);
    svc::app::configuration with;
    with.workers = each.workers;
    with.checks.workers = 0;
    with.http.session.connections = 1000;
    if (each.internal) {
      auto& added = with.listeners.emplace_back();
      added.kind = svc::app::listener_kind::internal_api;
    }
    CHECK(svc::app::settings_within(with, each.descriptors).connections == each.expected);
  }
}
