#pragma once

#include "svc/core/result.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace svc::http {

// The next two functions do the work of `append_json_string` in pieces that end between characters, for a string that
// is too large to be written at once.

/// Adds the text as in a JSON string, without its quotes.
void append_json_text(std::string& out, std::string_view text);
/// Returns the number of bytes that `append_json_text` adds for valid UTF-8.
std::size_t json_text_size(std::string_view text);

inline constexpr std::size_t max_json_depth = 32;
/// Boost.JSON's objects hash by FNV with an address as the only salt; colliding names cost n², and this
/// constant bounds n.
inline constexpr std::size_t max_json_members = 1000;

/// Parses JSON by RFC 8259. Also refuses parts that two readers could understand differently or that a layer
/// below us cannot hold. These are duplicate member names, U+0000, lone surrogates, invalid UTF-8, a byte
/// order mark, numbers beyond a double's range, more than 32 levels, more than 1000 members in an object,
/// names of more than 4096 bytes, numbers of more than 1024 characters. `json_reader` does the same with a
/// text in pieces.
///
/// A number is an int64 if its value is one, in any spelling (`3600`, `3600.0`, `36e2`), otherwise the
/// nearest double; never a uint64. Fails with malformed_json and a sentence with line, column and offset.
result<boost::json::value> parse_json(std::string_view text);

/// Returns valid JSON in valid UTF-8 without white space: invalid bytes become U+FFFD, non-finite numbers
/// null.
std::string to_json(boost::json::value const& value);
/// Returns the same text for equal values: that of `to_json` with the members of each object sorted by name.
std::string canonical_json(boost::json::value const& value);
/// Adds the value as `to_json` writes it.
void append_json(std::string& out, boost::json::value const& value);
/// Adds the text as a JSON string, with its quotes.
void append_json_string(std::string& out, std::string_view text);

}  // namespace svc::http
