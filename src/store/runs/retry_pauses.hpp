#pragma once

#include "svc/core/deadline.hpp"

namespace svc::store {

/// Between two attempts at what another transaction holds: a key, a run. Doubled up to the longest.
constexpr milliseconds first_pause{5}, longest_pause{50};
/// For the last attempt: one that the deadline cuts off could only be answered with 503.
constexpr milliseconds attempt_patience{200};

}  // namespace svc::store
