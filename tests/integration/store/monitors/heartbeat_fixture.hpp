#pragma once

#include "integration/monitoring/scheduler/monitor_fixture.hpp"

#include "svc/store/heartbeats/heartbeat_store.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace svc::test {

/// The shop with heartbeats, whose times the tests move.
struct beating_shop : watched_shop {
  store::heartbeat_store hearts{pool, master};

  uuid make_heartbeat(std::string config = R"({"schedule":{"everySeconds":3600},"graceSeconds":300})") {
    auto set = wanted("backup");
    set.type = "heartbeat";
    set.target.reset();
    set.frequency_seconds.reset();
    set.config = std::move(config);
    auto const id = make_monitor(std::move(set)).id;
    CHECK(evaluate() == 1);
    return id;
  }
  std::optional<std::chrono::seconds> listen(std::optional<timestamp> unheard_since = {}) {
    return wait(hearts.listen(unheard_since, soon())).blind_window;
  }
  /// Evaluates as an instance that listens does.
  std::int64_t evaluate() {
    blind_for(0);
    return wait(hearts.evaluate(soon()));
  }
  bool ping(uuid id, heartbeats::signal signal = {}, std::optional<uuid> run = {}, std::string body = {}) {
    return wait(hearts.take({id, signal, run, std::move(body)}, soon()));
  }
  store::heartbeat_view view(uuid id) { return *wait(hearts.get(project, id, soon())); }
  /// Moves everything back by that many seconds.
  void shift(std::int64_t seconds) {
    auto const name = " - interval '" + std::to_string(seconds) + " s'";
    as_owner("UPDATE heartbeats SET due_at = due_at" + name + ", started_at = started_at" + name +
             ", deadline_at = deadline_at" + name + ", last_beat_at = last_beat_at" + name);
  }
  /// Records that nobody has listened for that many seconds until now.
  void blind_for(std::int64_t seconds) {
    as_owner("UPDATE heartbeat_listening SET heard_at = clock_timestamp() - interval '" + std::to_string(seconds) +
             " s'");
  }
  std::string status(uuid id) { return std::string(get(id).status()); }
};

}  // namespace svc::test
