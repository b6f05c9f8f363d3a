#pragma once

#include "svc/core/deadline.hpp"

#include <algorithm>

namespace svc::runner {

/// How long to wait before attempt after attempt: doubling from 100 ms to 5 s, each anywhere in the upper half, so
/// that many runners do not come back at one moment. What the service asked for (`Retry-After`) is the least. A
/// value.
class backoff {
 public:
  /// `fraction`: random, in [0, 1).
  milliseconds next(double fraction, milliseconds asked = milliseconds(0)) {
    auto const whole = step_;
    step_ = std::min(milliseconds(5000), step_ * 2);
    auto const half = whole / 2;
    return std::max(asked,
                    half + milliseconds(static_cast<std::int64_t>(fraction * static_cast<double>(half.count()))));
  }
  void reset() { step_ = first; }

 private:
  static constexpr milliseconds first{100};
  milliseconds step_ = first;
};

}  // namespace svc::runner
