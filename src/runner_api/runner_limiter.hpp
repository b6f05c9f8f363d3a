#pragma once

#include "svc/access/admission.hpp"
#include "svc/access/fallback.hpp"
#include "svc/access/local_window.hpp"
#include "svc/core/database_clock.hpp"
#include "svc/core/metrics.hpp"
#include "svc/domain/limit.hpp"
#include "svc/runner_api/runner_slots.hpp"

#include <array>

namespace svc::runner_api {

/// Counts requests on the windows of their runner token, over all instances: each on class `runner`, claims and
/// registrations on class `claim` too. Worker-local; its dependencies outlive it.
class runner_limiter {
 public:
  struct parts {
    access::admission& shared;
    access::fallback& fallback;
    database_clock const& clock;
    limit_table const& table;  ///< may change between two requests
  };

  runner_limiter(parts uses, metrics& counters);

  /// Uses only this instance's share of the limit if Redis is lost.
  task<limit_decision> count(uuid token, runner_work work, deadline until);

 private:
  access::admission_request question(uuid token, runner_work work) const;
  std::optional<limit_decision> known_denial(access::admission_request const& asked, steady::time_point now);

  parts uses_;
  access::denials denials_{};
  std::array<std::array<counter, 4>, 2> decisions_{};  ///< by work and verdict
};

}  // namespace svc::runner_api
