#include "http/json_token.hpp"

#include "http/chars.hpp"

#include <cstdint>
#include <optional>

namespace svc::http {
namespace {

/// Characters of a text, one after the other.
struct cursor {
  std::string_view text;
  std::size_t at = 0;

  bool at_end() const { return at >= text.size(); }
  bool take(char c) {
    if (at_end() || text[at] != c) return false;
    ++at;
    return true;
  }
  bool digits() {
    auto const begin = at;
    while (!at_end() && chars::is(chars::digit, text[at])) ++at;
    return at > begin;
  }
  std::optional<std::uint32_t> hex4() {
    std::uint32_t unit = 0;
    for (int i = 0; i < 4; ++i) {
      int const digit = at_end() ? -1 : chars::hex_value(text[at]);
      if (digit < 0) return std::nullopt;
      ++at;
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

/// What is wrong, or null.
char const* read_unicode(cursor& c, json_escape& out) {
  auto point = c.hex4();
  if (!point) return "Four hexadecimal digits are missing behind \\u";
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

json_token scan_number(std::string_view text) {
  cursor c{text};
  auto const wrong = [&c](std::size_t where, char const* why) {
    return json_token{.why = why, .wrong_at = where, .cut = c.at_end()};
  };
  c.take('-');
  if (!c.take('0') && !c.digits()) return wrong(0, "Not a JSON value");
  if (c.take('.') && !c.digits()) return wrong(c.at, "A digit is missing behind the decimal point");
  if (c.take('e') || c.take('E')) {
    if (!c.take('+')) c.take('-');
    if (!c.digits()) return wrong(c.at, "A digit is missing in the exponent");
  }
  return {.size = c.at, .cut = c.at_end()};
}

json_escape scan_escape(std::string_view text) {
  constexpr std::string_view names = "\"\\/bfnrt";
  constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  json_escape out;
  cursor c{text, 1};
  if (c.take('u')) {
    out.token.why = read_unicode(c, out);
  } else if (auto const i = c.at_end() ? names.npos : names.find(text[c.at]); i != names.npos) {
    ++c.at;
    out.bytes[out.size++] = meanings[i];
  } else {
    out.token.why = "Unknown escape in a string";
  }
  out.token.size = c.at;
  out.token.cut = c.at_end();
  return out;
}

}  // namespace svc::http
