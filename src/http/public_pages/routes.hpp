#pragma once

#include "svc/core/uuid.hpp"
#include "svc/http/public_pages/source.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// The paths of public status pages. Everything here is pure.

namespace svc::public_pages {

/// The thing of a page that a path names.
enum class page_form : std::uint8_t {
  status,
  history,
  incident,
  maintenance,
  logo,
  subscription,
  summary,
  rss,
  json_feed,
  calendar,
  badge,
  subscribe,
};

/// A request's target as a path of public pages. The views point into the target.
struct page_route {
  enum class outcome : std::uint8_t {
    foreign,  ///< no path of public pages
    missing,  ///< a path of public pages that names nothing
    found,
  };
  outcome content = outcome::foreign;
  page_form form = page_form::status;  ///< also of a missing page, as far as the path tells
  page_name name{};
  uuid item{};               ///< of an incident or an occurrence
  std::string_view token{};  ///< of a subscription
  std::string_view query{};  ///< without the question mark
  std::string_view rest{};   ///< the path after the page's name, with its slash
};

/// Finds the page of a path at the service's own hosts: `/status/SLUG` and below it, and the public paths below
/// `/api/status-pages/ID`. Nothing is decoded, because no valid name needs it. Total.
page_route find_service_route(std::string_view path_and_query);
/// Finds the page of a path at a page's own domain, to which all paths belong. Total.
page_route find_domain_route(std::string_view domain, std::string_view path_and_query);

/// Returns the name of the `Host` field that may be a page's domain, in lower case and without its port. Returns
/// `std::nullopt` for an address, a name without a dot, and `public_host` or a name below it.
std::optional<std::string> domain_of_host(std::string_view host, std::string_view public_host);

/// Returns the value of a query parameter as written, the first one if there are several.
std::optional<std::string_view> query_value(std::string_view query, std::string_view name);

/// Returns true for the form of a token: base64url of 192 bits.
bool is_link_token(std::string_view text);

/// Returns true for forms that are pages in a browser.
bool is_html(page_form form);

/// Returns the path of the same thing under another slug.
std::string moved_path(page_route const& route, std::string_view slug);

/// Returns the path of the same thing with a mark in its query, or `std::nullopt` if the mark is there already.
std::optional<std::string> repeated_path(page_route const& route);
/// Returns true if the query has that mark.
bool is_repeated(page_route const& route);

}  // namespace svc::public_pages
