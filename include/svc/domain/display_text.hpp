#pragma once

#include <string_view>

namespace svc {

/// Returns true if the UTF-8 text has a character that people cannot see and that may deceive them: a control
/// character, a mark or override of the direction of text, a line separator, or a space without width. The joiners
/// U+200C, U+200D and U+180E are allowed between two characters beyond ASCII, where scripts and emoji need them.
/// Bytes that are no UTF-8 count as hidden.
bool has_hidden_character(std::string_view text);

}  // namespace svc
