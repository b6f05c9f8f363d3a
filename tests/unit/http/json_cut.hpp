#pragma once

#include "svc/http/json_reader.hpp"

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

}  // namespace svc::http
