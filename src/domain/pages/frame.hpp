#pragma once

#include "domain/pages/clock.hpp"
#include "domain/pages/markup.hpp"
#include "svc/domain/pages/formats.hpp"

#include <string>
#include <string_view>

// Parts that all HTML pages share.

namespace svc::pages {

/// The classes and signs of a status; the words are in the tables of languages.
struct status_look {
  std::string_view state;  ///< class of the sign and the word
  std::string_view sign;   ///< id of the sign in the sprite
};

status_look look_of(component_status status);
status_look look_of(impact effect);
status_look look_of(post_status status);
std::string_view word_of(page_texts const& texts, component_status status);
std::string_view word_of(page_texts const& texts, impact effect);
std::string_view word_of(page_texts const& texts, post_status status);

/// The status of maintenance at a time: scheduled, under way, completed, cancelled.
struct maintenance_state {
  std::string_view word;
  status_look look;
};
maintenance_state state_of(page_texts const& texts, page_maintenance const& maintenance, timestamp now);

/// Values that every part of one page needs. Lives as long as one rendering.
struct page_context {
  explicit page_context(page_view const& page)
      : view(page),
        texts(texts_of(page.snapshot.page.language)),
        clock(texts, page.snapshot.page.time_zone, page.now),
        statuses(page.snapshot, page.now) {}

  page_view view;
  page_texts const& texts;
  page_clock clock;
  status_table statuses;
  markup out{};
};

/// Appends everything before the content of `<main>`. Links to feeds stand only on pages that have them.
void open_page(page_context& page, std::string_view title);
/// Appends the end of `<main>`, the footer and the script.
void close_page(page_context& page);

/// Appends sign and word.
void add_state(markup& out, status_look look, std::string_view word);
void add_sign(markup& out, status_look look);
/// Appends `<time>` with the text in the page's zone; the script replaces it by the visitor's zone.
void add_time(markup& out, timestamp moment, std::string_view text);
/// Appends a text of the language with such an element in the place of the time.
void add_timed(page_context& page, pattern<1> const& words, timestamp moment, std::string_view text);
/// Appends the updates of an incident or of maintenance, the newest first, at most `most`.
void add_posts(page_context& page, std::vector<post> const& posts, std::size_t most, bool with_ids);
/// Returns the names of components that the page still has.
std::string names_of(page_context const& page, std::vector<uuid> const& ids);
std::vector<uuid> ids_of(page_incident const& incident);

/// Returns true if the pages have a script and the JSON is readable for other origins.
bool has_script(visibility visible);
/// Returns true if the document of a page may load a picture and send a form. The sandbox has an opaque origin, so
/// that browsers leave out the session's cookie, which a page for members needs.
bool can_send_requests(visibility visible);

/// Returns a short text that changes whenever a page must be loaded again to show what is new.
std::string revision_of(page_snapshot const& snapshot, status_table const& statuses, timestamp now);

/// Bytes of the style and of the script, as they stand in each page.
std::string_view page_style();
std::string_view page_script();

}  // namespace svc::pages
