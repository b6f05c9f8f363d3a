#include "model/monitors/world.hpp"

#include <algorithm>
#include <stdexcept>

namespace svc::model::monitors {

std::vector<world> const& worlds() {
  static std::vector<world> const all{
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
  return all;
}

world const& world_named(std::string_view name) {
  auto const found = std::ranges::find(worlds(), name, &world::name);
  if (found == worlds().end()) throw std::logic_error("no world " + std::string(name));
  return *found;
}

}  // namespace svc::model::monitors
