#pragma once

#include "svc/core/deadline.hpp"

#include <algorithm>

namespace svc {

/// Computes the wait before the next attempt: it doubles from `first` to `longest`. Jitter puts each pause anywhere
/// in its upper half, so that many clients that lost the same peer do not return at the same moment. Pure: the caller
/// passes the random number. A value.
class backoff {
 public:
  constexpr backoff(milliseconds first, milliseconds longest) : first_(first), longest_(longest), next_(first) {}

  /// `fraction` is random, in [0, 1).
  constexpr milliseconds next(double fraction) {
    auto const whole = static_cast<double>(next_.count());
    next_ = std::min(next_ * 2, longest_);
    return milliseconds(static_cast<milliseconds::rep>(whole * (0.5 + fraction / 2)));
  }
  /// Starts again at the first pause, after a success.
  constexpr void reset() { next_ = first_; }

 private:
  milliseconds first_, longest_, next_;
};

}  // namespace svc
