#pragma once

#include "domain/pages/frame.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace svc::pages {

/// Number of entries of a feed.
inline constexpr std::size_t most_entries = 50;

/// One post as an entry of a feed or a mail. Points into the snapshot.
struct feed_entry {
  post const* text = nullptr;
  page_incident const* incident = nullptr;        ///< null: an entry of maintenance
  page_maintenance const* maintenance = nullptr;  ///< null: an entry of an incident
};

/// Returns the newest posts that are published by `now`, the newest first.
std::vector<feed_entry> entries_of(page_view const& view, std::size_t most = most_entries);

/// `[Identified] Checkout fails`, one line.
std::string title_of(page_texts const& texts, feed_entry const& entry);
/// The address of the post on its page.
std::string address_of(page_view const& view, feed_entry const& entry);
/// `urn:uuid:POST`.
std::string urn_of(feed_entry const& entry);
/// `incident` or `maintenance`.
std::string_view category_of(feed_entry const& entry);
/// The planned time of an announcement, for example `Planned from … to ….`; otherwise empty.
std::string planned_time(page_context const& page, feed_entry const& entry);

}  // namespace svc::pages
