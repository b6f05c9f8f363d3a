#pragma once

#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace svc {

/// The settings of a monitor that its users choose. Words are those of the contract; the JSON texts have its form. A
/// value.
struct monitor_settings {
  std::string name;
  std::optional<std::string> description{};
  std::string type = "http_request";  ///< never changes
  std::optional<std::string> target{};
  std::int64_t frequency_minutes = 5;
  std::optional<std::int64_t> frequency_seconds{};  ///< takes precedence
  bool enabled = true;
  std::string config = "{}";                  ///< an object in the user's form; masked secrets in its stored form
  std::int64_t attempts_seconds = 60;         ///< the maximum duration of a check by `config`, with its retries
  std::optional<std::string> alert_config{};  ///< an object, complete
  std::vector<uuid> alert_providers{};        ///< the providers that `alert_config` names
  std::optional<timestamp> muted_until{};
  std::vector<uuid> depends_on{};  ///< its parents in the order of the user, at most 10; none is deleted

  std::chrono::seconds interval() const {
    return std::chrono::seconds(frequency_seconds.value_or(frequency_minutes * 60));
  }
  /// Returns true if results before the edit say nothing about the monitor: it has another target, or was enabled or
  /// disabled.
  bool begins_anew(monitor_settings const& before) const {
    return target != before.target || enabled != before.enabled;
  }
  /// Returns true if results of checks that started before the edit do not count any more.
  bool checks_otherwise(monitor_settings const& before) const {
    return begins_anew(before) || config != before.config;
  }
};

/// A location's view of a monitor. A value.
struct monitor_view {
  uuid location{};
  std::string says = "none";  ///< none, up, down
  std::optional<timestamp> seen_at{};
  std::int64_t fails = 0, oks = 0;  ///< consecutive results
  std::optional<std::int64_t> response_ms{};
};

/// A window whose occurrence covers a monitor now. If there are several, the one that lasts longest. A value.
struct current_maintenance {
  uuid id{};  ///< of the window
  std::string name{};
  timestamp until{};  ///< the end of the occurrence

  friend bool operator==(current_maintenance const&, current_maintenance const&) = default;
};

/// A monitor in its stored form, with the outcome of its checks. A value.
struct monitor {
  uuid id{};
  monitor_settings set;
  std::string verdict = "pending";                     ///< pending, up, degraded, down, error
  timestamp since{};                                   ///< the start of the verdict
  std::optional<std::string> reason_code{}, reason{};  ///< of down and error
  std::optional<timestamp> suspect_since{};
  std::optional<uuid> open_outage{};
  std::vector<monitor_view> seen{};  ///< by location
  std::string tags = "[]";           ///< the contract's `Tag[]`, by name
  std::optional<current_maintenance> maintenance{};
  std::int64_t check_version = 1;
  std::optional<timestamp> deleted_at{};
  uuid created_by{};
  std::int64_t version = 1;
  timestamp created_at{};
  timestamp updated_at{};

  /// Returns the visible status: a disabled or deleted monitor has no verdict.
  std::string_view status() const { return set.enabled && !deleted_at ? std::string_view(verdict) : "paused"; }
};

}  // namespace svc
