#pragma once

#include "svc/core/deadline.hpp"
#include "svc/domain/monitoring/checks/result.hpp"
#include "svc/monitoring/checks/config.hpp"

#include <optional>

namespace svc::checks {

/// The attempts of one check: whether there is another, and which of them is the result. Pure.
class attempts {
 public:
  explicit attempts(retry_strategy const& how) : left_(how.most), delay_(how.delay), backoff_(how.backoff) {}

  /// Notes how an attempt ended.
  void add(checks::result_of_check one);
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

}  // namespace svc::checks
