#pragma once

#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/monitoring/alerting/location_state.hpp"
#include "svc/domain/monitoring/alerting/quiet_time.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The inputs of a decision: rows of the database as values.

namespace svc::alerting {

enum class verdict : std::uint8_t { pending, up, degraded, down, error };

/// The rule that turns votes of several locations into a verdict.
enum class strategy : std::uint8_t { all, majority, any };

/// The reason why an alert is recorded and not sent. A failure with `muted`, `too_many_changes`, `maintenance` or
/// `dependency` may still be sent (`decision::release`). `other`: only a newer version knows the reason; nothing is
/// written with it, and the alert is never sent.
enum class suppression : std::uint8_t { muted, provider_disabled, too_many_changes, maintenance, dependency, other };

/// The names of all reasons but `other`, by their value: stored in `alerts.suppressed_by`, and labels of metrics.
inline constexpr std::array<std::string_view, static_cast<std::size_t>(suppression::other)> suppression_names{
    "muted", "provider_disabled", "too_many_changes", "maintenance", "dependency"};

/// While the last `most_changes` changes of a monitor's verdict lie within `changes_window`, no start of an outage or
/// of a period is notified. Otherwise a monitor that changes with each check, or a heartbeat that alternates, would
/// fill its receivers' mailboxes.
inline constexpr std::size_t most_changes = 20;
inline constexpr std::chrono::minutes changes_window{60};

/// The current state of a notification provider.
struct provider {
  uuid id{};
  bool disabled = false;
  bool resolves = false;  ///< keeps its incident open until it is resolved (PagerDuty), so it is always notified of
                          ///< the end
};

/// The settings in `alertConfig`.
struct alert_settings {
  bool enabled = true;
  std::vector<provider> providers{};
  bool on_failure = true, on_recovery = true, on_degraded = false, on_error = true, on_ssl_expiration = false;
  std::optional<std::chrono::minutes> reminder{};
};

/// The maximum number of reminders of one outage. Then its providers get no message until the outage ends.
/// The limit is reached after almost two days with a reminder every five minutes, and after three weeks with
/// one per hour.
inline constexpr std::uint32_t most_reminders = 500;

/// An alert that was written for the open outage or period.
struct written_alert {
  provider provider;
  std::uint32_t number = 0;  ///< of a failure: 0, then its reminders
  std::optional<suppression> suppressed{};
};

/// The hold on the failures of an open outage: a maintenance window, or a parent that is down, keeps them back.
struct hold_state {
  bool active = false;                  ///< the last decision found such a window or parent
  std::optional<timestamp> ended_at{};  ///< end of the last hold, while the failures wait for a failing check that
                                        ///< started later

  friend bool operator==(hold_state const&, hold_state const&) = default;
};

struct open_outage {
  uuid id{};
  timestamp started_at{};
  bool acknowledged = false;
  std::vector<written_alert> failures{};  ///< the first alert of each provider
  timestamp notified_at{};                ///< the time when the newest failure or reminder was written, or released
  std::uint32_t reminders = 0;            ///< the number of the newest reminder
  timestamp detected_at{};                ///< the time when the verdict became down
  hold_state hold{};
  std::optional<uuid> caused_by{};  ///< the outage of a parent that is the likely cause
};

/// A monitor that another one depends on directly: its row and its results, which need no lock.
struct parent_state {
  uuid id{};
  bool down = false;                         ///< live, and the verdict is down
  std::optional<uuid> outage{};              ///< its open outage
  std::optional<timestamp> last_ended_at{};  ///< end of its newest ended outage
  bool conclusive = false;  ///< its results count: it is live and no heartbeat, and its verdict is up or degraded
  std::optional<timestamp> conclusive_at{};  ///< start of its newest conclusive check
  bool failing = false;                      ///< that check failed, although the verdict is not (yet) down
  std::chrono::seconds attempts_take{60};    ///< maximum duration of a check with all its retries
};
inline constexpr std::size_t most_parents = 10;

/// A period with the verdict degraded or error.
struct open_period {
  uuid id{};
  std::vector<written_alert> begins{};
};

/// A locked monitor. A value.
struct monitor_state {
  bool live = true;  ///< enabled and not deleted
  std::int64_t check_version = 1;
  std::chrono::seconds interval{300};
  std::chrono::seconds attempts_take{60};  ///< maximum duration of a check with all its retries
  strategy aggregation = strategy::majority;
  unsigned threshold = 50;  ///< percent, of `majority`
  alert_settings alerts{};
  std::optional<timestamp> muted_until{};
  bool checkable = true;                  ///< false for a heartbeat, which no instance can check
  std::vector<quiet_time> maintenance{};  ///< occurrences that cover the monitor now, or have ended recently
  std::vector<parent_state> parents{};    ///< without deleted ones

  verdict status = verdict::pending;
  timestamp since{};  ///< the start of `status`
  std::optional<open_outage> outage{};
  std::optional<open_period> period{};       ///< while `status` is degraded or error
  std::optional<timestamp> last_ended_at{};  ///< end of the newest ended outage

  /// The time until which the last `most_changes` changes limit alerts: now, and after one more change. Empty if
  /// there are fewer changes.
  std::optional<timestamp> limited_until{}, limited_after_change{};
  bool limit_recorded = false;    ///< an alert during this limit says that other alerts are left out
  bool failure_left_out = false;  ///< the open outage has no alert, because of the limit

  bool is_limited(timestamp now) const { return limited_until && now < *limited_until; }
  bool is_muted(timestamp now) const { return muted_until && now < *muted_until; }
  bool is_in_maintenance(timestamp now) const { return is_quiet(maintenance, now); }
};

/// A location of the monitor, with its results under `check_version`.
struct location_result {
  std::string code;
  bool online = true;
  std::int64_t check_version = 1;
  location_state state{};
};

}  // namespace svc::alerting
