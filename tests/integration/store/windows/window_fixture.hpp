#pragma once

#include "integration/monitoring/scheduler/monitor_fixture.hpp"

#include "svc/store/jobs/tag_store.hpp"
#include "svc/store/windows/occurrence_store.hpp"
#include "svc/store/windows/window_store.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace svc::test {

/// The shop with monitors and maintenance windows.
struct windowed_shop : watched_shop {
  timestamp now() { return must({{"window_now_test", "SELECT clock_timestamp()"}}).front().time(0); }

  /// A window for all monitors from an hour on, for an hour.
  windows::window_settings single(std::string label = "router") {
    auto const start = now() + std::chrono::hours(1);
    return {.name = std::move(label),
            .targets = {.all = true},
            .once = windows::single_rule{.starts_at = start, .ends_at = start + std::chrono::hours(1)}};
  }
  /// A window for all monitors at three each night, for an hour.
  static windows::window_settings nightly(std::string label = "backup") {
    return {.name = std::move(label),
            .targets = {.all = true},
            .recurring = windows::recurring_rule{.cron = "0 3 * * *"}};
  }
  result<windows::window> create(windows::window_settings set) {
    return wait(planned.create(as_ed(), ed, std::move(set), soon()));
  }
  windows::window make(windows::window_settings set) {
    auto made = create(std::move(set));
    REQUIRE(made.has_value());
    return *made;
  }
  windows::window read(uuid id) {
    auto found = wait(planned.get(project, id, soon()));
    REQUIRE(found.has_value());
    return *found;
  }
  result<windows::window> change(uuid id, std::function<void(windows::window_settings&)> const& agent) {
    auto const edit = [&](windows::window const& current) {
      auto out = current.set;
      agent(out);
      return result<windows::window_settings>(std::move(out));
    };
    return wait(planned.update(as_ed(), id, edit, soon()));
  }
  /// Moves the next occurrence of a window, and the times of a single one, so that it started ten minutes ago and
  /// lasts ten minutes more.
  windows::window activate(uuid id) {
    as_owner(
        "UPDATE maintenance_occurrences SET starts_at = clock_timestamp() - interval '10 min',"
        " ends_at = clock_timestamp() + interval '10 min' WHERE id = (SELECT id FROM maintenance_occurrences"
        " WHERE window_id = '" +
        id.to_string() + "' ORDER BY starts_at LIMIT 1)");
    as_owner(
        "UPDATE maintenance_windows w SET starts_at = o.starts_at, ends_at = o.ends_at, over_at = o.ends_at"
        " FROM maintenance_occurrences o"
        " WHERE o.window_id = w.id AND w.starts_at IS NOT NULL AND w.id = '" +
        id.to_string() + "'");
    return read(id);
  }
  /// Returns the ids of the occurrences of a window, the earliest first.
  std::vector<uuid> occurrences_of(uuid id) {
    auto const found = must({{"window_occurrences_test",
                              "SELECT id FROM maintenance_occurrences WHERE window_id = $1 ORDER BY starts_at"},
                             postgres::parameters(id)});
    std::vector<uuid> out;
    for (int i = 0; i < found.size(); ++i) out.push_back(found[i].id(0));
    return out;
  }
  /// Returns the number of occurrences that apply to the monitor now.
  std::int64_t covered_now(uuid monitor) {
    return number({{"window_covered_test",
                    "SELECT count(*) FROM maintenance_of(ARRAY[$1::uuid], clock_timestamp(), clock_timestamp())"},
                   postgres::parameters(monitor)});
  }
  svc::tag make_tag(std::string label) {
    auto made = wait(tags.create(as_ed(), {.name = std::move(label)}, soon()));
    REQUIRE(made.has_value());
    return *made;
  }
  void set_tags(uuid monitor, std::vector<uuid> ids) {
    REQUIRE(wait(monitors.set_tags(as_ed(), monitor, std::move(ids), soon())).has_value());
  }
  /// Calls `action`. Returns true if it made the monitor's holder and the next decision look at the monitor.
  bool touches(uuid monitor, std::function<void()> const& action) {
    as_owner(
        "UPDATE monitors SET changed_at = '2020-01-01'; UPDATE monitor_status SET look_at = NULL, verdict = 'down'");
    action();
    return number({{"window_touched_test",
                    "SELECT count(*) FROM monitors m JOIN monitor_status s ON s.monitor_id = m.id"
                    " WHERE m.id = $1 AND m.changed_at > '2020-01-01' AND s.look_at IS NOT NULL"},
                   postgres::parameters(monitor)}) == 1;
  }

  store::window_store planned{pool};
  store::occurrence_store occurrences{pool};
  store::tag_store tags{pool};
};

}  // namespace svc::test
