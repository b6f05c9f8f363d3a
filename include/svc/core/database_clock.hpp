#pragma once

#include "svc/core/deadline.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/core/time.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace svc {

/// PostgreSQL's clock, extrapolated with our steady clock between reads. Ages and expiry depend only on it,
/// not on the wall clocks of instances. Worker-local.
class database_clock {
 public:
  /// `time` is the database's time as seen by a statement that was sent at `sent`. The estimate is ahead of the true
  /// time by at most the time the statement took to get there: records look older than they are, never younger.
  void learn(timestamp time, steady::time_point sent) { offset_ = time.micros - micros_of(sent); }
  /// Changes the estimate only as far as the statement, answered at `answered`, proves it wrong, so that a slow
  /// statement does not shift it. For callers to whom an estimate that is ahead is no worse than one that is behind.
  void learn(timestamp time, steady::time_point sent, steady::time_point answered) {
    auto const latest = time.micros - micros_of(sent), earliest = time.micros - micros_of(answered);
    offset_ = std::clamp(offset_.value_or(latest), earliest, latest);
  }

  /// Returns `std::nullopt` before the first read.
  std::optional<timestamp> now() const { return at(steady::now()); }
  std::optional<timestamp> at(steady::time_point when) const {
    if (!offset_) return std::nullopt;
    timestamp const now{micros_of(when) + *offset_};
#ifdef SVC_FAILPOINTS
    return timestamp{failpoint::held_clock().value_or(microseconds(now.micros)).count()} + failpoint::clock_offset();
#else
    return now;
#endif
  }

 private:
  static std::int64_t micros_of(steady::time_point t) {
    return std::chrono::duration_cast<microseconds>(t.time_since_epoch()).count();
  }

  std::optional<std::int64_t> offset_;
};

}  // namespace svc
