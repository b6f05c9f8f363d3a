#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace svc::http {

/// Returns the value of a number in JSON's grammar: an int64 if it is exactly one (in any spelling; `-0` is
/// 0), otherwise the nearest double. Returns `std::nullopt` beyond a double's range. A number that is too
/// small for a double is 0.0.
std::optional<std::variant<std::int64_t, double>> number_value(std::string_view literal);

/// The token at the start of a text: a number, or an escape of a string. Pure; only the caller knows whether
/// the text ends there or was split.
struct json_token {
  std::size_t size = 0;          ///< bytes, if it is whole
  char const* reason = nullptr;  ///< the fault; null: none
  std::size_t wrong_at = 0;      ///< offset of the fault
  bool cut = false;              ///< the scan used all bytes, so more bytes could change the result
};

/// Scans a number of JSON's grammar (RFC 8259 section 6).
json_token scan_number(std::string_view text);

/// The UTF-8 of one escape.
struct json_escape {
  json_token token{};
  std::array<char, 4> bytes{};
  std::size_t size = 0;
  std::string_view text() const { return {bytes.data(), size}; }
};

/// Reads one escape, which begins with a backslash; two halves of a surrogate pair are one escape. A fault is
/// always reported at the start of the escape.
json_escape scan_escape(std::string_view text);

}  // namespace svc::http
