#include "domain/monitoring/checks/node.hpp"

#include "domain/monitoring/checks/text.hpp"
#include "svc/core/ascii.hpp"
#include "svc/core/numbers.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace svc::checks {

namespace json = boost::json;

namespace {

std::string text_of_double(double number) {
  std::array<char, 32> out{};
  auto const [end, failed] = std::to_chars(out.data(), out.data() + out.size(), number);
  return {out.data(), failed == std::errc{} ? end : out.data()};
}

std::optional<long double> number_of(json::value const& v) {
  if (auto const* number = v.if_int64()) return static_cast<long double>(*number);
  if (auto const* number = v.if_uint64()) return static_cast<long double>(*number);
  if (auto const* number = v.if_double()) return static_cast<long double>(*number);
  return std::nullopt;
}

/// The text that a node is, if it is one.
std::optional<std::string_view> text_in(node const& n) {
  if (auto const* text = std::get_if<std::string_view>(&n)) return *text;
  auto const* value = std::get_if<json::value const*>(&n);
  if (value == nullptr || !(*value)->is_string()) return std::nullopt;
  auto const& text = (*value)->get_string();
  return std::string_view(text.data(), text.size());
}

json::value const* json_in(node const& n) {
  auto const* value = std::get_if<json::value const*>(&n);
  return value != nullptr ? *value : nullptr;
}

std::optional<long double> number_of(expected_value const& e) {
  if (auto const* number = std::get_if<std::int64_t>(&e)) return static_cast<long double>(*number);
  if (auto const* number = std::get_if<double>(&e)) return static_cast<long double>(*number);
  return std::nullopt;
}

std::string text_of_json(json::value const& v) {
  if (auto const* number = v.if_double()) return text_of_double(*number);
  return json::serialize(v);
}

}  // namespace

std::optional<long double> number_in(std::string_view text) {
  text = trim(text);
  if (auto const whole = parse_number<std::int64_t>(text)) return static_cast<long double>(*whole);
  double out = 0;
  auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (failed != std::errc{} || end != text.data() + text.size() || !std::isfinite(out)) return std::nullopt;
  return static_cast<long double>(out);
}

std::optional<long double> number_of(node const& n) {
  if (auto const* number = std::get_if<std::int64_t>(&n)) return static_cast<long double>(*number);
  if (auto const text = text_in(n)) return number_in(*text);
  return number_of(*json_in(n));
}

std::string text_of(node const& n) {
  if (auto const* number = std::get_if<std::int64_t>(&n)) return std::to_string(*number);
  if (auto const text = text_in(n)) return std::string(*text);
  return text_of_json(*json_in(n));
}

std::string text_of(expected_value const& e) {
  if (auto const* truth = std::get_if<bool>(&e)) return *truth ? "true" : "false";
  if (auto const* number = std::get_if<std::int64_t>(&e)) return std::to_string(*number);
  if (auto const* number = std::get_if<double>(&e)) return text_of_double(*number);
  if (auto const* text = std::get_if<std::string>(&e)) return *text;
  return "null";
}

bool is_empty(node const& n) {
  if (auto const text = text_in(n)) return text->empty();
  auto const* value = json_in(n);
  if (value == nullptr) return false;
  if (auto const* list = value->if_array()) return list->empty();
  if (auto const* object = value->if_object()) return object->empty();
  return value->is_null();
}

bool is_equal(node const& n, expected_value const& e) {
  auto const* value = json_in(n);
  if (value != nullptr && (value->is_array() || value->is_object())) return false;
  auto const text = text_in(n);
  if (auto const number = number_of(e)) return number_of(n) == number;
  if (auto const* wanted = std::get_if<std::string>(&e); wanted != nullptr && !text) {
    if (auto const number = number_of(n)) return number_in(*wanted) == number;
  }
  // Null is equal to itself alone: a text `null` says something else.
  if (std::holds_alternative<std::monostate>(e)) return value != nullptr && value->is_null();
  return text ? *text == text_of(e) : text_of(n) == text_of(e);
}

bool has(node const& n, expected_value const& e) {
  if (auto const* value = json_in(n)) {
    if (auto const* list = value->if_array()) {
      return std::ranges::any_of(*list, [&](json::value const& each) { return is_equal(&each, e); });
    }
    if (auto const* object = value->if_object()) return object->contains(text_of(e));
  }
  if (auto const text = text_in(n)) return text->find(text_of(e)) != std::string_view::npos;
  return text_of(n).find(text_of(e)) != std::string::npos;
}

}  // namespace svc::checks
