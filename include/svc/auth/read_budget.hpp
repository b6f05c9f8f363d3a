#pragma once

#include "svc/core/deadline.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace svc::auth {

/// How many PostgreSQL reads a second tokens may cost. Tokens nobody has seen are shared fairly by address, so
/// that one that guesses cannot use up what the others need. Worker-local; pure but for the given times.
class read_budget {
 public:
  read_budget(double unseen_per_second, double seen_per_second)
      : unseen_rate_(unseen_per_second), seen_rate_(seen_per_second), seen_left_(seen_per_second) {}

  bool allow_seen(steady::time_point now);
  /// An address gets at most its share of the second's budget: the budget over the addresses that asked in this
  /// or the last second, at least one read.
  bool allow_unseen(std::string_view address, steady::time_point now);

 private:
  void roll(steady::time_point now);

  double unseen_rate_, seen_rate_;
  double seen_left_;
  steady::time_point seen_at_{};
  steady::time_point second_{};
  double used_ = 0;
  std::size_t asked_before_ = 0;                     ///< addresses of the last second
  std::unordered_map<std::string, double> used_by_;  ///< at most `max_addresses`
};

}  // namespace svc::auth
