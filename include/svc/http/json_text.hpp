#pragma once

#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/http/json.hpp"

#include <boost/json/value.hpp>

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::http {

/// A part of a text, in bytes from its beginning.
struct text_range {
  std::size_t begin;
  std::size_t end;
};

/// JSON as text, and which of its members are passing: they may differ between two answers that count as equal.
struct written_json {
  written_json() = default;
  written_json(std::string whole) : text(std::move(whole)) {}  // NOLINT(google-explicit-constructor): nothing is lost

  std::string text{};
  std::vector<text_range> passing{};  ///< in order, without overlaps
};

/// Writes one JSON object member by member straight into text: to build a tree first would be a third of the cost of
/// a list. The caller keeps nesting right; names are written without escaping, so they must be literals. An absent
/// optional value is null. A value of one request's coroutine.
class json_text {
 public:
  json_text() {
    out_.text.reserve(512);  // most answers; lists grow from there
    out_.text.push_back('{');
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
    return value ? member(name, *value) : *this;
  }
  /// A passing member. It is not the first one of its object.
  template <class Value>
  json_text& passing_member(std::string_view name, Value const& value) {
    auto const begin = out_.text.size();
    member(name, value);
    out_.passing.push_back({begin, out_.text.size()});
    return *this;
  }
  /// A member whose value is JSON of the database.
  json_text& stored_member(std::string_view name, std::string_view json) {
    key(name);
    append_stored_json(out_.text, json);
    return *this;
  }
  json_text& tree_member(std::string_view name, boost::json::value const& value) {
    key(name);
    append_json(out_.text, value);
    return *this;
  }

  /// Begins a member that is an object, which `close` ends.
  json_text& open(std::string_view name) {
    key(name);
    out_.text.push_back('{');
    return *this;
  }
  json_text& close() {
    out_.text.push_back('}');
    return *this;
  }
  /// Begins a member that is a list, which `close_list` ends.
  json_text& open_list(std::string_view name) {
    key(name);
    out_.text.push_back('[');
    return *this;
  }
  json_text& close_list() {
    out_.text.push_back(']');
    return *this;
  }
  /// Begins an element of a list that is an object, which `close` ends.
  json_text& open_element() {
    separate();
    out_.text.push_back('{');
    return *this;
  }
  template <class Value>
  json_text& element(Value const& value) {
    separate();
    put(value);
    return *this;
  }

  /// The whole object; nothing may be added afterwards.
  written_json take() {
    out_.text.push_back('}');
    return std::move(out_);
  }

 private:
  /// No value ends with a character that begins an object or a list.
  void separate() {
    if (char const last = out_.text.back(); last != '{' && last != '[') out_.text.push_back(',');
  }
  void key(std::string_view name) {
    separate();
    out_.text.push_back('"');
    out_.text.append(name).append("\":");
  }

  void put(std::string_view text) { append_json_string(out_.text, text); }
  void put(std::nullptr_t) { out_.text += "null"; }
  void put(uuid const& id) {
    out_.text.push_back('"');
    id.append_to(out_.text);
    out_.text.push_back('"');
  }
  void put(timestamp time) {
    out_.text.push_back('"');
    append_rfc3339(out_.text, time);
    out_.text.push_back('"');
  }
  void put(std::same_as<bool> auto truth) { out_.text += truth ? "true" : "false"; }
  template <std::integral Number>
  requires(!std::same_as<Number, bool>) void put(Number number) {
    std::array<char, 20> digits;  // NOLINT: written before it is read
    out_.text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
  }
  template <class Value>
  void put(std::optional<Value> const& value) {
    if (value) return put(*value);
    put(nullptr);
  }

  written_json out_;
};

/// The object whose members `write` adds.
template <class Write, class... Values>
written_json written(Write const& write, Values const&... values) {
  json_text out;
  write(out, values...);
  return out.take();
}

}  // namespace svc::http
