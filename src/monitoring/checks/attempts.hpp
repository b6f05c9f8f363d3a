#pragma once

#include "svc/core/deadline.hpp"
#include "svc/domain/monitoring/checks/result.hpp"
#include "svc/monitoring/checks/config.hpp"

#include <optional>
#include <utility>

namespace svc::checks {

/// The attempts of one check. Decides if another attempt follows, and which one gives the result. Pure.
class attempts {
 public:
  explicit attempts(retry_strategy const& strategy)
      : left_(strategy.most), delay_(strategy.delay), backoff_(strategy.backoff) {}

  /// Records the end of an attempt.
  void add(result_of_check result);
  unsigned count() const { return count_; }
  /// Returns the delay before the next attempt. Returns `std::nullopt` if none follows: an attempt was good, none is
  /// left, or the first was inconclusive.
  std::optional<milliseconds> next();
  /// Returns the good attempt, if there is one. Otherwise returns the last attempt that counts against the target, if
  /// there are two of them or it was the only attempt. Otherwise returns the last attempt: a failure does not count
  /// if our own fault prevented its confirmation.
  result_of_check result() const;

 private:
  unsigned left_;
  milliseconds delay_;
  unsigned backoff_;
  unsigned count_ = 0, bad_ = 0;
  std::optional<result_of_check> last_, last_bad_;
};

inline void attempts::add(result_of_check result) {
  ++count_;
  if (conclusion_of(result.ended) == conclusion::bad) {
    ++bad_;
    last_bad_ = result;
  }
  last_ = std::move(result);
}

inline std::optional<milliseconds> attempts::next() {
  if (last_->ended == status::up || bad_ == 0 || left_ == 0) return std::nullopt;
  --left_;
  return std::exchange(delay_, delay_ * backoff_);
}

inline result_of_check attempts::result() const {
  if (last_->ended == status::up) return *last_;
  return bad_ > 1 || (bad_ == 1 && count_ == 1) ? *last_bad_ : *last_;
}

}  // namespace svc::checks
