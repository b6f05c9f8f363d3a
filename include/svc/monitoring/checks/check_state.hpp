#pragma once

#include "svc/core/deadline.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace svc::checks {

/// What the threads of an instance know of its checks. Any thread; its values are atomic.
struct check_state {
  explicit check_state(int workers) : overdue_ms(static_cast<std::size_t>(workers)) {}

  /// How long the most overdue check of each check worker waits.
  std::vector<std::atomic<std::int64_t>> overdue_ms;
  /// How long the most overdue check of the whole service waits, as far as this instance can know.
  std::atomic<std::int64_t> lag_seconds{0};
  /// Whether anybody checks.
  std::atomic<bool> anybody{false};
  /// Whether the last failure here was found to be this place's own.
  std::atomic<bool> impaired{false};
};

}  // namespace svc::checks
