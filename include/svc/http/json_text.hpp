#pragma once

#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/http/json.hpp"

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace svc::http {

/// The output form of a `json_text`.
enum class json_form : std::uint8_t {
  text,    ///< JSON
  values,  ///< for an ETag's hash: only the values, in a third of the bytes; enough to distinguish objects of the
           ///< same writer
};

/// Writes one JSON object directly as text, member by member. Building a tree first would make up a third of the cost
/// of a list. The caller keeps nesting right. Names are written without escaping, so they must be literals. An absent
/// optional value is null. A value that belongs to one request's coroutine.
class json_text {
 public:
  explicit json_text(json_form form = json_form::text) : values_(form == json_form::values) { put('{'); }

  template <class Value>
  json_text& member(std::string_view name, Value const& value) {
    key(name);
    add(value);
    return *this;
  }
  /// Adds a member only if there is a value.
  template <class Value>
  json_text& member_if(std::string_view name, std::optional<Value> const& value) {
    if (value) return member(name, *value);
    if (values_) add(nullptr);
    return *this;
  }
  /// Adds a member that ETags ignore: two answers that differ only in it count as equal.
  template <class Value>
  json_text& passing_member(std::string_view name, Value const& value) {
    return values_ ? *this : member(name, value);
  }
  /// Adds a member whose value is JSON from the database.
  json_text& stored_member(std::string_view name, std::string_view json) {
    key(name);
    add_stored(json);
    return *this;
  }

  /// Opens a member that is an object; `close` ends it.
  json_text& open(std::string_view name) {
    key(name);
    put('{');
    return *this;
  }
  json_text& close() {
    put('}');
    return *this;
  }
  /// Opens a member that is a list; `close_list` ends it.
  json_text& open_list(std::string_view name) {
    key(name);
    put('[');
    return *this;
  }
  json_text& close_list() {
    put(']');
    return *this;
  }
  /// Opens an element of a list that is an object; `close` ends it.
  json_text& open_element() {
    separate();
    put('{');
    return *this;
  }
  template <class Value>
  json_text& element(Value const& value) {
    separate();
    add(value);
    return *this;
  }

  /// Returns the whole object; no call may follow.
  std::string take() {
    put('}');
    out_.resize(size_);
    return std::move(out_);
  }

 private:
  /// Returns memory for the next `size` bytes; `wrote` reports the end of the written bytes. `append` is not used,
  /// because its check and call for each small piece would take half of the time.
  char* room(std::size_t size) {
    if (out_.size() - size_ < size) grow(size);
    return out_.data() + size_;
  }
  void wrote(char const* end) { size_ = static_cast<std::size_t>(end - out_.data()); }
  void grow(std::size_t size);
  static char* copy(char* target, std::string_view text) { return target + text.copy(target, text.size()); }

  void put(char c) {
    *room(1) = c;
    ++size_;
  }
  /// Adds a comma unless an object or list was just opened. No JSON value ends with a character that opens an object
  /// or a list.
  void separate() {
    if (values_) return;
    if (char const last = out_[size_ - 1]; last != '{' && last != '[') put(',');
  }
  void key(std::string_view name) {
    if (values_) return;
    separate();
    char* cursor = room(name.size() + 3);
    *cursor++ = '"';
    wrote(copy(copy(cursor, name), "\":"));
  }

  void add(std::string_view text);
  void add(std::nullptr_t) { add_word("null"); }
  void add(std::same_as<bool> auto truth) { add_word(truth ? "true" : "false"); }
  void add(uuid const& id);
  void add(timestamp time);
  template <std::integral Number>
    requires(!std::same_as<Number, bool>)
  void add(Number number) {
    if (values_) put('I');
    constexpr std::size_t most = 20;
    char* const cursor = room(most);
    wrote(std::to_chars(cursor, cursor + most, number).ptr);
  }
  template <class Value>
  void add(std::optional<Value> const& value) {
    if (value) return add(*value);
    add(nullptr);
  }
  void add_word(std::string_view word) { wrote(copy(room(word.size()), word)); }
  void add_stored(std::string_view json);
  // A value starts with a letter for its type; the type or a length determines its end.
  void add_sized(char type, std::string_view bytes);
  void add_fixed(char type, std::string_view bytes);

  bool values_;
  std::size_t size_ = 0;  ///< written bytes of `out_`
  std::string out_;
};

/// Returns the object whose members `write` adds.
template <class Write, class... Values>
std::string written(Write const& write, Values const&... values) {
  json_text out;
  write(out, values...);
  return out.take();
}

}  // namespace svc::http
