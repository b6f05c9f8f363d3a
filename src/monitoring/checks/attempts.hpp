#pragma once

#include "svc/core/deadline.hpp"
#include "svc/domain/monitoring/checks/result.hpp"
#include "svc/monitoring/checks/config.hpp"

#include <optional>
#include <utility>

namespace svc::checks {

/// The attempts of one check: whether there is another, and which of them is the result. Pure.
class attempts {
 public:
  explicit attempts(retry_strategy const& strategy)
      : left_(strategy.most), delay_(strategy.delay), backoff_(strategy.backoff) {}

  /// Notes how an attempt ended.
  void add(checks::result_of_check result);
  unsigned count() const { return count_; }
  /// How long to wait before the next attempt; nothing if there is none: one was good, none is left, or the first
  /// said nothing.
  std::optional<milliseconds> next();
  /// The good one; else the last that speaks against the target if there are two of them, or only one attempt; else
  /// the last: a failure that our own fault kept from being tried again is none.
  checks::result_of_check result() const;

 private:
  unsigned left_;
  milliseconds delay_;
  unsigned backoff_;
  unsigned count_ = 0, bad_ = 0;
  std::optional<checks::result_of_check> last_, last_bad_;
};

inline void attempts::add(checks::result_of_check result) {
  ++count_;
  if (checks::evidence_of(result.ended) == checks::evidence::bad) {
    ++bad_;
    last_bad_ = result;
  }
  last_ = std::move(result);
}

inline std::optional<milliseconds> attempts::next() {
  if (last_->ended == checks::status::up || bad_ == 0 || left_ == 0) return std::nullopt;
  --left_;
  return std::exchange(delay_, delay_ * backoff_);
}

inline checks::result_of_check attempts::result() const {
  if (last_->ended == checks::status::up) return *last_;
  return bad_ > 1 || (bad_ == 1 && count_ == 1) ? *last_bad_ : *last_;
}

}  // namespace svc::checks
