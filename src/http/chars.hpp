#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace svc::http::chars {

/// Classes of characters; a byte's classes need one table look-up instead of a chain of comparisons.
enum kind : std::uint8_t {
  token = 1,     ///< tchar, RFC 9110 5.6.2
  visible = 2,   ///< VCHAR: 0x21 to 0x7E
  field = 4,     ///< inside a field value: VCHAR, obs-text, SP, HTAB
  path = 8,      ///< pchar without "%", RFC 3986 3.3
  quoted = 16,   ///< qdtext, RFC 9110 5.6.4
  escaped = 32,  ///< allowed after the backslash of a quoted-pair
  digit = 64,
  host = 128,  ///< unreserved: characters of names and IPv4 addresses
};

namespace detail {

constexpr bool is_in(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

constexpr std::uint8_t classify(unsigned byte) {
  auto const c = static_cast<char>(byte);
  bool const number = byte >= '0' && byte <= '9';
  bool const letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
  bool const vchar = byte > 0x20 && byte < 0x7F;
  bool const text = vchar || byte >= 0x80 || byte == ' ' || byte == '\t';
  unsigned kinds = 0;
  if (number || letter || (vchar && is_in(c, "!#$%&'*+-.^_`|~"))) kinds |= token;
  if (vchar) kinds |= visible;
  if (text) kinds |= field | escaped;
  if (number || letter || (vchar && is_in(c, "-._~!$&'()*+,;=:@"))) kinds |= path;
  if (text && c != '"' && c != '\\') kinds |= quoted;
  if (number) kinds |= digit;
  if (number || letter || (vchar && is_in(c, "-._~"))) kinds |= host;
  return static_cast<std::uint8_t>(kinds);
}

constexpr auto make_table() {
  std::array<std::uint8_t, 256> table{};
  for (unsigned byte = 0; byte < table.size(); ++byte) table[byte] = classify(byte);
  return table;
}

constexpr auto make_hex() {
  std::array<std::int8_t, 256> table{};
  table.fill(-1);
  for (int i = 0; i < 10; ++i) table[static_cast<std::size_t>('0' + i)] = static_cast<std::int8_t>(i);
  for (int i = 0; i < 6; ++i) {
    table[static_cast<std::size_t>('a' + i)] = static_cast<std::int8_t>(10 + i);
    table[static_cast<std::size_t>('A' + i)] = static_cast<std::int8_t>(10 + i);
  }
  return table;
}

inline constexpr auto table = make_table();
inline constexpr auto hex = make_hex();

}  // namespace detail

constexpr bool is_kind(kind k, char c) {
  return (detail::table[static_cast<unsigned char>(c)] & k) != 0;
}

constexpr bool all(kind k, std::string_view text) {
  for (char const c : text) {
    if (!is_kind(k, c)) return false;
  }
  return true;
}

/// Returns 0 to 15, or -1.
constexpr int hex_value(char c) {
  return detail::hex[static_cast<unsigned char>(c)];
}

constexpr bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

}  // namespace svc::http::chars
