#pragma once

#include "model/monitors/state.hpp"
#include "svc/domain/monitoring/alerting/decide.hpp"

#include <cstdint>
#include <optional>

// Conversions between the bytes of a state and the values of the real code.

namespace svc::model::monitors {

constexpr timestamp moment(int tick) {
  return {std::int64_t{tick} * tick_seconds * 1'000'000};
}

inline std::optional<timestamp> maybe_moment(u8 tick_after) {
  return tick_after == 0 ? std::nullopt : std::optional(moment(tick_after - 1));
}

inline u8 tick_after(timestamp time) {
  return static_cast<u8>(time.micros / (std::int64_t{tick_seconds} * 1'000'000) + 1);
}

inline u8 tick_after(std::optional<timestamp> time) {
  return time ? tick_after(*time) : u8{0};
}

inline uuid as_id(u8 number) {
  uuid out;
  out.bytes[15] = number;
  return out;
}

/// The id of the parent; those of its outages follow.
inline constexpr u8 parent_id = 100;

inline u8 number_of(uuid const& id) {
  return id.bytes[15];
}

constexpr u8 suppressed_by(std::optional<alerting::suppression> s) {
  return s ? static_cast<u8>(static_cast<u8>(*s) + 1) : u8{0};
}

}  // namespace svc::model::monitors
