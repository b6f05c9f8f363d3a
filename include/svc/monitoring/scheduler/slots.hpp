#pragma once

#include "svc/core/bytes.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/uuid.hpp"

#include <chrono>
#include <cstdint>
#include <string>

// When checks are due. Times are the database's, in milliseconds since 1970.

namespace svc::scheduler {

using std::chrono::milliseconds;

/// Which part of all monitors it belongs to; the database computes the same (`monitors.shard`).
constexpr std::int64_t shard_of(uuid const& monitor) {
  return monitor.bytes[15] & 63;
}

/// When, in each interval, a monitor is due at a location: spread evenly over the interval, and the same after any
/// restart.
inline milliseconds phase_of(uuid const& monitor, uuid const& location, milliseconds interval) {
  std::string key(as_text(monitor.bytes));
  key += as_text(location.bytes);
  return milliseconds(crc32(key) % interval.count());
}

/// The newest time `phase` + k * `interval` that is not after `now`.
constexpr std::int64_t slot_at(milliseconds phase, milliseconds interval, std::int64_t now) {
  return now - (now - phase.count()) % interval.count();
}

/// How long a check that was due before its holder came waits, so that not all of them start at once.
inline constexpr milliseconds catch_up{5000};

}  // namespace svc::scheduler
