// The defence against requests that other sites cause (CSRF). Browsers say with `Sec-Fetch-Site` (Fetch Metadata) and
// `Origin` (RFC 6454) which page made a request, and pages cannot change these fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace svc::sign_in {

/// A field that a request must not repeat, as it arrived.
struct received_field {
  std::string_view value{};
  std::size_t count = 0;  ///< number of fields of that name
};

/// The facts of a request that decide. Views of the request's head.
struct request_origin {
  std::string_view method{};
  received_field fetch_site{};  ///< `Sec-Fetch-Site`
  received_field origin{};      ///< `Origin`
  std::string_view host{};      ///< `Host`; empty: missing
};

enum class origin_verdict : std::uint8_t {
  own_page,      ///< A page of this service made the request, or the user did it without a page.
  unknown_page,  ///< `Sec-Fetch-Site` is missing: not a browser, an old one, or a proxy removed the field.
  foreign_page,  ///< A page of another site or of a sibling host made the request.
};

/// Decides whether the session cookie may authenticate a request, and whether a public write may sign in. Asks no
/// store. Immutable.
class origin_rule {
 public:
  /// `public_url` is the configured one; empty: the origin is `https://` and the request's `Host`.
  explicit origin_rule(std::string_view public_url);

  /// `Sec-Fetch-Site` must be `same-origin`; `none` (an address that the user typed) suffices for GET and HEAD. If a
  /// write has an `Origin`, it must be the service's own.
  origin_verdict decide(request_origin const& request) const;

 private:
  bool is_own(std::string_view origin, std::string_view host) const;

  std::string origin_;
};

/// Returns the origin of an http or https URL as browsers write it: in lower case and without the scheme's own port.
/// Returns an empty text for another one.
std::string origin_of(std::string_view url);

/// Returns the public sentence of error `cross_site_request`; empty for `own_page`.
std::string_view refusal_sentence(origin_verdict verdict);

}  // namespace svc::sign_in
