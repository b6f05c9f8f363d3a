#pragma once

#include "svc/core/masker.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace svc::checks {

/// The beginning of what is shown of a text: secrets are masked first and the rest is cut then (`…`), so that no cut
/// leaves a part of a secret. At most `most` bytes; the cost depends on that and not on the text, as long as no
/// secret seems to go on for the whole text.
std::string masked_beginning(secret_patterns_ptr const& secrets, std::string_view text, std::size_t most);

/// A message as results hold it, whatever a target put into it: masked as above, at most `longest_message` bytes of
/// valid UTF-8 without control characters (PostgreSQL takes no U+0000 in a text).
std::string masked_message(secret_patterns_ptr const& secrets, std::string_view text);

/// A text of several lines as it is stored, whoever sent it: the beginning, masked as above, at most `most` bytes of
/// valid UTF-8 without U+0000.
std::string masked_text(secret_patterns_ptr const& secrets, std::string_view text, std::size_t most);

}  // namespace svc::checks
