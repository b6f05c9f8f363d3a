#pragma once

#include "svc/core/masker.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace svc::checks {

/// Returns the start of a text for display, at most `most` bytes. It masks secrets before it cuts the text
/// (`…`), so that no part of a secret remains. The cost depends on `most` and not on the text, unless a
/// secret may extend over the whole text.
std::string masked_beginning(secret_patterns_ptr const& secrets, std::string_view text, std::size_t most);

/// Returns a message in the form of results: masked as above, at most `longest_message` bytes of valid UTF-8
/// without control characters (PostgreSQL refuses U+0000 in a text). Total, because targets choose parts of
/// messages.
std::string masked_message(secret_patterns_ptr const& secrets, std::string_view text);

/// Returns a text of several lines in its stored form: its start, masked as above, at most `most` bytes of
/// valid UTF-8 without U+0000. Total.
std::string masked_text(secret_patterns_ptr const& secrets, std::string_view text, std::size_t most);

}  // namespace svc::checks
