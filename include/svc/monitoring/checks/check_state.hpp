#pragma once

#include "svc/core/deadline.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace svc::checks {

/// The state of an instance's checks that its threads share. Thread-safe, because its values are atomic.
struct check_state {
  explicit check_state(int workers) : overdue_ms(static_cast<std::size_t>(workers)) {}

  /// Delay of the most overdue check of each check worker.
  std::vector<std::atomic<std::int64_t>> overdue_ms;
  /// Delay of the most overdue check of the whole service, as far as this instance knows.
  std::atomic<std::int64_t> lag_seconds{0};
  /// True if any instance runs checks.
  std::atomic<bool> anybody{false};
  /// True if the last failure here was caused by this location itself.
  std::atomic<bool> impaired{false};
};

}  // namespace svc::checks
