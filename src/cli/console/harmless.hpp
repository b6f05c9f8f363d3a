#pragma once

#include <string>
#include <string_view>

namespace svc::cli {

/// Makes foreign text harmless for a terminal, so that no character moves the cursor, renames the window, hides the
/// following text or answers for the user. The following characters become visible (`\x1b`, `\u202e`, `\n`):
/// - control characters (C0, DEL, C1);
/// - line and paragraph separators;
/// - characters that reorder text (U+202A to U+202E, U+2066 to U+2069);
/// - bytes that are not UTF-8.
///
/// With `keep_colours`, SGR sequences (ECMA-48, 8.3.117: `ESC [`, digits, `;` and `:`, `m`) pass. Tab passes; with
/// `keep_lines`, a line end passes too. The result is valid UTF-8.
std::string harmless(std::string_view text, bool keep_colours = false, bool keep_lines = false);

/// Returns the text without its colours (SGR), for places that show none.
std::string without_colours(std::string_view text);

/// The replacement that `harmless` writes for the first character of a text, and the length of that character.
/// Without a replacement `shown` is empty. Tab, line end and SGR are not special here.
struct replaced_character {
  std::size_t size;    ///< of the text's first character; 1 for an invalid byte
  std::string shown;   ///< empty: the character stays
  char32_t character;  ///< the character; for an invalid byte its value
};
replaced_character replacement_of(std::string_view text);

/// Returns the text as one word of a shell, for commands that people paste. The word is harmless, and quoted if it
/// has other characters than letters, digits and `-_./:@%+=,`.
std::string shell_word(std::string_view text);

/// Returns the columns of harmless text on a terminal. East Asian wide characters and emoji sequences take two
/// columns, combining ones and SGR none, characters of ambiguous width (UAX #11) one. A tab counts as its maximum,
/// eight.
std::size_t columns_of(std::string_view text);
/// Returns the longest start of the text, in whole graphemes (UAX #29), that fits into `columns`. A shortened text
/// has an ellipsis at its end, and its colours end.
std::string shortened(std::string_view text, std::size_t columns);

}  // namespace svc::cli
