#include "svc/http/site/pages.hpp"

#include "svc/core/ascii.hpp"
#include "svc/core/bytes.hpp"
#include "svc/core/random.hpp"
#include "svc/http/error_table.hpp"
#include "svc/http/headers.hpp"
#include "svc/http/target.hpp"
#include "svc/sign_in/cookies.hpp"

#include <algorithm>
#include <utility>

namespace svc::site {
namespace {

constexpr std::string_view theme_cookie = "svc_theme";
constexpr std::array<std::string_view, 2> chosen_themes{"light", "dark"};
constexpr std::string_view theme_of_system = "system";

/// The features of browsers, so that only `clipboard-write` is left. Chromium reports features that it does not know
/// as errors.
constexpr std::string_view permissions =
    "accelerometer=(), autoplay=(), camera=(), clipboard-read=(), clipboard-write=(self), display-capture=(), "
    "encrypted-media=(), fullscreen=(), gamepad=(), geolocation=(), gyroscope=(), hid=(), idle-detection=(), "
    "magnetometer=(), microphone=(), midi=(), payment=(), picture-in-picture=(), publickey-credentials-get=(), "
    "screen-wake-lock=(), serial=(), sync-xhr=(), usb=(), xr-spatial-tracking=()";

/// Only styles have a nonce: scripts come from files of this origin.
std::string content_policy(std::string_view nonce) {
  return std::string("default-src 'none'; script-src 'self'; style-src 'self' 'nonce-")
      .append(nonce)
      .append(
          "'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
          "require-trusted-types-for 'script'; trusted-types 'none'");
}

std::string fresh_nonce() {
  std::array<std::uint8_t, 16> bytes;
  random_bytes(bytes);
  return to_base64(bytes);
}

/// Returns the theme that the user has chosen. Any other value of the cookie, and two cookies, leave it to the
/// system.
std::string_view theme_of(http::request const& head) {
  sign_in::cookie_search search(theme_cookie);
  for (auto const& field : head.fields)
    if (iequals(field.name, "Cookie")) search.read(field.value);
  auto const found = std::ranges::find(chosen_themes, search.value());
  return found == chosen_themes.end() ? theme_of_system : *found;
}

bool reads(http::request const& head) {
  return head.method == "GET" || head.method == "HEAD";
}

http::response refusal(http::request const& head, error const& failure, std::string_view request_id) {
  auto out = http::error_response(failure, request_id, http::prefers_problem_json(head));
  out.set("Cache-Control", "no-store");
  http::set_security_fields(out);
  return out;
}

http::response redirect_to_app() {
  http::response out;
  out.status = 302;
  out.set("Location", "/app/");
  out.set("Vary", "Accept");
  out.set("Cache-Control", "no-store");
  http::set_security_fields(out);
  return out;
}

http::response index_page(http::request const& head, page_bundle const& bundle) {
  auto const nonce = fresh_nonce();
  http::response out;
  out.content_type = "text/html; charset=utf-8";
  out.body = bundle.index(nonce, theme_of(head));
  out.set("Cache-Control", "no-store");
  out.set("Content-Security-Policy", content_policy(nonce));
  out.set("Cross-Origin-Opener-Policy", "same-origin");
  out.set("Permissions-Policy", std::string(permissions));
  out.set("Referrer-Policy", "no-referrer");
  out.set("X-Content-Type-Options", "nosniff");
  return out;
}

/// True if If-None-Match names the file in any of its forms: a browser that has one form needs no other.
bool is_known(http::request const& head, std::string_view tag) {
  auto const read = http::read_entity_tags(head, "If-None-Match");
  if (!read || !*read) return false;
  return (*read)->any || std::ranges::any_of((*read)->tags, [tag](http::entity_tag const& each) {
           return each.opaque.substr(0, each.opaque.find('-')) == tag;
         });
}

http::response file_answer(http::request const& head, page_file const& file, std::string_view caching) {
  auto coding = http::preferred_coding(head, file.brotli != nullptr);
  if (coding == http::content_coding::gzip && !file.gzip) coding = http::content_coding::identity;
  std::string_view const suffix = coding == http::content_coding::brotli ? "-br"
                                  : coding == http::content_coding::gzip ? "-gzip"
                                                                         : "";
  http::response out;
  out.set("ETag", std::string("\"").append(file.tag).append(suffix).append("\""));
  out.set("Cache-Control", std::string(caching));
  if (file.gzip || file.brotli) out.set("Vary", "Accept-Encoding");
  http::set_security_fields(out);
  if (is_known(head, file.tag)) {
    out.status = 304;
    return out;
  }
  out.content_type = file.content_type;
  if (coding == http::content_coding::brotli) out.set("Content-Encoding", "br");
  if (coding == http::content_coding::gzip) out.set("Content-Encoding", "gzip");
  out.shared_body = coding == http::content_coding::brotli ? file.brotli
                    : coding == http::content_coding::gzip ? file.gzip
                                                           : file.plain;
  return out;
}

}  // namespace

page_path find_page(std::string_view target, std::string_view host) {
  auto const rest = http::without_authority(target, host);
  // The pipeline refuses what no target may hold.
  if (!rest || !std::ranges::all_of(*rest, [](char c) { return c > ' ' && c < 0x7f && c != '#'; })) return {};
  auto path = rest->substr(0, rest->find('?'));
  // An absolute-form may have no path.
  if (path == "/" || (path.empty() && rest->size() < target.size())) return {page_kind::root};
  constexpr std::string_view app = "/app", boot = "/boot.js", assets = "/assets/";
  if (!path.starts_with(app)) return {};
  path.remove_prefix(app.size());
  if (!path.empty() && path.front() != '/') return {};
  if (path == boot) return {page_kind::boot};
  if (path.starts_with(assets)) return {page_kind::asset, path.substr(assets.size())};
  return {page_kind::index};
}

pages::pages(bool enabled, std::function<bundle_ptr()> find, metrics& counters)
    : enabled_(enabled), find_(std::move(find)) {
  constexpr std::array<char const*, 8> kinds{"root", "index", "boot", "asset", "missing", "method", "absent", "shed"};
  for (std::size_t i = 0; i < kinds.size(); ++i)
    counted_[i] = counters.make_counter("svc_page_requests_total",
                                        "Requests for pages: of the dashboard by kind, for status pages by source",
                                        {{"kind", kinds[i]}});
}

std::string pages::bundle() const {
  auto const bundle = enabled_ ? find_() : nullptr;
  return bundle ? bundle->name() : std::string();
}

pages::page_answer pages::make(http::request const& head, page_path const& page, std::string_view request_id,
                               bool overloaded) const {
  if (overloaded) return {outcome::shed, refusal(head, errc::overloaded, request_id)};
  auto const bundle = enabled_ ? find_() : nullptr;
  if (!bundle) {
    error failure(errc::dashboard_not_built);
    if (!enabled_) failure.message = "The dashboard is switched off here; ask the operator (dashboard.enabled).";
    return {outcome::absent, refusal(head, failure, request_id)};
  }
  if (!reads(head)) {
    auto out = refusal(head, errc::method_not_allowed, request_id);
    out.set("Allow", "GET, HEAD");
    return {outcome::method, std::move(out)};
  }
  if (page.kind == page_kind::root) return {outcome::root, redirect_to_app()};
  if (page.kind == page_kind::index) return {outcome::index, index_page(head, *bundle)};
  if (page.kind == page_kind::boot) return {outcome::boot, file_answer(head, bundle->boot(), "no-cache")};
  auto const* const file = bundle->asset(page.name);
  if (file != nullptr) return {outcome::asset, file_answer(head, *file, "public, max-age=31536000, immutable")};
  return {outcome::missing,
          refusal(head, {errc::not_found, "This version of the dashboard has no such file; load the page again."},
                  request_id)};
}

std::optional<http::response> pages::answer(http::request const& head, std::string_view request_id, bool overloaded) {
  // Nearly all requests are for the API, whose paths differ at the third character.
  if (head.target.starts_with("/api/") || head.target.starts_with("/dashboard/")) return std::nullopt;
  auto const page = find_page(head.target, head.find("Host").value_or(""));
  if (page.kind == page_kind::none) return std::nullopt;
  // Without a dashboard, and for programs, `/` is a path of the API that does not exist.
  if (page.kind == page_kind::root && (!reads(head) || !http::prefers_html(head) || bundle().empty()))
    return std::nullopt;
  auto [kind, out] = make(head, page, request_id, overloaded);
  counted_[static_cast<std::size_t>(kind)].add();
  out.set("X-Request-Id", std::string(request_id));
  out.set("Cross-Origin-Resource-Policy", "same-origin");
  out.head_only = head.method == "HEAD";
  return std::move(out);
}

}  // namespace svc::site
