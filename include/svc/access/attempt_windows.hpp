#pragma once

#include "svc/access/admission.hpp"
#include "svc/access/fallback.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/time.hpp"
#include "svc/domain/limit.hpp"

#include <functional>
#include <string>

namespace svc::access {

/// Counts attempts whose subject only a handler knows, after the gate has admitted the request: sign-ins at an
/// account, recoveries, invitations. The windows are exact over all instances as those of the gate are, and an
/// instance counts its share while Redis is lost. Worker-local, as its parts are; these outlive it.
class attempt_windows {
 public:
  /// `table` may change between two attempts. `now` returns the time that the headers count from without Redis.
  attempt_windows(admission& redis, fallback& local, limit_table const& table, std::function<timestamp()> now)
      : redis_(redis), local_(local), table_(table), now_(std::move(now)) {}

  /// Counts one attempt of the subject in its window of this class. If the result is not `admitted`, nothing was
  /// counted, and `retry_micros` is the time of the next free slot.
  task<limit_decision> count(rate_class which, std::string subject, deadline until);

 private:
  admission& redis_;
  fallback& local_;
  limit_table const& table_;
  std::function<timestamp()> now_;
};

}  // namespace svc::access
