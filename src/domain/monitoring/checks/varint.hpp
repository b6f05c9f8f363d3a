#pragma once

#include "svc/core/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace svc::checks {

/// Appends LEB128: seven bits per byte, the lowest first.
inline void append_varint(byte_vector& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) out.push_back(static_cast<std::uint8_t>(value | 0x80U));
  out.push_back(static_cast<std::uint8_t>(value));
}

/// Takes a varint from the front. Returns `std::nullopt` if it does not end, exceeds 64 bits, or could be
/// shorter, so that each number has one spelling.
inline std::optional<std::uint64_t> take_varint(byte_view& bytes) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < bytes.size() && i < 10; ++i) {
    std::uint64_t const bits = bytes[i] & 0x7FU;
    if (i == 9 && bits > 1) return std::nullopt;
    out |= bits << (7 * i);
    if (bytes[i] < 0x80) {
      if (i > 0 && bits == 0) return std::nullopt;
      bytes = bytes.subspan(i + 1);
      return out;
    }
  }
  return std::nullopt;
}

// Differences are taken and added modulo 2^64, so that no two numbers are too far apart. Small differences of
// either sign become small numbers.
inline std::uint64_t zigzag(std::uint64_t difference) {
  return (difference << 1U) ^ (0 - (difference >> 63U));
}
inline std::uint64_t unzigzag(std::uint64_t value) {
  return (value >> 1U) ^ (0 - (value & 1U));
}

}  // namespace svc::checks
