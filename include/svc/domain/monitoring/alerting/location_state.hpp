#pragma once

#include "svc/core/time.hpp"
#include "svc/domain/monitoring/checks/result.hpp"

#include <cstdint>
#include <optional>

namespace svc::alerting {

/// A location's vote about a monitor's target. `none`: it has no vote yet, or lost its vote.
enum class location_status : std::uint8_t { none, up, down };

/// The number of consecutive results that change a vote, and so the verdict; 1..100.
struct thresholds {
  std::uint32_t failure = 1, recovery = 1;

  friend bool operator==(thresholds const&, thresholds const&) = default;
};

/// The number of consecutive inconclusive results after which a location has no vote any more.
inline constexpr std::uint32_t errors_until_none = 3;

/// The parts of a result that votes depend on.
struct observed_result {
  checks::conclusion says = checks::conclusion::good;
  bool degraded = false;                     ///< only for a good result
  timestamp began{};                         ///< when its check started
  std::optional<checks::failure> failure{};  ///< for a result that is not good
};

/// The stored state of a monitor at a location. Counts are of consecutive results. A good result resets the
/// failures, a bad one the good results, and both reset the errors. Errors reset neither, because they are
/// inconclusive. A value; only `next_location_state` changes one into another.
struct location_state {
  location_status says = location_status::none;
  std::uint32_t fails = 0, oks = 0, errors = 0;
  std::optional<timestamp> failing_since{};  ///< start of the first failing check of the streak
  std::optional<timestamp> good_since{};     ///< start of the first good check of the streak
  std::optional<timestamp> conclusive_at{};  ///< start of the newest conclusive check
  std::optional<timestamp> seen_at{};        ///< start of the newest check
  std::optional<checks::failure> failure{};  ///< failure of the newest failing check
  std::optional<checks::failure> error{};    ///< error of the newest inconclusive check
  // Counts of consecutive good results:
  std::uint32_t slow = 0, plain = 0;  ///< degraded results, and results that are not degraded
  bool degraded = false;  ///< `slow` had reached the failure threshold, and since then `plain` has not reached the
                          ///< recovery threshold
};

/// Returns the next state by the table of votes:
///
///   none   good → up (with an open outage: after `recovery`)      bad → down after `failure`
///   up     stays                                                  bad → down after `failure`
///   down   good → up after `recovery`                             stays
///
/// From any vote, three consecutive errors lead to none, and reset all counts but those of errors. A failing check
/// ends the streaks of degraded ones; a vote for down is not degraded.
location_state next_location_state(location_state state, observed_result const& now, thresholds const& limits,
                                   bool outage_open);

}  // namespace svc::alerting
