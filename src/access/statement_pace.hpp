#pragma once

#include "svc/core/deadline.hpp"

#include <algorithm>

namespace svc::access {

/// A token bucket of one second: so many statements a second, and as many at once after a quiet second, at least one.
/// Worker-local; pure but for the given times.
class statement_pace {
 public:
  explicit statement_pace(double per_second) : rate_(per_second), most_(std::max(1.0, per_second)), left_(most_) {}

  /// Takes a place and says zero, or says how long until there is one.
  steady::duration take(steady::time_point now) {
    left_ = std::min(most_, left_ + std::chrono::duration<double>(now - at_).count() * rate_);
    at_ = now;
    if (left_ >= 1) {
      left_ -= 1;
      return {};
    }
    std::chrono::duration<double> const missing((1 - left_) / rate_);
    // Rounded up: a timer that ends too early would be asked for again and again.
    return std::chrono::duration_cast<steady::duration>(missing) + std::chrono::microseconds(1);
  }

 private:
  double rate_, most_, left_;
  steady::time_point at_{};
};

}  // namespace svc::access
