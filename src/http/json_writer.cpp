#include "svc/core/utf8.hpp"
#include "svc/http/json.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

namespace svc::http {
namespace {

namespace json = boost::json;

template <class Number>
void append_number(std::string& out, Number number) {
  std::array<char, 32> text;  // NOLINT: written before it is read; the longest double has 24 characters
  auto const end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  out.append(text.data(), end);
}

void append_escaped(std::string& out, char c) {
  constexpr std::string_view hex = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      out.push_back(hex[static_cast<unsigned char>(c) >> 4U]);
      out.push_back(hex[static_cast<unsigned char>(c) & 0xFU]);
  }
}

constexpr auto make_plain_table() {
  std::array<bool, 256> table{};
  for (unsigned byte = 0x20; byte < 0x7F; ++byte) table[byte] = byte != '"' && byte != '\\';
  return table;
}

/// ASCII that stands for itself: nearly all that is ever written.
constexpr auto plain = make_plain_table();

void append_array(std::string& out, json::array const& array) {
  out.push_back('[');
  for (auto const& element : array) {
    if (&element != array.data()) out.push_back(',');
    append_json(out, element);
  }
  out.push_back(']');
}

void append_object(std::string& out, json::object const& object) {
  out.push_back('{');
  bool first = true;
  for (auto const& member : object) {
    if (!first) out.push_back(',');
    first = false;
    append_json_string(out, member.key());
    out.push_back(':');
    append_json(out, member.value());
  }
  out.push_back('}');
}

void append_canonical(std::string& out, json::value const& value);

void append_sorted(std::string& out, json::object const& object) {
  std::vector<json::key_value_pair const*> members;
  members.reserve(object.size());
  for (auto const& member : object) members.push_back(&member);
  std::ranges::sort(members, {}, [](auto const* m) { return std::string_view(m->key()); });
  char separator = '{';
  for (auto const* member : members) {
    out.push_back(separator);
    separator = ',';
    append_json_string(out, member->key());
    out.push_back(':');
    append_canonical(out, member->value());
  }
  out += members.empty() ? "{}" : "}";
}

void append_canonical(std::string& out, json::value const& value) {
  if (value.is_object()) return append_sorted(out, value.get_object());
  if (!value.is_array()) return append_json(out, value);
  out.push_back('[');
  bool first = true;
  for (auto const& element : value.get_array()) {
    if (!std::exchange(first, false)) out.push_back(',');
    append_canonical(out, element);
  }
  out.push_back(']');
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  // Reserves for a large text at once, instead of doubling the memory again and again.
  if (text.size() > out.capacity()) out.reserve(out.size() + text.size() + text.size() / 8);
  out.push_back('"');
  append_json_text(out, text);
  out.push_back('"');
}

void append_json_text(std::string& out, std::string_view text) {
  while (!text.empty()) {
    std::size_t run = 0;  // what stands for itself: ASCII but quote, backslash, controls; whole UTF-8 sequences
    for (;;) {
      while (run < text.size() && plain[static_cast<unsigned char>(text[run])]) ++run;
      if (run == text.size() || static_cast<unsigned char>(text[run]) < 0x80) break;
      auto const size = utf8_sequence(text.substr(run));
      if (size == 0) break;
      run += size;
    }
    out.append(text, 0, run);
    text.remove_prefix(run);
    if (text.empty()) break;
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      append_escaped(out, text.front());
    } else {
      out += "\xEF\xBF\xBD";
    }
    text.remove_prefix(1);
  }
}

std::size_t json_text_size(std::string_view text) {
  std::size_t size = text.size();
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    if (plain[byte] || byte > 0x7F) continue;
    size += c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t' ? 1 : 5;
  }
  return size;
}

void append_json(std::string& out, json::value const& value) {
  switch (value.kind()) {
    case json::kind::null:
      out += "null";
      return;
    case json::kind::bool_:
      out += value.get_bool() ? "true" : "false";
      return;
    case json::kind::int64:
      return append_number(out, value.get_int64());
    case json::kind::uint64:
      return append_number(out, value.get_uint64());
    case json::kind::double_:
      // JSON has no infinity; Boost.JSON would write 1e99999, which it does not take back.
      if (!std::isfinite(value.get_double())) {
        out += "null";
        return;
      }
      return append_number(out, value.get_double());
    case json::kind::string:
      return append_json_string(out, value.get_string());
    case json::kind::array:
      return append_array(out, value.get_array());
    case json::kind::object:
      return append_object(out, value.get_object());
  }
}

std::string to_json(json::value const& value) {
  std::string out;
  out.reserve(512);  // most answers; lists grow from there
  append_json(out, value);
  return out;
}

std::string canonical_json(boost::json::value const& value) {
  std::string out;
  append_canonical(out, value);
  return out;
}

}  // namespace svc::http
