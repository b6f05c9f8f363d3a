#pragma once

#include "svc/domain/monitoring/alerting/monitor.hpp"
#include "svc/domain/monitoring/checks/certificate_warning.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace svc::alerting {

enum class alert_type : std::uint8_t {
  monitor_failure,
  monitor_recovery,
  monitor_degraded,
  monitor_error,
  ssl_expiring
};
enum class end_reason : std::uint8_t { recovered, paused, edited, resumed, deleted };

/// An alert for one provider. Its key is `about`, `type`, `number` and the provider.
struct alert {
  alert_type type;
  uuid about{};              ///< the outage, the period or the certificate warning
  std::uint32_t number = 0;  ///< a failure: 0, its reminders: 1 and up; a period's start: 0, its end: 1;
                             ///< a certificate: days
  uuid id{};
  std::optional<suppression> suppressed{};

  friend bool operator==(alert const&, alert const&) = default;
};

struct outage_begin {
  uuid id{};
  timestamp started_at{};  ///< start of the first failing check; not before the end of the last outage
  timestamp detected_at{};
  checks::failure cause{checks::code::internal};
  std::string location{};                ///< the location that saw it first
  std::vector<std::string> locations{};  ///< the locations that vote down
};

struct outage_end {
  uuid id{};
  timestamp ended_at{};
  end_reason reason = end_reason::recovered;
};

/// The rows to write in the transaction that has locked the monitor.
struct decision {
  verdict becomes = verdict::pending;
  bool changed = false;                      ///< `becomes` differs from the previous verdict and starts now
  std::optional<timestamp> suspect_since{};  ///< failing and not (yet) down
  std::optional<checks::failure> reason{};   ///< of verdict down or error
  std::optional<outage_begin> opened{};
  std::optional<outage_end> closed{};
  std::optional<uuid> period_begun{}, period_ended{};
  std::vector<alert> alerts{};                            ///< new rows
  std::optional<checks::certificate> certificate{};       ///< the certificate whose expiry the alerts announce
  std::vector<alert> release{};                           ///< suppressed rows to send now, by their keys
  std::optional<timestamp> look_again{};                  ///< the time to decide again without a new result
  bool limit_recorded = false, failure_left_out = false;  ///< as in `monitor_state`
  hold_state hold{};                                      ///< of the outage that is open afterwards
  std::optional<uuid> caused_by{};                        ///< of that outage; never removed
  bool requests_check = false;           ///< the monitor is to be checked at once, because a hold has ended
  std::vector<uuid> requests_parents{};  ///< parents to check at once, because the monitor waits for their results
};

/// Time that a decision waits for a result in addition to the attempts of the check.
inline constexpr std::chrono::seconds attempts_slack{10};

/// Decides from the votes, the clock and the monitor's row. Returns an empty decision for a monitor that is not live,
/// and ignores votes of another `check_version`. A second decision after writing the first one changes nothing.
///
/// - Votes count while their results are younger than max(2.5 intervals, 3 min). Without such votes for three
///   intervals (since the newest conclusive result, or since the start of the verdict) the verdict is error.
/// - A verdict becomes down only when at least half of the online locations vote. In addition, all online locations
///   must have answered since the first failing check, or the attempts' time and 10 s must have passed since. While
///   too few vote the old verdict stays, for at most three intervals after the first failing check. After that the
///   verdict is error, not silently up.
/// - An outage ends at the start of the good check that met the strategy's condition.
/// - Providers that were notified of a start are notified of its end, also when they were muted, disabled or removed
///   since. An outage's end is not notified if `on_recovery` is off, except to a provider that resolves.
/// - After `most_changes` changes of the verdict within `changes_window` the next start is recorded as
///   suppressed, and later starts of outages and periods are not recorded. Once fewer changes lie within the
///   window, the failure alert of an outage that is still open is released or written. Reminders and ends are
///   not limited.
/// - Failures are held back in maintenance, while a parent is down, and at the start of an outage until each parent
///   has a good result that is newer than the first failing check. That wait lasts at most the longest attempts of a
///   parent and `attempts_slack`. After maintenance, and after the outage of a parent, a check is requested. The
///   failures are sent when a check that started after that end has failed, or after the attempts' time and
///   `attempts_slack`. A heartbeat needs no such check. The starts of periods in maintenance, or while a parent is
///   down, are never sent.
/// - Muted failures are sent later, once the monitor is not muted and still down, and so are certificate
///   warnings (`warn_of_certificate`). Other muted alerts are not sent later. Reminders go to notified
///   providers that are still configured. None are written while the monitor is muted or held back, the outage is
///   acknowledged, or the verdict is error.
///
/// `fresh` is the id of the outage or the period that may start.
decision decide(monitor_state const& monitor, std::span<location_result const> results, timestamp now, uuid fresh);

/// Returns true if the transaction that counts a result must also decide; the result turned a location's
/// state `before` into `after`. Other results keep the location's vote, which agrees with the verdict, so a
/// fast statement only counts them. A verdict therefore changes in the transaction of the result that changes
/// it, or by the clock (`look_again`).
///
/// That statement must find `before`, the verdict and the check version unchanged in rows that it has locked, and a
/// decision locks the rows of all votes. Otherwise the statement could count a result during a decision that did not
/// see the result (tests/model/monitors then finds a wrong verdict that stays until the next result).
bool must_decide(verdict status, location_state const& before, location_state const& after);

/// Notifies the monitor's configured providers that a certificate has passed a threshold. `id` is the `about` of the
/// alerts. Rows of the same key exist already if the providers were notified before, and stay unchanged. While the
/// monitor is muted or in maintenance the function writes no alerts: the first check after that notifies the
/// providers.
void warn_of_certificate(monitor_state const& monitor, uuid id, checks::certificate_warning const& warning,
                         timestamp now, decision& decision);

/// Restarts the monitor: after a pause, resume, deletion, restore, or an edit that makes old results meaningless. The
/// verdict becomes pending, the open outage or period ends now, and the notified providers are notified of its end.
decision interrupt(monitor_state const& monitor, end_reason reason, timestamp now);

}  // namespace svc::alerting
