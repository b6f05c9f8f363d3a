#pragma once

#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Maintenance windows as values. A window is a rule for planned work; an occurrence is one interval of it.

namespace svc::windows {

/// Limits that the database's schema enforces (V068), and lengths of rules.
inline constexpr std::int64_t most_unfinished = 100;      ///< windows of a project
inline constexpr std::int64_t most_finished = 1000;       ///< windows of a project
inline constexpr std::int64_t most_occurrences = 10'000;  ///< rows of a project, the past included
inline constexpr std::size_t most_ahead = 64;             ///< unfinished occurrences of a window
inline constexpr std::chrono::days longest_ahead{60};     ///< for all but the next occurrence of a recurring window
inline constexpr std::chrono::days longest_once{35};      ///< duration of a window that happens once
inline constexpr std::size_t checked_starts = 100;        ///< starts whose distances are checked
inline constexpr std::chrono::minutes shortest_distance{60};   ///< between two starts of a recurring window
inline constexpr std::chrono::minutes longest_duration{1440};  ///< of an occurrence of a recurring window
inline constexpr std::chrono::minutes longest_one_click{10'080};

/// The rule of a window that happens once.
struct single_rule {
  timestamp starts_at{};
  timestamp ends_at{};

  friend bool operator==(single_rule const&, single_rule const&) = default;
};

/// The rule of a recurring window. Each occurrence starts at a time of the schedule and lasts `duration` of real
/// time.
struct recurring_rule {
  std::string cron;
  std::string time_zone = "UTC";  ///< an IANA zone
  std::chrono::minutes duration{60};
  std::optional<timestamp> first_at{};  ///< no start is earlier; empty: from the creation on
  std::optional<timestamp> until{};     ///< each start is earlier

  friend bool operator==(recurring_rule const&, recurring_rule const&) = default;
};

/// Selects the monitors of a window. Exactly one member is set. A window whose monitors or tags were all deleted
/// covers nothing.
struct window_targets {
  bool all = false;              ///< also covers monitors that are created later
  std::vector<uuid> monitors{};  ///< at most 500
  std::vector<uuid> tags{};      ///< at most 20

  friend bool operator==(window_targets const&, window_targets const&) = default;
};

/// The text that announces the occurrences of a window.
struct window_announcement {
  std::string title, body;

  friend bool operator==(window_announcement const&, window_announcement const&) = default;
};

/// The status pages that show a window, and what they say. A value.
struct window_publication {
  std::vector<uuid> status_pages{};  ///< at most 10
  std::vector<uuid> components{};    ///< at most 50, of these pages; under maintenance while the window is active
  std::optional<window_announcement> announcement{};  ///< without it pages show the window's name
  std::chrono::hours announced_before{72};            ///< 0 to 720: time between the announcement and the start
  bool notify = true;                                 ///< the announcement and automatic posts notify subscribers

  friend bool operator==(window_publication const&, window_publication const&) = default;
};

/// The settings of a window that its users choose. Exactly one of the rules is set. A value.
struct window_settings {
  std::string name;
  std::optional<std::string> description{};
  window_targets targets{};
  std::optional<single_rule> once{};
  std::optional<recurring_rule> recurring{};
  bool exclude_from_uptime = true;  ///< time inside counts neither as up nor as down
  window_publication shown{};
};

/// One interval of a window. A value.
struct occurrence {
  uuid id{};
  timestamp starts_at{};
  timestamp ends_at{};

  friend bool operator==(occurrence const&, occurrence const&) = default;
};

/// `finished`: no occurrence is active or follows.
enum class window_state : std::uint8_t { scheduled, active, finished };

/// Returns the contract's word.
std::string_view name_of(window_state state);
/// Parses the contract's word. Returns `std::nullopt` for any other text.
std::optional<window_state> parse_state(std::string_view text);

/// A stored window. A value.
struct window {
  uuid id{};
  window_settings set;
  window_state state = window_state::scheduled;
  std::optional<occurrence> current{};  ///< the active occurrence
  std::optional<occurrence> next{};     ///< the next occurrence that has not started
  std::int64_t monitor_count = 0;       ///< covered monitors that are not deleted
  uuid created_by{};
  std::int64_t version = 1;
  timestamp created_at{};
  timestamp updated_at{};
};

}  // namespace svc::windows
