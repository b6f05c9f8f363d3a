#pragma once

#include "integration/store/shop.hpp"

#include "svc/store/monitors/check_store.hpp"
#include "svc/store/monitors/monitor_store.hpp"

#include <functional>
#include <string>
#include <utility>

namespace svc::test {

/// The shop with monitors, whose results the test makes up.
struct watched_shop : shop {
  monitor_settings wanted(std::string label = "site") {
    return {.name = std::move(label),
            .type = "http_request",
            .target = "https://shop.test/",
            .frequency_seconds = 60,
            .alert_config = R"({"enabled":true,"notificationProviders":[")" + hook().to_string() + R"("]})",
            .alert_providers = {hook()}};
  }
  static monitor_settings wanted_without_provider() {
    return {.name = "site", .target = "https://shop.test/", .frequency_seconds = 60};
  }
  svc::monitor make_monitor(monitor_settings set) {
    auto made = wait(monitors.create(as_ed(), ed, std::move(set), soon()));
    REQUIRE(made.has_value());
    return *made;
  }
  svc::monitor make_monitor() { return make_monitor(wanted()); }
  /// Adds that many monitors at once, without results.
  void fill_monitors(int count) {
    as_owner(
        "INSERT INTO monitors (id, project_id, name, type, target, frequency_minutes, attempts_seconds, created_by)"
        " SELECT gen_random_uuid(), '" +
        project.to_string() +
        "', 'site ' || i, 'http_request',"
        " 'https://shop.test/', 1, 30, '" +
        ed.to_string() + "' FROM generate_series(1, " + std::to_string(count) +
        ") i;"
        "INSERT INTO monitor_status (monitor_id) SELECT id FROM monitors ON CONFLICT DO NOTHING;"
        "INSERT INTO check_states (monitor_id, location_id, check_version) SELECT id,"
        " '00000000-0000-0000-0000-000000000000', 1 FROM monitors ON CONFLICT DO NOTHING;"
        "ANALYZE monitors; ANALYZE check_states; ANALYZE monitor_status");
  }
  svc::monitor get(uuid id) { return *wait(monitors.get(project, id, soon())); }

  /// Returns the project's only provider.
  uuid hook() {
    if (hook_ == uuid{}) {
      store::provider_settings const set{"hook", "webhook", true, R"({"url":"https://a.test/","method":"POST"})"};
      hook_ = wait(providers.create(as_ed(), set, soon()))->id;
    }
    return hook_;
  }

  /// Returns a result that was due, and started, `slot` ms after the test's start minus 40 s.
  store::arrived_result result_at(uuid monitor, std::int64_t slot, checks::status ended = checks::status::up,
                                  std::int64_t version = 1) {
    store::arrived_result out{.monitor = monitor, .check_version = version, .covers = std::chrono::seconds(60)};
    out.kept.slot = out.kept.started_ms = began_ + slot;
    out.kept.ended = ended;
    if (ended == checks::status::up) {
      out.kept.response_time_ms = 12;
    } else {
      out.kept.code = ended == checks::status::error ? checks::code::internal : checks::code::connect_refused;
      out.failure = checks::failure(*out.kept.code);
      out.details = R"({"error":{"code":"connect_refused"}})";
    }
    return out;
  }
  store::result_fate decide(store::arrived_result result) {
    return wait(checks.decide({std::move(result)}, soon())).front();
  }
  /// Moves results that the test dates back to the hours in which they would have arrived in time.
  void into_their_hours() {
    as_owner(
        "UPDATE check_raw SET hour = started_ms / 3600000, ring = started_ms / 3600000 % 8"
        " WHERE hour <> started_ms / 3600000");
  }
  /// Returns the monitor as its only location has it.
  store::watched_monitor watched(uuid id) {
    for (auto const& each : wait(checks.read({id.bytes[15] & 63}, soon()))) {
      if (each.id == id) return each;
    }
    FAIL("nobody watches it");
    return {};
  }
  /// Counts a result without a decision, given the known state.
  bool count(store::check_memory const& known, store::arrived_result result) {
    return wait(checks.count({store::result_of_location(known, std::move(result))}, soon())).front();
  }
  std::int64_t rows(std::string const& table) {
    std::string const sql = "SELECT count(*) FROM " + table;
    return number({{table, sql}});
  }
  /// Returns the words of the first column, joined by blanks.
  std::string words(std::string const& sql) {
    std::string const label = "words_" + std::to_string(std::hash<std::string>()(sql));
    auto const found = must({{label, sql}});
    std::string out;
    for (int i = 0; i < found.size(); ++i) out += (i > 0 ? " " : "") + std::string(found[i].text(0));
    return out;
  }

  store::monitor_store monitors{pool, master};
  store::check_store checks{pool};

 private:
  std::int64_t began_ = system_now().micros / 1000 - 40'000;
  uuid hook_{};
};

inline std::string list_alerts(watched_shop& db) {
  return db.words("SELECT type || '/' || number || '/' || coalesce(suppressed_by, status) FROM alerts ORDER BY id");
}

inline void edit_monitor(watched_shop& db, uuid id, std::function<void(monitor_settings&)> const& agent,
                         std::string verb = "updated") {
  auto const change = [&](monitor const& now) {
    auto out = now.set;
    agent(out);
    return result<monitor_settings>(std::move(out));
  };
  REQUIRE(db.wait(db.monitors.update(db.as_ed(), id, change, std::move(verb), db.soon())).has_value());
}

}  // namespace svc::test
