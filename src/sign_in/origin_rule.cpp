#include "svc/sign_in/origin_rule.hpp"

#include "svc/core/ascii.hpp"

namespace svc::sign_in {
namespace {

/// An authority without the port that its scheme has anyway.
std::string_view without_usual_port(std::string_view authority, std::string_view port) {
  if (authority.ends_with(port)) authority.remove_suffix(port.size());
  return authority;
}

}  // namespace

std::string origin_of(std::string_view url) {
  auto const scheme_end = url.find("://");
  if (scheme_end == std::string_view::npos) return {};
  auto const scheme = lower_case(url.substr(0, scheme_end));
  if (scheme != "https" && scheme != "http") return {};
  auto authority = url.substr(scheme_end + 3);
  authority = authority.substr(0, authority.find_first_of("/?#\\"));
  authority = without_usual_port(authority, scheme == "https" ? ":443" : ":80");
  if (authority.empty() || authority.find('@') != std::string_view::npos) return {};
  return scheme + "://" + lower_case(authority);
}

origin_rule::origin_rule(std::string_view public_url) : origin_(origin_of(public_url)) {}

bool origin_rule::is_own(std::string_view origin, std::string_view host) const {
  auto const& own = origin_.empty() ? origin_of("https://" + std::string(host)) : origin_;
  return !own.empty() && origin == own;
}

origin_verdict origin_rule::decide(request_origin const& request) const {
  if (request.fetch_site.count == 0) return origin_verdict::unknown_page;
  if (request.fetch_site.count > 1 || request.origin.count > 1) return origin_verdict::foreign_page;
  bool const reads = request.method == "GET" || request.method == "HEAD";
  auto const site = request.fetch_site.value;
  if (site != "same-origin" && !(reads && site == "none")) return origin_verdict::foreign_page;
  if (!reads && request.origin.count == 1 && !is_own(request.origin.value, request.host))
    return origin_verdict::foreign_page;
  return origin_verdict::own_page;
}

std::string_view refusal_sentence(origin_verdict verdict) {
  switch (verdict) {
    case origin_verdict::own_page:
      return {};
    case origin_verdict::unknown_page:
      return "The header Sec-Fetch-Site is missing, so this request may come from another site. Use a current "
             "browser; "
             "proxies in front of the service must forward the headers Sec-Fetch-Site and Origin unchanged.";
    case origin_verdict::foreign_page:
      break;
  }
  return "Another site made this request. Only pages of this service may use a session; if it came from one of them, "
         "a "
         "proxy changed the headers Sec-Fetch-Site, Origin or Host, or public_url names another origin.";
}

}  // namespace svc::sign_in
