#include "model/monitors/world.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace svc::model::monitors {

namespace {

/// Windows, a parent and the limit of changes. One worker is enough, because others than workers change what holds
/// failures back. A window from tick + 1 to tick + 1.
std::vector<world> worlds_with_holds() {
  return {
      {.name = "down inside a window", .ticks = 3, .due = true, .window_start = 1, .window_end = 3},
      {.name = "down before a window", .ticks = 3, .due = true, .reminder = 1, .window_start = 2, .window_end = 4},
      {.name = "a window is opened and ended",
       .ticks = 3,
       .due = true,
       .edits = {edit::open_window, edit::end_window}},
      {.name = "paused inside a window",
       .ticks = 2,
       .due = true,
       .edits = {edit::pause},
       .window_start = 1,
       .window_end = 3},
      {.name = "nobody checks inside a window",
       .outcomes = "+",
       .ticks = 5,
       .due = true,
       .notifies_errors = true,
       .window_start = 4,
       .window_end = 5},
      {.name = "below a parent", .ticks = 3, .due = true, .parent = "+-"},
      {.name = "below a parent that fails twice",
       .outcomes = "-",
       .ticks = 3,
       .due = true,
       .parent = "+-",
       .parent_failure = 2},
      {.name = "reminders below a parent", .outcomes = "-+", .ticks = 3, .due = true, .reminder = 1, .parent = "+-"},
      {.name = "the parent is taken away",
       .outcomes = "-",
       .ticks = 2,
       .due = true,
       .edits = {edit::drop_parent},
       .parent = "-"},
      {.name = "muted, inside a window, below a parent",
       .outcomes = "-",
       .ticks = 3,
       .due = true,
       .muted_until = 3,
       .window_start = 1,
       .window_end = 4,
       .parent = "+-"},
      {.name = "too many changes", .ticks = 4, .due = true, .limited = true},
  };
}

std::vector<world> all_worlds() {
  std::vector<world> all{
      {.name = "fails and recovers", .ticks = 3, .crashes = 2},
      {.name = "thresholds of two", .ticks = 4, .failure = 2, .recovery = 2, .providers = 0b01},
      {.name = "pause and resume", .ticks = 2, .providers = 0b01, .edits = {edit::pause, edit::resume}},
      {.name = "three edits", .ticks = 2, .providers = 0b01, .edits = {edit::pause, edit::resume, edit::change}},
      {.name = "deleted", .ticks = 2, .crashes = 2, .providers = 0b01, .edits = {edit::remove}},
      {.name = "an edit", .ticks = 2, .providers = 0b01, .edits = {edit::change}},
      {.name = "an edit of a monitor that nobody checks",
       .ticks = 1,
       .looks = true,
       .providers = 0b01,
       .edits = {edit::change}},
      {.name = "muted from the start", .ticks = 2, .looks = true, .muted_until = 2, .providers = 0b01},
      {.name = "muted and not muted", .ticks = 2, .providers = 0b01, .edits = {edit::mute, edit::unmute}},
      {.name = "a provider is taken off", .ticks = 2, .edits = {edit::take_provider}},
      {.name = "reminders", .outcomes = "-", .ticks = 3, .looks = true, .reminder = 1, .providers = 0b01},
      {.name = "reminders, acknowledged",
       .outcomes = "-",
       .ticks = 2,
       .looks = true,
       .reminder = 1,
       .providers = 0b01,
       .edits = {edit::acknowledge}},
      {.name = "checks that say nothing",
       .outcomes = "-+e",
       .ticks = 3,
       .crashes = 0,
       .looks = true,
       .providers = 0b01},
      {.name = "nobody checks",
       .outcomes = "+-",
       .ticks = 4,
       .crashes = 0,
       .looks = true,
       .providers = 0b01,
       .notifies_errors = true},
      {.name = "paused, nobody checks",
       .outcomes = "-",
       .ticks = 3,
       .looks = true,
       .providers = 0b01,
       .edits = {edit::pause}},
      {.name = "two locations, one of them enough",
       .ticks = 1,
       .locations = 2,
       .strategy = alerting::strategy::any,
       .providers = 0b01},
      {.name = "two locations, edited",
       .ticks = 1,
       .crashes = 0,
       .locations = 2,
       .providers = 0b01,
       .edits = {edit::change}},
      {.name = "two locations",
       .ticks = 1,
       .locations = 2,
       .strategy = alerting::strategy::all,
       .looks = true,
       .providers = 0b01},
  };
  for (auto each : worlds_with_holds()) {
    each.workers = 1;
    each.crashes = 0;
    each.providers = 0b01;
    all.push_back(std::move(each));
  }
  all.push_back({.name = "two workers below a parent", .ticks = 1, .due = true, .providers = 0b01, .parent = "+-"});
  return all;
}

}  // namespace

std::vector<world> const& worlds() {
  static auto const all = all_worlds();
  return all;
}

world const& world_named(std::string_view name) {
  auto const found = std::ranges::find(worlds(), name, &world::name);
  if (found == worlds().end()) throw std::logic_error("no world " + std::string(name));
  return *found;
}

}  // namespace svc::model::monitors
