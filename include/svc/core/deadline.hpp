#pragma once

#include <algorithm>
#include <chrono>

namespace svc {

using steady = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

/// The moment after which nobody waits for an answer any more. Travels with the request by value.
class deadline {
 public:
  explicit deadline(steady::time_point at) : at_(at) {}
  static deadline after(steady::duration d) { return deadline(steady::now() + d); }

  steady::time_point at() const { return at_; }
  bool passed() const { return steady::now() >= at_; }

  /// The earlier of this and `d` from now: a command's own limit inside a request's.
  deadline within(steady::duration d) const { return deadline(std::min(at_, steady::now() + d)); }

 private:
  steady::time_point at_;
};

}  // namespace svc
