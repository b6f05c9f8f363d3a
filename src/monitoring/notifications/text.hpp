#pragma once

#include "svc/core/harmless_text.hpp"
#include "svc/core/time.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

// Makes the texts of users and targets harmless for any receiver.

namespace svc::notifications {

using svc::cut;
using svc::one_line;
using svc::several_lines;

/// Returns the length in UTF-16 units, as chats count: an emoji is two. Never less than the number of code points.
std::size_t units_of(std::string_view text);

/// Appends one character, escaped for the receiver's mark-up.
using escape = void (*)(std::string& out, std::string_view character);
void as_is(std::string& out, std::string_view character);
void escape_html(std::string& out, std::string_view character);
/// Escapes `& < >` (docs.slack.dev, "Formatting message text").
void escape_slack(std::string& out, std::string_view character);
/// Puts a backslash before all ASCII punctuation (support.discord.com, "Markdown Text 101").
void escape_discord(std::string& out, std::string_view character);

std::string escaped(std::string_view text, escape escape);
/// Returns the escaped text of at most `most_units` units. A longer text is cut at a character and ends with `…`.
std::string fitted(std::string_view text, std::size_t most_units, escape escape);

/// Returns `2026-11-20 10:11:12 UTC`.
std::string readable(timestamp time);
/// Returns `45 s`, `12 min 3 s`, `3 h 5 min` or `2 d 4 h`; a negative length is `0 s`.
std::string readable(std::chrono::microseconds length);

}  // namespace svc::notifications
