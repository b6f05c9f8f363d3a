#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Makes the texts of users and targets harmless for any receiver: mails, chats and public pages.

namespace svc {

/// Returns valid UTF-8 without control characters and without characters that reorder text (Unicode TR 36,
/// "bidirectional text spoofing"). Line ends (U+2028 and U+2029 too) become blanks.
std::string one_line(std::string_view text);
/// The same, but keeps line ends as `\n`.
std::string several_lines(std::string_view text);

/// Returns valid UTF-8 of at most `most` bytes. A longer text is cut at a character and ends with `…`. `most` is at
/// least 3.
std::string cut(std::string_view text, std::size_t most);

/// Returns one line of at most `most` bytes in which no mail program finds a link, an address or markup: characters
/// that these need become blanks, and a blank follows each full stop.
std::string without_links(std::string_view name, std::size_t most);

}  // namespace svc
