#pragma once

#include "svc/domain/limit.hpp"

#include <cstdint>
#include <string>

namespace svc::access {

/// Whole seconds from `from` until `to`, rounded up; at least `least`.
std::int64_t seconds_until(std::int64_t to_micros, std::int64_t from_micros, std::int64_t least);

/// Unix seconds at which the oldest counted request leaves the window, rounded up.
std::int64_t reset_seconds(limit_decision const& d);

/// The value of `RateLimit-Policy`: `"cli";q=1000;w=60`.
std::string policy_value(limit_decision const& d);

/// The value of `RateLimit`: `"cli";r=999;t=42`.
std::string state_value(limit_decision const& d);

}  // namespace svc::access
