#pragma once

#include "svc/domain/monitoring/alerting/monitor.hpp"
#include "svc/domain/monitoring/checks/certificate_warning.hpp"

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

/// An alert for one provider. What it is about, `type`, `number` and provider together are its key.
struct alert {
  alert_type type;
  uuid about{};              ///< the outage, the period, or the certificate's warning
  std::uint32_t number = 0;  ///< of a failure: 0, then its reminders; of a period: 0 its begin, 1 its end; or days
  uuid id{};
  std::optional<suppression> suppressed{};

  friend bool operator==(alert const&, alert const&) = default;
};

struct outage_begin {
  uuid id{};
  timestamp started_at{};  ///< begin of the first failing check; not before the end of the last outage
  timestamp detected_at{};
  checks::failure cause{checks::code::internal};
  std::string location{};                ///< where it was seen first
  std::vector<std::string> locations{};  ///< that vote down
};

struct outage_end {
  uuid id{};
  timestamp ended_at{};
  end_reason reason = end_reason::recovered;
};

/// What to write in the transaction that has the monitor locked.
struct decision {
  verdict becomes = verdict::pending;
  bool changed = false;                      ///< `becomes` is another verdict; it begins now
  std::optional<timestamp> suspect_since{};  ///< failing and not (yet) down
  std::optional<checks::failure> reason{};   ///< of verdict down or error
  std::optional<outage_begin> opened{};
  std::optional<outage_end> closed{};
  std::optional<uuid> period_begun{}, period_ended{};
  std::vector<alert> alerts{};                       ///< new rows
  std::optional<checks::certificate> certificate{};  ///< whose end they tell
  std::vector<alert> release{};                      ///< rows that were suppressed and are told now: the same keys
  std::optional<timestamp> look_again{};             ///< decide again then, without a new result
  bool limit_recorded = false, failure_left_out = false;  ///< as in `monitor_state`
};

/// What the votes, the clock and the monitor's row make. Decides nothing for a monitor that is not live, and takes no
/// vote of another `check_version`. Deciding again from what was written changes nothing.
///
///   - Votes count while their evidence is younger than max(2.5 intervals, 3 min). Without any for three intervals
///     (since the newest evidence, or since the verdict began) the verdict is error.
///   - A verdict becomes down only when at least half of the online locations vote, and all of them have answered
///     since the first failing check, or the attempts' time and 10 s have passed since. While too few vote the old
///     verdict stays, for three intervals after the first failing check at most: then it is error, not silently up.
///   - An outage ends with the begin of that good check after which the strategy was met.
///   - Ends are told to those who were told the begin, also when muted, disabled or taken off since: an outage's
///     unless `on_recovery` is off, and to a provider that resolves in any case.
///   - After `most_changes` changes of the verdict within `changes_window` the first start is recorded as suppressed,
///     and the starts of later outages and periods are left out. When fewer changes lie within the window, the
///     failure of an outage that is still open is released or written. Reminders and ends are not limited.
///   - Of what is muted only failures are told later, once the monitor is not muted and still down, and certificates
///     (`warn_of_certificate`). Reminders are not written while muted, acknowledged, or for verdict error, and go to
///     those who were told and are still configured.
///
/// `fresh` is the id of the outage or the period that may begin.
decision decide(monitor_state const& monitor, std::span<location_vote const> votes, timestamp now, uuid fresh);

/// Whether a result that made `after` of a location's `before` must be decided in the transaction that counts it. Of
/// others the location's vote stays, and agrees with the verdict: they may be counted alone, in a fast statement. So
/// a verdict changes in the transaction of the result that changes it, or by the clock (`look_again`).
///
/// That statement must find `before`, the verdict and the check version as they are in rows that it has locked, and a
/// decision locks the rows of all votes: otherwise a result is counted beside a decision that did not see it
/// (tests/model/monitors finds an error that nobody corrects until the next result).
bool must_decide(verdict stands, location_state const& before, location_state const& after);

/// Tells the monitor's providers that a certificate has passed a threshold, if they are to be told. `id`: what the
/// alerts are about; rows of the same key are there already if this was told before, and stay as they are. While the
/// monitor is muted nothing is written: the first check after the mute tells.
void warn_of_certificate(monitor_state const& monitor, uuid id, checks::certificate_warning const& warning,
                         timestamp now, decision& decision);

/// The monitor begins anew: pause, resume, deletion, restore, or an edit after which old results say nothing. The
/// verdict becomes pending, whatever was open ends now, and who was told of it is told.
decision interrupt(monitor_state const& monitor, end_reason reason, timestamp now);

}  // namespace svc::alerting
