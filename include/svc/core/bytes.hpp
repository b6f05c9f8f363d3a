#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace svc {

using byte_view = std::span<std::uint8_t const>;
using byte_vector = std::vector<std::uint8_t>;

inline byte_view as_bytes(std::string_view s) {
  return {reinterpret_cast<std::uint8_t const*>(s.data()), s.size()};
}
inline std::string_view as_text(byte_view b) {
  return {reinterpret_cast<char const*>(b.data()), b.size()};
}

/// Returns lower-case hexadecimal.
std::string to_hex(byte_view bytes);
/// Accepts only lower case (with `upper`, both). Returns `std::nullopt` for an odd length or a foreign
/// character.
std::optional<byte_vector> from_hex(std::string_view text, bool upper = false);

/// Encodes by RFC 4648 section 5, without padding.
std::string to_base64url(byte_view bytes);
/// Refuses padding, foreign characters and set bits after the last whole byte.
std::optional<byte_vector> from_base64url(std::string_view text);

/// Encodes by RFC 4648 section 4, with padding.
std::string to_base64(byte_view bytes);
/// Refuses wrong padding, foreign characters and set bits after the last whole byte.
std::optional<byte_vector> from_base64(std::string_view text);

}  // namespace svc
