#pragma once

#include "svc/core/bytes.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/uuid.hpp"

#include <chrono>
#include <cstdint>
#include <string>

// Due times of checks. Times are the database's, in milliseconds since 1970.

namespace svc::scheduler {

using std::chrono::milliseconds;

/// Returns the shard of a monitor; the database computes the same number (`monitors.shard`).
constexpr std::int64_t shard_of(uuid const& monitor) {
  return monitor.bytes[15] & 63;
}

/// Returns the offset within each interval at which a monitor is due at a location. Offsets are spread evenly over
/// the interval, and stay the same after any restart.
inline milliseconds phase_of(uuid const& monitor, uuid const& location, milliseconds interval) {
  std::string key(as_text(monitor.bytes));
  key += as_text(location.bytes);
  return milliseconds(crc32(key) % interval.count());
}

/// Returns the newest time `phase` + k * `interval` that is not after `now`.
constexpr std::int64_t slot_at(milliseconds phase, milliseconds interval, std::int64_t now) {
  return now - (now - phase.count()) % interval.count();
}

/// Time over which a new scheduler spreads overdue checks, so that not all of them start at once.
inline constexpr milliseconds catch_up{5000};

}  // namespace svc::scheduler
