#pragma once

#include "svc/core/deadline.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/core/time.hpp"

#include <optional>

namespace svc::access {

/// PostgreSQL's clock, kept by our steady one between reads; ages and expiry are judged by it, so that the
/// wall clocks of instances decide nothing. Worker-local.
class database_clock {
 public:
  /// `at` is the time a statement saw that was sent at `sent`. The estimate runs ahead of the truth by the
  /// statement's way there at most: records look older than they are, never younger.
  void learn(timestamp at, steady::time_point sent) { offset_ = at.micros - micros_of(sent); }

  /// Nothing before the first read.
  std::optional<timestamp> now() const { return at(steady::now()); }
  std::optional<timestamp> at(steady::time_point when) const {
    if (!offset_) return std::nullopt;
#ifdef SVC_FAILPOINTS
    return timestamp{micros_of(when) + *offset_} + failpoint::clock_offset();
#else
    return timestamp{micros_of(when) + *offset_};
#endif
  }

 private:
  static std::int64_t micros_of(steady::time_point t) {
    return std::chrono::duration_cast<microseconds>(t.time_since_epoch()).count();
  }

  std::optional<std::int64_t> offset_;
};

}  // namespace svc::access
