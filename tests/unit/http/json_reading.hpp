#pragma once

#include "svc/http/json_reader.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <string>
#include <string_view>

namespace svc::http {

/// Returns the reader's result for a text in pieces, which end at `first` and then every `step` bytes. Each piece is
/// freed before the next one arrives.
inline result<boost::json::value> parse_cut(std::string_view text, std::size_t first, std::size_t step,
                                            std::size_t max_values = json_reader::any_number,
                                            schema const* shape = nullptr) {
  json_reader reader(max_values, shape);
  for (auto size = first; size < text.size(); size = step) {
    if (!reader.feed(std::string(text.substr(0, size)))) return reader.finish();
    text.remove_prefix(size);
  }
  return reader.finish(std::string(text));
}

/// True if two values are equal; for numbers the value counts, not whether it is an integer or a double.
inline bool same(boost::json::value const& a, boost::json::value const& b) {
  if (a.is_number() && b.is_number()) return a.to_number<double>() == b.to_number<double>();
  if (a.is_array() && b.is_array()) {
    return std::equal(a.get_array().begin(), a.get_array().end(), b.get_array().begin(), b.get_array().end(), same);
  }
  if (a.is_object() && b.is_object()) {
    auto const& other = b.get_object();
    return a.get_object().size() == other.size() &&
           std::all_of(a.get_object().begin(), a.get_object().end(), [&other](auto const& member) {
             auto const* const value = other.if_contains(member.key());
             return value != nullptr && same(member.value(), *value);
           });
  }
  return a == b;
}

}  // namespace svc::http
