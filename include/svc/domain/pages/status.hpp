#pragma once

#include "svc/core/time.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

// The status of a component of a status page. Everything here is pure.

namespace svc::pages {

/// The status that visitors see. A later value is worse.
enum class component_status : std::uint8_t {
  operational,
  unknown,            ///< there is no evidence
  under_maintenance,  ///< planned work is going on
  degraded_performance,
  partial_outage,
  major_outage,
};
inline constexpr std::size_t component_status_count = 6;

std::string_view to_text(component_status status);
std::optional<component_status> component_status_of(std::string_view text);

/// The rule that makes one status from those of several monitors.
enum class aggregation : std::uint8_t { worst_case, majority_vote };

std::string_view to_text(aggregation rule);
std::optional<aggregation> aggregation_of(std::string_view text);

/// The verdict of one monitor of a component. `none` is that of a monitor that is pending, paused, in error or
/// deleted.
enum class monitor_verdict : std::uint8_t { up, degraded, down, none };

/// One monitor of a component. A value.
struct monitor_evidence {
  monitor_verdict verdict = monitor_verdict::none;
  std::optional<timestamp> newest_result{};  ///< time of the newest conclusive result
  std::optional<timestamp> expires_at{};     ///< the verdict is no evidence from here on
};

/// Number of intervals after which a result is no evidence any more.
inline constexpr int intervals_of_evidence = 3;
/// Time after a heartbeat's deadline within which the deadline must be judged.
inline constexpr std::chrono::seconds judgement_time{60};
/// Copies of a component whose status does not depend on results turn grey after this time.
inline constexpr std::chrono::minutes copy_lifetime{3};

/// Returns the evidence of a monitor that is checked every `interval`.
monitor_evidence checked_evidence(monitor_verdict verdict, std::optional<timestamp> newest_result,
                                  std::chrono::seconds interval);
/// Returns the evidence of a heartbeat whose next signal is due by `deadline`.
monitor_evidence heartbeat_evidence(monitor_verdict verdict, std::optional<timestamp> newest_signal,
                                    std::optional<timestamp> deadline);

/// The status of a component according to its monitors only. A value.
struct measurement {
  component_status status = component_status::unknown;
  timestamp valid_until{};                    ///< the status is unknown from here on
  std::optional<timestamp> evidence_at{};     ///< oldest of the newest results that count at the moment
  std::optional<timestamp> last_result_at{};  ///< newest result of all monitors, also of those without evidence
};

/// Returns the status at `now`. `valid_until` is the first moment at which the loss of evidence changes it, at most
/// `copy_lifetime` ahead if no verdict counts. A component without monitors is operational.
measurement measure(std::span<monitor_evidence const> monitors, aggregation rule, timestamp now);

}  // namespace svc::pages
