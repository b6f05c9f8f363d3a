#pragma once

#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/http/json.hpp"

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace svc::http {

/// What a `json_text` writes.
enum class json_form : std::uint8_t {
  text,    ///< JSON
  values,  ///< in a third of the bytes, what tells two objects of the same writer apart: for an ETag's hash
};

/// Writes one JSON object member by member straight into text: to build a tree first would be a third of the cost of
/// a list. The caller keeps nesting right; names are written without escaping, so they must be literals. An absent
/// optional value is null. A value of one request's coroutine.
class json_text {
 public:
  explicit json_text(json_form form = json_form::text) : values_(form == json_form::values) {
    out_.reserve(512);  // most answers; lists grow from there
    out_.push_back('{');
  }

  template <class Value>
  json_text& member(std::string_view name, Value const& value) {
    key(name);
    put(value);
    return *this;
  }
  /// A member that is left out when there is no value.
  template <class Value>
  json_text& member_if(std::string_view name, std::optional<Value> const& value) {
    if (value) return member(name, *value);
    if (values_) put(nullptr);
    return *this;
  }
  /// A member that tells nothing apart: two answers that differ only in it count as equal.
  template <class Value>
  json_text& passing_member(std::string_view name, Value const& value) {
    return values_ ? *this : member(name, value);
  }
  /// A member whose value is JSON of the database.
  json_text& stored_member(std::string_view name, std::string_view json) {
    key(name);
    if (values_) {
      put_bytes('J', json);
    } else {
      append_stored_json(out_, json);
    }
    return *this;
  }

  /// Begins a member that is an object, which `close` ends.
  json_text& open(std::string_view name) {
    key(name);
    out_.push_back('{');
    return *this;
  }
  json_text& close() {
    out_.push_back('}');
    return *this;
  }
  /// Begins a member that is a list, which `close_list` ends.
  json_text& open_list(std::string_view name) {
    key(name);
    out_.push_back('[');
    return *this;
  }
  json_text& close_list() {
    out_.push_back(']');
    return *this;
  }
  /// Begins an element of a list that is an object, which `close` ends.
  json_text& open_element() {
    separate();
    out_.push_back('{');
    return *this;
  }
  template <class Value>
  json_text& element(Value const& value) {
    separate();
    put(value);
    return *this;
  }

  /// The whole object; nothing may be added afterwards.
  std::string take() {
    out_.push_back('}');
    return std::move(out_);
  }

 private:
  /// No JSON value ends with a character that begins an object or a list.
  void separate() {
    if (values_) return;
    if (char const last = out_.back(); last != '{' && last != '[') out_.push_back(',');
  }
  void key(std::string_view name) {
    if (values_) return;
    separate();
    out_.push_back('"');
    out_.append(name).append("\":");
  }

  // As values, each begins with a letter of its type, and its end is known from that or from its length.
  void put_bytes(char type, std::string_view bytes) {
    out_.push_back(type);
    put_digits(bytes.size());
    out_.push_back(':');
    out_ += bytes;
  }
  void put_fixed(char type, void const* bytes, std::size_t size) {
    out_.push_back(type);
    out_.append(static_cast<char const*>(bytes), size);
  }
  template <std::integral Number>
  void put_digits(Number number) {
    std::array<char, 20> digits;  // NOLINT: written before it is read
    out_.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
  }

  void put(std::string_view text) {
    if (values_) return put_bytes('S', text);
    append_json_string(out_, text);
  }
  void put(std::nullptr_t) { out_ += "null"; }
  void put(uuid const& id) {
    if (values_) return put_fixed('U', id.bytes.data(), id.bytes.size());
    out_.push_back('"');
    id.append_to(out_);
    out_.push_back('"');
  }
  void put(timestamp time) {
    if (values_) return put_fixed('T', &time.micros, sizeof time.micros);
    out_.push_back('"');
    append_rfc3339(out_, time);
    out_.push_back('"');
  }
  void put(std::same_as<bool> auto truth) { out_ += truth ? "true" : "false"; }
  template <std::integral Number>
  requires(!std::same_as<Number, bool>) void put(Number number) {
    if (values_) out_.push_back('I');
    put_digits(number);
  }
  template <class Value>
  void put(std::optional<Value> const& value) {
    if (value) return put(*value);
    put(nullptr);
  }

  bool values_;
  std::string out_;
};

/// The object whose members `write` adds.
template <class Write, class... Values>
std::string written(Write const& write, Values const&... values) {
  json_text out;
  write(out, values...);
  return out.take();
}

}  // namespace svc::http
