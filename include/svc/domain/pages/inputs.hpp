#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

// Checks of what editors write about a page, beyond the schemas of the contract, and readers of visitors' forms. Each
// `_problem` returns `std::nullopt` for a good value, otherwise a reason that continues the name of the field. Total.

namespace svc::pages {

inline constexpr std::size_t shortest_slug = 3, longest_slug = 63, most_cidrs = 24, longest_url = 2048,
                             longest_domain = 253, most_logo_bytes = 256 * 1024;

using problem = std::optional<std::string_view>;

/// `^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$`, no UUID and no reserved word.
problem slug_problem(std::string_view slug);
/// `#rrggbb`.
problem colour_problem(std::string_view colour);
/// An https URL with a host, without user information and white space.
problem support_url_problem(std::string_view url);
/// 1 to 24 ranges `ADDRESS/LENGTH`.
problem cidrs_problem(std::span<std::string const> ranges);

/// Returns the host of a URL, without its port.
std::string_view host_of_url(std::string_view url);
/// Returns the domain in lower case and without a final dot. A domain for a page has two or more labels
/// (internationalised ones in their ASCII form). It is no IP address, and neither `public_host` nor below it. Returns
/// `std::nullopt` for other texts.
std::optional<std::string> page_domain(std::string_view text, std::string_view public_host);
/// Returns the name of the TXT record that proves a domain.
std::string domain_record(std::string_view domain);

/// Returns the media type of a PNG, JPEG or WebP by its first bytes; `std::nullopt` for others, for an empty text and
/// for more than 256 KiB. Nothing decodes the picture.
std::optional<std::string_view> logo_type(std::string_view bytes);

/// Returns the value of a field of a form (application/x-www-form-urlencoded), decoded; the first one if there are
/// several. Returns `std::nullopt` if the form does not have it, or it is not valid percent-encoded UTF-8.
std::optional<std::string> form_value(std::string_view form, std::string_view name);

/// The buttons of a subscription's page.
enum class subscription_action : std::uint8_t { confirm, refuse, stop };

/// Reads the body of a POST to a subscription's link: `action=confirm`, `action=refuse`, `action=stop`, or
/// `List-Unsubscribe=One-Click` (RFC 8058), which mail programs send as a form or as multipart/form-data. Total.
std::optional<subscription_action> read_subscription_action(std::string_view body);

}  // namespace svc::pages
