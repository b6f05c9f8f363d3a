#pragma once

#include "svc/domain/pages/formats.hpp"

#include <string>
#include <string_view>

// Snapshots for tests of pages.

namespace svc::test {

/// Friday, 20 November 2026, 17:22:04 UTC.
inline constexpr timestamp sample_now{1'795'195'324'000'000};

inline constexpr std::string_view sample_origin = "https://status.example";

/// Returns an id that ends with the number.
uuid id_with(unsigned number);
timestamp minutes_before(int minutes);

/// Seven components in each status, two open incidents, resolved ones, maintenance before, now and after.
pages::page_snapshot rich_snapshot();
/// A page without anything.
pages::page_snapshot empty_snapshot();
/// The same as the rich one with so many components.
pages::page_snapshot snapshot_of(std::size_t components);
/// The most and the longest texts that a page may have, before `bound_snapshot`.
pages::page_snapshot huge_snapshot();

/// Puts the text into each field of the snapshot that a tenant writes.
pages::page_snapshot with_text(pages::page_snapshot snapshot, std::string_view text);

pages::page_address sample_address();

/// All HTML pages of a snapshot.
std::vector<std::string> all_html(pages::page_view const& view);

}  // namespace svc::test
