#include "svc/http/json.hpp"

#include "http/chars.hpp"
#include "http/json_number.hpp"
#include "svc/core/utf8.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace svc::http {
namespace {

namespace json = boost::json;

/// Characters that stand for themselves in a string and need no look: ASCII but quote, backslash, controls.
constexpr bool is_plain(char c) {
  auto const byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

/// Recursive descent over the whole text. A member returns false (or nothing) once `fail` was called; the depth limit
/// bounds the stack.
class json_parser {
 public:
  explicit json_parser(std::string_view text) : text_(text) {}

  result<json::value> parse() {
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") return fail("A byte order mark is not accepted"), failure();
    json::value root;
    if (!parse_value(root, 1)) return failure();
    skip_space();
    if (at_ < text_.size()) return fail("Unexpected text behind the JSON value"), failure();
    return root;
  }

 private:
  bool parse_value(json::value& out, std::size_t depth);
  bool parse_array(json::value& out, std::size_t depth);
  bool parse_object(json::value& out, std::size_t depth);
  bool parse_member(json::object& object, std::size_t depth);
  bool parse_literal(std::string_view literal);
  bool parse_number(json::value& out);
  bool parse_string(std::string& out);
  bool parse_escape(std::string& out);
  bool parse_unicode_escape(std::string& out);
  std::optional<std::uint32_t> parse_hex4();
  bool skip_digits();

  void skip_space() {
    while (at_ < text_.size() && (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t')) ++at_;
  }
  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool fail(char const* what) { return fail_at(at_, what); }
  bool fail_at(std::size_t where, char const* what) {
    what_ = what;
    at_ = where;
    return false;
  }
  error failure() const;

  std::string_view text_;
  std::size_t at_ = 0;
  char const* what_ = "";
};

error json_parser::failure() const {
  std::size_t line = 1, column = 1;
  for (std::size_t i = 0; i < at_; ++i) {
    bool const new_line = text_[i] == '\n';
    bool const continues = (static_cast<unsigned char>(text_[i]) & 0xC0U) == 0x80U;
    line += new_line ? 1 : 0;
    column = new_line ? 1 : column + (continues ? 0 : 1);
  }
  return {errc::malformed_json, "The body is not acceptable JSON: " + std::string(what_) + " at line " +
                                    std::to_string(line) + ", column " + std::to_string(column) + " (offset " +
                                    std::to_string(at_) + ")."};
}

bool json_parser::parse_value(json::value& out, std::size_t depth) {
  skip_space();
  if (at_end()) return fail("A value is missing");
  switch (peek()) {
    case '{':
      return parse_object(out, depth);
    case '[':
      return parse_array(out, depth);
    case '"': {
      std::string text;
      if (!parse_string(text)) return false;
      out.emplace_string() = text;
      return true;
    }
    case 't':
      out = true;
      return parse_literal("true");
    case 'f':
      out = false;
      return parse_literal("false");
    case 'n':
      out = nullptr;
      return parse_literal("null");
    default:
      return parse_number(out);
  }
}

bool json_parser::parse_array(json::value& out, std::size_t depth) {
  if (depth > max_json_depth) return fail("More than 32 levels of nesting");
  ++at_;
  auto& array = out.emplace_array();
  skip_space();
  if (take(']')) return true;
  do {
    if (!parse_value(array.emplace_back(nullptr), depth + 1)) return false;
    skip_space();
  } while (take(','));
  return take(']') || fail("A comma or \"]\" is missing");
}

bool json_parser::parse_object(json::value& out, std::size_t depth) {
  if (depth > max_json_depth) return fail("More than 32 levels of nesting");
  ++at_;
  auto& object = out.emplace_object();
  skip_space();
  if (take('}')) return true;
  do {
    if (!parse_member(object, depth)) return false;
    skip_space();
  } while (take(','));
  return take('}') || fail("A comma or \"}\" is missing");
}

bool json_parser::parse_member(json::object& object, std::size_t depth) {
  skip_space();
  auto const begin = at_;
  if (peek() != '"') return fail("A member name in double quotes is missing");
  std::string name;
  if (!parse_string(name)) return false;
  skip_space();
  if (!take(':')) return fail("A colon is missing");
  if (object.size() == max_json_members) return fail_at(begin, "An object has more than 1000 members");
  // Two readers of a duplicate name take different ones; the value it would get is of no interest.
  auto const [member, is_new] = object.emplace(name, nullptr);
  if (!is_new) return fail_at(begin, "A member name is used twice");
  return parse_value(member->value(), depth + 1);
}

bool json_parser::parse_literal(std::string_view literal) {
  if (text_.substr(at_, literal.size()) != literal) return fail("Not a JSON value");
  at_ += literal.size();
  return true;
}

bool json_parser::skip_digits() {
  auto const begin = at_;
  while (!at_end() && chars::is(chars::digit, peek())) ++at_;
  return at_ > begin;
}

bool json_parser::parse_number(json::value& out) {
  auto const begin = at_;
  take('-');
  if (!take('0') && !skip_digits()) return fail_at(begin, "Not a JSON value");
  if (take('.') && !skip_digits()) return fail("A digit is missing behind the decimal point");
  if (take('e') || take('E')) {
    if (!take('+')) take('-');
    if (!skip_digits()) return fail("A digit is missing in the exponent");
  }
  auto const number = json_number(text_.substr(begin, at_ - begin));
  if (!number) return fail_at(begin, "A number is too large");
  std::visit([&out](auto value) { out = value; }, *number);
  return true;
}

bool json_parser::parse_string(std::string& out) {
  ++at_;
  for (;;) {
    auto const begin = at_;
    while (at_ < text_.size() && is_plain(text_[at_])) ++at_;
    out.append(text_, begin, at_ - begin);
    if (at_end()) return fail("A string has no end");
    char const c = peek();
    if (take('"')) return true;
    if (c == '\\') {
      if (!parse_escape(out)) return false;
      continue;
    }
    if (chars::is_control(c) && c != 0x7F) return fail("A control character must be escaped in a string");
    auto const size = c == 0x7F ? 1 : utf8_sequence(text_.substr(at_));
    if (size == 0) return fail("Invalid UTF-8");
    out.append(text_, at_, size);
    at_ += size;
  }
}

bool json_parser::parse_escape(std::string& out) {
  constexpr std::string_view names = "\"\\/bfnrt";
  constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  auto const begin = at_++;
  if (take('u')) {
    return parse_unicode_escape(out) || fail_at(begin, what_);
  }
  auto const i = at_end() ? std::string_view::npos : names.find(peek());
  if (i == std::string_view::npos) return fail_at(begin, "Unknown escape in a string");
  out.push_back(meanings[i]);
  ++at_;
  return true;
}

std::optional<std::uint32_t> json_parser::parse_hex4() {
  if (text_.size() - at_ < 4) return std::nullopt;
  std::uint32_t unit = 0;
  for (int i = 0; i < 4; ++i) {
    int const digit = chars::hex_value(text_[at_++]);
    if (digit < 0) return std::nullopt;
    unit = unit * 16 + static_cast<std::uint32_t>(digit);
  }
  return unit;
}

void append_utf8(std::string& out, std::uint32_t point) {
  auto const tail = [&out, point](unsigned shift) {
    out.push_back(static_cast<char>(0x80U | ((point >> shift) & 0x3FU)));
  };
  if (point < 0x80) {
    out.push_back(static_cast<char>(point));
  } else if (point < 0x800) {
    out.push_back(static_cast<char>(0xC0U | (point >> 6U)));
    tail(0);
  } else if (point < 0x10000) {
    out.push_back(static_cast<char>(0xE0U | (point >> 12U)));
    tail(6), tail(0);
  } else {
    out.push_back(static_cast<char>(0xF0U | (point >> 18U)));
    tail(12), tail(6), tail(0);
  }
}

bool json_parser::parse_unicode_escape(std::string& out) {
  auto unit = parse_hex4();
  if (!unit) return fail("Four hexadecimal digits are missing behind \\u");
  if (*unit == 0) return fail("U+0000 is not accepted");
  if (*unit >= 0xD800 && *unit < 0xE000) {
    bool const first_half = *unit < 0xDC00;
    auto const second = first_half && take('\\') && take('u') ? parse_hex4() : std::nullopt;
    if (!second || *second < 0xDC00 || *second > 0xDFFF) return fail("Half of a surrogate pair");
    unit = 0x10000 + ((*unit - 0xD800) << 10U) + (*second - 0xDC00);
  }
  append_utf8(out, *unit);
  return true;
}

}  // namespace

result<json::value> parse_json(std::string_view text) {
  return json_parser(text).parse();
}

}  // namespace svc::http
