#pragma once

#include <string>
#include <string_view>

namespace svc::cli {

/// Text from elsewhere for a terminal: control characters (C0, DEL, C1), line and paragraph separators, characters
/// that reorder text (U+202A to U+202E, U+2066 to U+2069) and bytes that are not UTF-8 become visible (`\x1b`,
/// `\u202e`, `\n`), so that nothing moves the cursor, renames the window, hides what follows or answers for the user.
/// `keep_colours`: SGR sequences (ECMA-48, 8.3.117: `ESC [`, digits, `;` and `:`, `m`) pass. Tab passes; a line end
/// does if `keep_lines`. What comes out is valid UTF-8.
std::string harmless(std::string_view text, bool keep_colours = false, bool keep_lines = false);

/// The text without its colours (SGR), for places that show none.
std::string without_colours(std::string_view text);

/// What `harmless` writes in place of the character that the text begins with, and how many bytes that takes;
/// nothing to replace: an empty text. Tab, line end and SGR are not special here.
struct replaced_character {
  std::size_t size;    ///< of the text's first character; of an invalid byte 1
  std::string shown;   ///< empty: the character as it is
  char32_t character;  ///< what it is; an invalid byte: its value
};
replaced_character replacement_of(std::string_view text);

/// The text as one word of a shell, for commands that people paste: quoted if it has other characters than letters,
/// digits and `-_./:@%+=,`, and harmless.
std::string shell_word(std::string_view text);

/// Columns that harmless text takes on a terminal: East Asian wide characters and emoji sequences two, combining ones
/// and SGR none, those of ambiguous width (UAX #11) one; a tab as many as it can, eight.
std::size_t columns_of(std::string_view text);
/// The longest beginning, in whole graphemes (UAX #29), that fits into so many columns, with an ellipsis if something
/// is left out, and colours ended.
std::string shortened(std::string_view text, std::size_t columns);

}  // namespace svc::cli
