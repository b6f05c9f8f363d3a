#pragma once

#include "svc/core/deadline.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

namespace svc::access {

/// The PostgreSQL reads that unknown tokens and keys may cost in a second. The addresses share the reads
/// fairly, so that one address that guesses cannot use up those of the others. Worker-local; pure: times are
/// parameters.
class read_budget {
 public:
  explicit read_budget(double per_second) : rate_(per_second) {}

  /// An address gets at most its share of the second's budget: the budget divided by the number of addresses
  /// that asked in this or the previous second. The share is at least one read.
  bool allow(std::string_view address, steady::time_point now);

 private:
  void roll(steady::time_point now);

  double rate_;
  steady::time_point second_{};
  double used_ = 0;
  std::size_t asked_before_ = 0;                     ///< addresses of the previous second
  std::unordered_map<std::string, double> used_by_;  ///< at most `max_addresses`
};

}  // namespace svc::access
