#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace svc::pages {

/// The language of a page, of its feeds and of its mails.
enum class page_language : std::uint8_t { de, en, es, fr, it, ja, nl, pl, pt, zh };
inline constexpr std::size_t language_count = 10;

/// Returns the tag (BCP 47), for example `de`.
std::string_view to_text(page_language language);
std::optional<page_language> page_language_of(std::string_view text);

}  // namespace svc::pages
