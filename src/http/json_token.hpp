#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace svc::http {

/// The value of a number in JSON's grammar: an int64 when it is exactly one (in any spelling; `-0` is 0), else the
/// nearest double; nothing when it is beyond a double's range. What is too small for a double is 0.0.
std::optional<std::variant<std::int64_t, double>> number_value(std::string_view literal);

/// The token that a text begins with: a number, or an escape of a string. Pure; only the caller knows whether the
/// text ends there or was split.
struct json_token {
  std::size_t size = 0;          ///< bytes, when it is whole
  char const* reason = nullptr;  ///< what is wrong; null: nothing
  std::size_t wrong_at = 0;      ///< where that is
  bool cut = false;              ///< every byte was looked at: more of them could change the answer
};

/// A number of JSON's grammar (RFC 8259 section 6).
json_token scan_number(std::string_view text);

/// The UTF-8 of one escape.
struct json_escape {
  json_token token{};
  std::array<char, 4> bytes{};
  std::size_t size = 0;
  std::string_view text() const { return {bytes.data(), size}; }
};

/// Reads one escape, which begins with a backslash; two halves of a surrogate pair are one escape. A fault is always
/// reported at its beginning.
json_escape scan_escape(std::string_view text);

}  // namespace svc::http
