#pragma once

#include "svc/core/time.hpp"

#include <chrono>
#include <span>

namespace svc::alerting {

/// An occurrence of a maintenance window that covers a monitor. It contains its start, not its end. A value.
struct quiet_time {
  timestamp starts_at{}, ends_at{};
  bool excludes = true;  ///< its time counts neither as up nor as down

  bool contains(timestamp time) const { return starts_at <= time && time < ends_at; }
  friend bool operator==(quiet_time const&, quiet_time const&) = default;
};

/// Returns true if one of these contains the time.
bool is_quiet(std::span<quiet_time const> all, timestamp time);

/// Returns the part of `length` from `start` on that lies outside the occurrences that exclude their time, in whole
/// seconds (rounded down). The occurrences may be in any order and may overlap.
std::chrono::seconds length_outside(std::span<quiet_time const> all, timestamp start, std::chrono::seconds length);

}  // namespace svc::alerting
