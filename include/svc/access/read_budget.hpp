#pragma once

#include "svc/core/deadline.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

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

/// How many PostgreSQL reads a second unknown runner tokens may cost, shared fairly by address, so that one that
/// guesses cannot use up what the others need. Worker-local; pure but for the given times.
class read_budget {
 public:
  explicit read_budget(double per_second) : rate_(per_second) {}

  /// An address gets at most its share of the second's budget: the budget over the addresses that asked in this
  /// or the last second, at least one read.
  bool allow(std::string_view address, steady::time_point now);

 private:
  void roll(steady::time_point now);

  double rate_;
  steady::time_point second_{};
  double used_ = 0;
  std::size_t asked_before_ = 0;                     ///< addresses of the last second
  std::unordered_map<std::string, double> used_by_;  ///< at most `max_addresses`
};

}  // namespace svc::access
