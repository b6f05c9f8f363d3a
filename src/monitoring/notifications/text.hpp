#pragma once

#include "svc/core/time.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

// What users and targets said, made harmless for any receiver.

namespace svc::notifications {

/// Valid UTF-8 without control characters and without those that reorder text (Unicode TR 36, "bidirectional text
/// spoofing"); line ends (U+2028 and U+2029 too) are blanks.
std::string one_line(std::string_view text);
/// The same with its line ends as `\n`.
std::string several_lines(std::string_view text);

/// Length in UTF-16 units, as chats count: an emoji is two. Never less than in code points.
std::size_t units_of(std::string_view text);

/// Valid UTF-8 of at most so many bytes: cut at a character, with `…` at the end, if it is longer. `most` is at least
/// 3.
std::string cut(std::string_view text, std::size_t most);

/// Appends one character as the receiver's mark-up needs it.
using escape = void (*)(std::string& out, std::string_view character);
void as_is(std::string& out, std::string_view character);
void escape_html(std::string& out, std::string_view character);
/// `& < >` (docs.slack.dev, "Formatting message text").
void escape_slack(std::string& out, std::string_view character);
/// A backslash before all ASCII punctuation (support.discord.com, "Markdown Text 101").
void escape_discord(std::string& out, std::string_view character);

std::string escaped(std::string_view text, escape escape);
/// Escaped to at most so many units: cut at a character, with `…` at the end, if it is longer.
std::string fitted(std::string_view text, std::size_t most_units, escape escape);

/// `2026-11-20 10:11:12 UTC`.
std::string readable(timestamp time);
/// `45 s`, `12 min 3 s`, `3 h 5 min`, `2 d 4 h`; negative ones are `0 s`.
std::string readable(std::chrono::microseconds length);

}  // namespace svc::notifications
