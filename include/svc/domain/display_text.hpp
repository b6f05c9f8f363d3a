#pragma once

#include "svc/core/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace svc {

/// Returns true if the UTF-8 text has a character that people cannot see and that may deceive them: a control
/// character, a mark or override of the direction of text, a line separator, or a space without width. The joiners
/// U+200C, U+200D and U+180E are allowed between two characters beyond ASCII, where scripts and emoji need them.
/// Bytes that are no UTF-8 count as hidden.
bool has_hidden_character(std::string_view text);

/// The sentence of an error for a text that has a hidden character.
inline constexpr std::string_view hidden_character_reason =
    "must not contain control characters or characters that nobody can see, such as those that change the direction "
    "of text";

/// Maximum length of a name in code points, such as that of a credential: the contract's `CredentialName`.
inline constexpr std::size_t longest_name = 100;

/// Trims surrounding white space. Fails with `validation_failed` unless 1 to `longest` code points without
/// hidden characters remain.
result<std::string> checked_name(std::string_view text, std::string_view field = "/name",
                                 std::size_t longest = longest_name);

}  // namespace svc
