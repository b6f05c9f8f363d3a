#pragma once

#include "svc/core/deadline.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace svc::access {

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
