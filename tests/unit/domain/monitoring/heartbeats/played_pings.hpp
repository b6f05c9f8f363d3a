#pragma once

#include "svc/domain/monitoring/heartbeats/heartbeat.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <sstream>
#include <string>

namespace svc::heartbeats {

inline heartbeat_config config_of(std::string const& json) {
  auto const read = parse_heartbeat(boost::json::parse(json).as_object());
  REQUIRE_MESSAGE(read.has_value(), json);
  return *read;
}

/// A monitor whose signals come at minutes after it began, and whose deadlines are evaluated in time.
struct played_pings {
  heartbeat_config settings;
  timestamp began{};
  heartbeat_state state{};
  std::optional<blind_window> blind{};
  std::string said{};  ///< `65 heartbeat_missed`, `70 up`, each with its minute

  explicit played_pings(std::string const& config, timestamp begin = *parse_rfc3339("2026-11-02T00:00:00Z"))
      : settings(config_of(config)), began(begin) {
    plan(settings, state, began);
  }

  timestamp at(long minute) const { return began + std::chrono::minutes(minute); }
  long minute_of(timestamp t) const { return static_cast<long>((t - began).count() / 60'000'000); }

  void note(heartbeat_finding const& conclusion) {
    said += (said.empty() ? "" : ", ") + std::to_string(minute_of(conclusion.time)) + ' ';
    said += conclusion.failure ? std::string(checks::row_of(conclusion.failure->which).name) : "up";
  }
  /// Evaluates what is too late by then.
  void until(long minute) {
    while (auto const found = evaluate(settings, state, blind, at(minute))) note(*found);
  }
  void signal_at(long minute, std::string_view subject, std::uint8_t run = 0) {
    until(minute);
    uuid id;
    id.bytes[15] = run;
    if (auto const found = take(settings, state, *parse_signal(subject), id, at(minute))) note(*found);
  }
  /// `60 start 1; 65 0 1; 200 -`: a minute, a signal or none, and perhaps a run.
  std::string play(std::string const& events) {
    std::istringstream all(events);
    for (std::string event; std::getline(all, event, ';');) {
      std::istringstream words(event);
      long minute = 0;
      std::string subject;
      int run = 0;
      words >> minute >> subject >> run;
      if (subject == "-") {
        until(minute);
      } else {
        signal_at(minute, subject, static_cast<std::uint8_t>(run));
      }
    }
    return said;
  }
};

}  // namespace svc::heartbeats
