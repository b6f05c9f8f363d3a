#include "svc/http/json_text.hpp"

#include <algorithm>

namespace svc::http {
namespace {

/// Returns false if the text has bytes that a JSON string cannot contain directly, or that need a check. The loop has
/// no early exit, so that it compiles to a few vector instructions; almost no text has such bytes.
bool is_plain(std::string_view text) {
  bool special = false;
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    special |= byte < 0x20 || byte >= 0x7F || byte == '"' || byte == '\\';
  }
  return !special;
}

}  // namespace

void json_text::grow(std::size_t size) {
  constexpr std::size_t least = 512;  // size of most answers; lists grow from there
  out_.resize(std::max({least, out_.capacity(), 2 * out_.size(), size_ + size}));
}

void json_text::add(std::string_view text) {
  if (values_) return add_sized('S', text);
  if (!is_plain(text)) {
    std::string escaped;
    append_json_string(escaped, text);
    return add_word(escaped);
  }
  char* cursor = room(text.size() + 2);
  *cursor++ = '"';
  cursor = copy(cursor, text);
  *cursor++ = '"';
  wrote(cursor);
}

void json_text::add(uuid const& id) {
  if (values_) return add_fixed('U', {reinterpret_cast<char const*>(id.bytes.data()), id.bytes.size()});
  char* cursor = room(uuid::text_size + 2);
  *cursor++ = '"';
  cursor = id.write(cursor);
  *cursor++ = '"';
  wrote(cursor);
}

void json_text::add(timestamp time) {
  if (values_) return add_fixed('T', {reinterpret_cast<char const*>(&time.micros), sizeof time.micros});
  char* cursor = room(rfc3339_size + 2);
  *cursor++ = '"';
  cursor = write_rfc3339(cursor, time);
  *cursor++ = '"';
  wrote(cursor);
}

void json_text::add_stored(std::string_view json) {
  if (values_) return add_sized('J', json);
  char* cursor = room(json.size());
  bool quoted = false;
  while (!json.empty()) {
    auto const stop = std::min(quoted ? json.find_first_of("\"\\") : json.find_first_of("\" \t\r\n"), json.size());
    cursor = copy(cursor, json.substr(0, stop));
    json.remove_prefix(stop);
    if (json.empty()) break;
    auto const special = json.substr(0, json.front() == '\\' ? 2 : 1);  // a character after a backslash does not end
                                                                        // a string
    if (quoted || special == "\"") cursor = copy(cursor, special);
    if (special == "\"") quoted = !quoted;
    json.remove_prefix(special.size());
  }
  wrote(cursor);
}

void json_text::add_sized(char type, std::string_view bytes) {
  constexpr std::size_t digits = 20;
  char* const cursor = room(digits + 2 + bytes.size());
  *cursor = type;
  char* const size_end = std::to_chars(cursor + 1, cursor + 1 + digits, bytes.size()).ptr;
  *size_end = ':';
  wrote(copy(size_end + 1, bytes));
}

void json_text::add_fixed(char type, std::string_view bytes) {
  char* const cursor = room(bytes.size() + 1);
  *cursor = type;
  wrote(copy(cursor + 1, bytes));
}

}  // namespace svc::http
