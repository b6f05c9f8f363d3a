#include "http/json_token.hpp"

#include "http/chars.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace svc::http {
namespace {

/// A decimal number: sign, significant digits without leading and trailing zeros, and the power of ten of the last
/// digit.
struct decimal {
  bool negative = false;
  std::string digits{};
  std::int64_t exponent = 0;
};

/// Bound far beyond every double and every literal that fits into a body, so that sums cannot overflow.
constexpr std::int64_t exponent_bound = 1'000'000'000'000;

std::int64_t read_exponent(std::string_view text) {
  bool const negative = text.front() == '-';
  if (negative || text.front() == '+') text.remove_prefix(1);
  std::int64_t value = 0;
  for (char const c : text) value = std::min(value * 10 + (c - '0'), exponent_bound);
  return negative ? -value : value;
}

decimal read(std::string_view literal) {
  decimal out;
  if (literal.front() == '-') {
    out.negative = true;
    literal.remove_prefix(1);
  }
  if (auto const e = literal.find_first_of("eE"); e != std::string_view::npos) {
    out.exponent = read_exponent(literal.substr(e + 1));
    literal = literal.substr(0, e);
  }
  auto const point = literal.find('.');
  out.digits = literal.substr(0, point);
  if (point != std::string_view::npos) {
    auto const fraction = literal.substr(point + 1);
    out.digits += fraction;
    out.exponent -= static_cast<std::int64_t>(fraction.size());
  }
  auto const last = out.digits.find_last_not_of('0');
  auto const kept = last == std::string::npos ? 0 : last + 1;
  out.exponent += static_cast<std::int64_t>(out.digits.size() - kept);
  out.digits.resize(kept);
  out.digits.erase(0, out.digits.find_first_not_of('0'));
  return out;
}

std::optional<std::int64_t> as_integer(decimal d) {
  if (d.digits.empty()) return 0;
  if (d.exponent < 0 || d.exponent > 18) return std::nullopt;
  d.digits.append(static_cast<std::size_t>(d.exponent), '0');
  if (d.negative) d.digits.insert(d.digits.begin(), '-');
  std::int64_t value = 0;
  auto const* const end = d.digits.data() + d.digits.size();
  auto const parsed = std::from_chars(d.digits.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return value;
}

/// Reads the characters of a text one after the other.
struct cursor {
  std::string_view text;
  std::size_t offset = 0;

  bool at_end() const { return offset >= text.size(); }
  bool take(char c) {
    if (at_end() || text[offset] != c) return false;
    ++offset;
    return true;
  }
  bool digits() {
    auto const begin = offset;
    while (!at_end() && chars::is_kind(chars::digit, text[offset])) ++offset;
    return offset > begin;
  }
  std::optional<std::uint32_t> hex4() {
    std::uint32_t unit = 0;
    for (int i = 0; i < 4; ++i) {
      int const digit = at_end() ? -1 : chars::hex_value(text[offset]);
      if (digit < 0) return std::nullopt;
      ++offset;
      unit = unit * 16 + static_cast<std::uint32_t>(digit);
    }
    return unit;
  }
};

void write_utf8(json_escape& out, std::uint32_t point) {
  auto const put = [&out](std::uint32_t byte) { out.bytes[out.size++] = static_cast<char>(byte); };
  auto const tail = [&put, point](unsigned shift) { put(0x80U | ((point >> shift) & 0x3FU)); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xC0U | (point >> 6U));
    tail(0);
  } else if (point < 0x10000) {
    put(0xE0U | (point >> 12U));
    tail(6), tail(0);
  } else {
    put(0xF0U | (point >> 18U));
    tail(12), tail(6), tail(0);
  }
}

/// Returns the fault, or null.
char const* read_unicode(cursor& c, json_escape& out) {
  auto point = c.hex4();
  if (!point) return "Four hexadecimal digits are missing after \\u";
  if (*point == 0) return "U+0000 is not accepted";
  if (*point >= 0xD800 && *point < 0xE000) {
    bool const first_half = *point < 0xDC00;
    auto const second = first_half && c.take('\\') && c.take('u') ? c.hex4() : std::nullopt;
    if (!second || *second < 0xDC00 || *second > 0xDFFF) return "Half of a surrogate pair";
    point = 0x10000 + ((*point - 0xD800) << 10U) + (*second - 0xDC00);
  }
  write_utf8(out, *point);
  return nullptr;
}

}  // namespace

std::optional<std::variant<std::int64_t, double>> number_value(std::string_view literal) {
  auto const* const end = literal.data() + literal.size();
  std::int64_t integer = 0;  // the usual spelling, which needs no parsing of the literal
  if (auto const parsed = std::from_chars(literal.data(), end, integer);
      parsed.ec == std::errc() && parsed.ptr == end) {
    return integer;
  }
  auto d = read(literal);
  auto const magnitude = static_cast<std::int64_t>(d.digits.size()) + d.exponent;
  if (auto const exact = as_integer(std::move(d))) return *exact;
  double value = 0;
  auto const parsed = std::from_chars(literal.data(), end, value);
  if (parsed.ec == std::errc() && std::isfinite(value)) return value;
  // The standard library reports "out of range" both for too large and too small numbers.
  if (magnitude > 0) return std::nullopt;
  return 0.0;
}

json_token scan_number(std::string_view text) {
  cursor c{text};
  auto const wrong = [&c](std::size_t where, char const* reason) {
    return json_token{.reason = reason, .wrong_at = where, .cut = c.at_end()};
  };
  c.take('-');
  if (!c.take('0') && !c.digits()) return wrong(0, "Not a JSON value");
  if (c.take('.') && !c.digits()) return wrong(c.offset, "A digit is missing after the decimal point");
  if (c.take('e') || c.take('E')) {
    if (!c.take('+')) c.take('-');
    if (!c.digits()) return wrong(c.offset, "A digit is missing in the exponent");
  }
  return {.size = c.offset, .cut = c.at_end()};
}

json_escape scan_escape(std::string_view text) {
  constexpr std::string_view names = "\"\\/bfnrt";
  constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  json_escape out;
  cursor c{text, 1};
  if (c.take('u')) {
    out.token.reason = read_unicode(c, out);
  } else if (auto const i = c.at_end() ? names.npos : names.find(text[c.offset]); i != names.npos) {
    ++c.offset;
    out.bytes[out.size++] = meanings[i];
  } else {
    out.token.reason = "Unknown escape in a string";
  }
  out.token.size = c.offset;
  out.token.cut = c.at_end();
  return out;
}

}  // namespace svc::http
