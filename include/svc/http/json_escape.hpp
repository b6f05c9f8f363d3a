#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace svc::http {

// Of a string that is too large to be written at once: `append_json_string` in pieces that end between characters.

/// Adds the text as in a JSON string, without its quotes.
void append_json_text(std::string& out, std::string_view text);
/// Bytes that this adds for valid UTF-8.
std::size_t json_text_size(std::string_view text);

}  // namespace svc::http
