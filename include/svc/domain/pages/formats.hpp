#pragma once

#include "svc/domain/pages/address.hpp"
#include "svc/domain/pages/snapshot.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

// Every format of a page, each a pure function of a snapshot, an address and a time.

namespace svc::pages {

/// The input of each format. Refers to values of the caller; `now` is the database's time as estimated.
struct page_view {
  page_snapshot const& snapshot;
  page_address const& address;
  timestamp now;
};

/// Returns the page itself.
std::string status_html(page_view const& view);
/// Returns the incidents and the maintenance of one local month.
std::string history_html(page_view const& view, std::chrono::year_month month);
/// Returns the page of one incident, or `std::nullopt` if the snapshot does not have it.
std::optional<std::string> incident_html(page_view const& view, uuid const& id);
/// Returns the page of one occurrence of maintenance, or `std::nullopt` if the snapshot does not have it.
std::optional<std::string> maintenance_html(page_view const& view, uuid const& id);
/// Parses `YYYY-MM`, 1970 to 9999. Returns `std::nullopt` for anything else.
std::optional<std::chrono::year_month> parse_month(std::string_view text);
/// Returns the month of `now` on the page.
std::chrono::year_month current_month(page_view const& view);

/// The content of the page at a subscription's link. Only the first two have buttons.
enum class subscription_step : std::uint8_t {
  confirm,  ///< buttons: `action=confirm` and `action=refuse`
  stop,     ///< button: `action=stop`
  asked,    ///< the answer to a subscription by form
  confirmed,
  stopped,
  refused,
  link_over,
};
/// Returns the page of a subscription. Only the first two steps use the token, which is base64url.
std::string subscription_html(page_view const& view, subscription_step step, std::string_view token);

/// Returns the page for a slug that does not exist or that the visitor may not see.
std::string missing_html();
/// Returns the page of an instance that has neither a copy of the page nor its stores.
std::string unavailable_html();
/// Returns the page for a visitor whose address has used up a limit.
std::string limited_html();
/// Returns the page for a form that was not taken.
std::string refused_html();

/// Returns the Content-Security-Policy of HTML. Pages of visibility `restricted` and `members` have no script.
std::string html_policy(page_address const& address, visibility visible);
/// Returns the Content-Security-Policy of the missing, unavailable, limited and refused pages, which have no texts of
/// tenants.
std::string bare_html_policy();
/// Returns the policy of a page without texts of tenants that loads its own address again. It has no sandbox, because
/// in a sandbox browsers would leave out the cookie of the session again.
std::string asking_html_policy();
/// Content-Security-Policy of logos.
inline constexpr std::string_view logo_policy = "default-src 'none'; sandbox";

/// Returns the summary (application/json).
std::string summary_json(page_view const& view);
/// Returns the feed (application/rss+xml).
std::string rss_feed(page_view const& view);
/// Returns the feed (application/feed+json).
std::string json_feed(page_view const& view);
/// Returns the maintenance (text/calendar; charset=utf-8).
std::string calendar(page_view const& view);
/// Returns the badge (image/svg+xml).
std::string badge_svg(page_view const& view);
/// Returns the badge of an unknown page.
std::string missing_badge_svg();

/// Subject and text part of a mail, in the page's language. The subject is one line; lines of the text end with `\n`.
struct page_mail {
  std::string subject, text;
};
/// Returns the mail that asks an address to confirm. It has no text of the tenant but the page's name.
page_mail confirmation_mail(page_view const& view, std::string_view token);
/// Returns the mail about one post, or `std::nullopt` if the snapshot does not have the post.
std::optional<page_mail> post_mail(page_view const& view, uuid const& post_id, std::string_view token);

/// Returns the newest time of a change that visitors can see, for `Last-Modified` and `lastBuildDate`.
timestamp changed_at(page_snapshot const& snapshot, timestamp now);

}  // namespace svc::pages
