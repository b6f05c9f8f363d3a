#pragma once

#include "svc/core/account_owner.hpp"

#include <algorithm>
#include <chrono>

namespace svc {

using steady = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

/// The moment after which nobody waits for an answer any more, and the tenant whose work it bounds. Without a tenant
/// the work is the service's own, or is shared by several tenants. Travels with the request by value.
class deadline {
 public:
  explicit deadline(steady::time_point time, account_owner const& owner = {}) : time_(time), owner_(owner) {}
  static deadline after(steady::duration d) { return deadline(steady::now() + d); }

  steady::time_point at() const { return time_; }
  bool passed() const { return steady::now() >= time_; }
  account_owner const& owner() const { return owner_; }

  /// Returns the earlier of this deadline and `d` from now: a command's own limit inside a request's.
  deadline within(steady::duration d) const { return deadline(std::min(time_, steady::now() + d), owner_); }
  /// Returns the same moment for work that is charged to `owner`.
  deadline charged_to(account_owner const& owner) const { return deadline(time_, owner); }

 private:
  steady::time_point time_;
  account_owner owner_;
};

}  // namespace svc
