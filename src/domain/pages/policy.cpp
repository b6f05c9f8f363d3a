#include "domain/pages/frame.hpp"
#include "svc/core/hash.hpp"

namespace svc::pages {
namespace {

/// Returns the source expression of an inline text (CSP3 section 2.3.1).
std::string hash_source(std::string_view text) {
  return "'sha256-" + to_base64(sha256(text)) + "'";
}

std::string const& style_source() {
  static std::string const source = hash_source(page_style());
  return source;
}

std::string const& script_source() {
  static std::string const source = hash_source(page_script());
  return source;
}

constexpr std::string_view closed = "; base-uri 'none'; frame-ancestors 'none'; sandbox";
constexpr std::string_view closed_without_sandbox = "; base-uri 'none'; frame-ancestors 'none'";

std::string bare_sources() {
  return "default-src 'none'; style-src " + style_source() + "; form-action 'none'";
}

}  // namespace

// The sandbox without `allow-same-origin` gives the document an opaque origin, so `'self'` would match nothing in
// some browsers; the origin stands in its place.
std::string html_policy(page_address const& address, visibility visible) {
  auto const& origin = address.origin();
  auto out = "default-src 'none'; style-src " + style_source() + "; img-src " + origin + "; form-action " + origin;
  if (!has_script(visible)) return out.append(closed).append(" allow-forms");
  out += "; script-src " + script_source() + "; connect-src " + origin;
  return out.append(closed).append(" allow-forms allow-scripts");
}

std::string bare_html_policy() {
  return bare_sources().append(closed);
}

std::string asking_html_policy() {
  return bare_sources().append(closed_without_sandbox);
}

}  // namespace svc::pages
