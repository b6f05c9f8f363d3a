#pragma once

#include "svc/access/local_window.hpp"
#include "svc/access/read_budget.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/time.hpp"
#include "svc/domain/limit.hpp"

#include <string>
#include <string_view>

namespace svc::public_pages {

/// The windows of visitors that a worker counts alone, because pages are served without any store. Worker-local;
/// pure: times are parameters.
class visitor_windows {
 public:
  /// The number of unknown names that a worker looks up in a second, over all addresses.
  static constexpr double lookups_per_second = 200;

  explicit visitor_windows(limit_table const& limits) : limits_(limits) {}

  /// Counts a request for a page.
  limit_decision count(std::string const& subject, steady::time_point now, timestamp wall) {
    pages_.change(limits_.page);
    return pages_.count(subject, now, wall.micros);
  }
  /// Counts a request for something that may not exist.
  limit_decision count_miss(std::string const& subject, steady::time_point now, timestamp wall) {
    misses_.change(limits_.anonymous);
    return misses_.count(subject, now, wall.micros);
  }
  /// Takes the last miss back, because the thing exists.
  void take_back_miss(std::string const& subject) { misses_.take_back(subject); }
  /// Returns true if the address may cause a lookup of an unknown name now.
  bool may_look_up(std::string_view subject, steady::time_point now) { return lookups_.allow(subject, now); }

 private:
  limit_table const& limits_;
  access::local_window pages_{rate_class::page, {}}, misses_{rate_class::anonymous, {}};
  access::read_budget lookups_{lookups_per_second};
};

}  // namespace svc::public_pages
