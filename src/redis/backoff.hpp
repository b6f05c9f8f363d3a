#pragma once

#include "svc/core/deadline.hpp"

namespace svc::redis {

inline constexpr milliseconds first_backoff{50};
/// Short, because answers about changes wait until Redis can be told: auth/epoch_publisher.hpp.
inline constexpr milliseconds longest_backoff{500};

/// The pause before connection attempt `failures` + 1: doubles from `first_backoff` to `longest_backoff`; the jitter
/// (`fraction` in [0, 1)) takes up to half of it away, so that instances do not come back in step.
constexpr milliseconds backoff_delay(unsigned failures, double fraction) {
  milliseconds full = longest_backoff;
  if (failures < 4) full = std::min(longest_backoff, first_backoff * (1U << failures));
  auto const cut = static_cast<milliseconds::rep>(static_cast<double>(full.count()) * fraction / 2);
  return full - milliseconds(cut);
}

}  // namespace svc::redis
