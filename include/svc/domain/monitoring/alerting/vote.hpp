#pragma once

#include "svc/core/time.hpp"
#include "svc/domain/monitoring/checks/result.hpp"

#include <cstdint>
#include <optional>

namespace svc::alerting {

/// What a location thinks of a monitor's target. `none`: nothing yet, or nothing any more.
enum class vote : std::uint8_t { none, up, down };

/// Results in a row that change a vote, and so the verdict; 1..100.
struct thresholds {
  std::uint32_t failure = 1, recovery = 1;
};

/// Results that say nothing, in a row, until a location has no vote any more.
inline constexpr std::uint32_t errors_until_none = 3;

/// A result, as far as votes depend on it.
struct observed {
  checks::evidence says = checks::evidence::good;
  bool degraded = false;                     ///< only of a good one
  timestamp began{};                         ///< when its check began
  std::optional<checks::failure> failure{};  ///< of one that is not good
};

/// What is kept of a monitor at a location. Counts are of results in a row: a good one ends the failures and the
/// reverse, either ends the errors; errors end neither, because they say nothing. A value; only `next_vote` makes one
/// of another.
struct location_state {
  vote says = vote::none;
  std::uint32_t fails = 0, oks = 0, errors = 0;
  std::optional<timestamp> failing_since{};  ///< begin of the first failing check of the streak
  std::optional<timestamp> good_since{};     ///< begin of the first good check of the streak
  std::optional<timestamp> evidence_at{};    ///< begin of the newest check that said something
  std::optional<timestamp> seen_at{};        ///< begin of the newest check
  std::optional<checks::failure> failure{};  ///< of the newest failing check
  std::optional<checks::failure> error{};    ///< of the newest one that said nothing
  // Of good results in a row:
  std::uint32_t slow = 0, plain = 0;  ///< degraded ones, and others
  bool degraded = false;  ///< `slow` had reached the failure threshold, and since then `plain` not the other
};

/// The table of votes:
///
///   none   good → up; with an outage open as in the row down      bad → down after `failure`
///   up     stays                                                  bad → down after `failure`
///   down   good → up after `recovery`                             stays
///
/// and from any, three errors in a row → none, with all counts but those of errors forgotten. A failing check ends
/// the streaks of degraded ones; a vote for down is not degraded.
location_state next_vote(location_state state, observed const& now, thresholds const& limits, bool outage_open);

}  // namespace svc::alerting
