#include "http/public_pages/answers.hpp"

#include "svc/core/time.hpp"
#include "svc/http/error_table.hpp"
#include "svc/http/headers.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace svc::public_pages {
namespace {

constexpr std::string_view shared_caching = "public, max-age=30, stale-while-revalidate=60, stale-if-error=300";
constexpr std::string_view private_caching = "private, no-store";
constexpr std::string_view html_type = "text/html; charset=utf-8";
constexpr std::string_view packed_suffix = "-gzip";
constexpr std::chrono::seconds retry_of_page{5};
/// The fields that tell a refused client what to do.
constexpr std::array<std::string_view, 4> advice_fields{"Allow", "Retry-After", "RateLimit", "RateLimit-Policy"};

void set_common_fields(http::response& out, std::string_view policy) {
  out.set("X-Content-Type-Options", "nosniff");
  out.set("Content-Security-Policy", std::string(policy));
  out.set("Referrer-Policy", "no-referrer");
}

/// Other origins may embed a logo and a badge, and read the data of a page that everybody may see. The page's own
/// document is one of them, because its sandbox has an opaque origin.
void set_origin_fields(http::response& out, page_form form, answer_rules const& rules) {
  bool const readable = rules.shared && !is_html(form);
  out.set("Cross-Origin-Resource-Policy", readable || form == page_form::logo ? "cross-origin" : "same-origin");
  if (readable && form != page_form::logo) out.set("Access-Control-Allow-Origin", "*");
}

std::string_view policy_of(page_form form, answer_rules const& rules) {
  if (is_html(form)) return rules.policy;
  if (form == page_form::logo) return pages::logo_policy;
  return "default-src 'none'; frame-ancestors 'none'";
}

/// RFC 9110 13.2.2: If-Modified-Since counts only without If-None-Match. The exact text is compared, because clients
/// send back what they have received.
bool is_unchanged(http::request const& head, std::string_view tag, std::string_view changed) {
  auto const read = http::read_entity_tags(head, "If-None-Match");
  if (!read) return false;
  if (!*read) return head.count("If-Modified-Since") == 1 && *head.find("If-Modified-Since") == changed;
  return (*read)->any || std::ranges::any_of((*read)->tags, [tag](http::entity_tag const& each) {
           auto opaque = each.opaque;
           if (opaque.ends_with(packed_suffix)) opaque.remove_suffix(packed_suffix.size());
           return opaque == tag;
         });
}

http::response fixed_page(unsigned status, std::shared_ptr<std::string const> text, std::string_view type,
                          std::string_view policy) {
  http::response out;
  out.status = status;
  out.content_type = type;
  out.shared_body = std::move(text);
  out.set("Cache-Control", "no-store");
  set_common_fields(out, policy);
  return out;
}

}  // namespace

answer_rules rules_of(published_page const& page, pages::page_address const& address) {
  auto const visible = page.snapshot.page.visible;
  return {.shared = visible == pages::visibility::listed || visible == pages::visibility::unlisted,
          .listed = visible == pages::visibility::listed,
          .policy = pages::html_policy(address, visible)};
}

http::response rendered_answer(http::request const& head, page_form form, rendering const& made,
                               answer_rules const& rules) {
  bool const packed = made.gzip && http::prefers_gzip(head);
  auto const changed = to_http_date(made.changed);
  http::response out;
  out.fields.reserve(12);
  out.set("ETag", "\"" + made.tag + (packed ? std::string(packed_suffix) : std::string()) + "\"");
  out.set("Last-Modified", changed);
  out.set("Cache-Control", std::string(rules.shared ? shared_caching : private_caching));
  if (made.gzip) out.set("Vary", "Accept-Encoding");
  if (!rules.listed) out.set("X-Robots-Tag", "noindex");
  set_common_fields(out, policy_of(form, rules));
  set_origin_fields(out, form, rules);
  if (is_unchanged(head, made.tag, changed)) {
    out.status = 304;
    return out;
  }
  out.content_type = made.content_type;
  if (form == page_form::logo) out.set("Content-Disposition", "attachment");
  if (packed) out.set("Content-Encoding", "gzip");
  out.shared_body = packed ? made.gzip : made.plain;
  out.held = made.held;
  return out;
}

fixed_texts::fixed_texts()
    : missing_page_(std::make_shared<std::string const>(pages::missing_html())),
      unavailable_page_(std::make_shared<std::string const>(pages::unavailable_html())),
      limited_page_(std::make_shared<std::string const>(pages::limited_html())),
      refused_page_(std::make_shared<std::string const>(pages::refused_html())),
      missing_badge_(std::make_shared<std::string const>(pages::missing_badge_svg())),
      policy_(pages::bare_html_policy()),
      asking_policy_(pages::asking_html_policy()) {}

http::response fixed_texts::missing(http::request const& head, page_form form, std::string_view request_id) const {
  if (form == page_form::badge) {
    auto out = fixed_page(404, missing_badge_, "image/svg+xml", "default-src 'none'; frame-ancestors 'none'");
    set_origin_fields(out, form, {});
    return out;
  }
  if (is_html(form)) return fixed_page(404, missing_page_, html_type, policy_);
  return error_answer(head, {errc::not_found, "There is no public status page at this address."}, request_id);
}

http::response fixed_texts::asking(std::string path) const {
  auto out = fixed_page(404, missing_page_, html_type, asking_policy_);
  out.set("Refresh", "0; url=" + std::move(path));
  return out;
}

http::response fixed_texts::unavailable(http::request const& head, page_form form,
                                        std::string_view request_id) const {
  if (!is_html(form)) return error_answer(head, errc::unavailable, request_id);
  auto out = fixed_page(503, unavailable_page_, html_type, policy_);
  out.set("Retry-After", std::to_string(retry_of_page.count()));
  return out;
}

http::response fixed_texts::as_page(http::response const& refusal) const {
  auto const& text = refusal.status == 404   ? missing_page_
                     : refusal.status == 429 ? limited_page_
                     : refusal.status >= 500 ? unavailable_page_
                                             : refused_page_;
  auto out = fixed_page(refusal.status, text, html_type, policy_);
  for (auto const& [name, value] : refusal.fields)
    if (std::ranges::find(advice_fields, name) != advice_fields.end()) out.set(name, value);
  return out;
}

http::response error_answer(http::request const& head, error const& failure, std::string_view request_id) {
  auto out = http::error_response(failure, request_id, http::prefers_problem_json(head));
  out.set("Cache-Control", "no-store");
  http::set_security_fields(out);
  return out;
}

http::response limited_answer(http::request const& head, limit_decision const& decision,
                              std::string_view request_id) {
  auto out = error_answer(head, errc::rate_limited, request_id);
  out.set("RateLimit-Policy", policy_value(decision));
  out.set("RateLimit", state_value(decision));
  out.set("Retry-After", std::to_string(seconds_until(decision.retry_micros, decision.now_micros, 1)));
  return out;
}

http::response method_answer(http::request const& head, std::string_view allowed, std::string_view request_id) {
  if (head.method != "OPTIONS") {
    auto out = error_answer(head, errc::method_not_allowed, request_id);
    out.set("Allow", std::string(allowed));
    return out;
  }
  http::response out;
  out.status = 204;
  out.set("Allow", std::string(allowed));
  out.set("Cache-Control", "no-store");
  http::set_security_fields(out);
  return out;
}

http::response moved_answer(http::request const& head, std::string location) {
  http::response out;
  // A form is sent again as it was.
  out.status = head.method == "POST" ? 307 : 302;
  out.set("Location", std::move(location));
  out.set("Cache-Control", "no-store");
  http::set_security_fields(out);
  return out;
}

http::response private_page(unsigned status, std::string html, answer_rules const& rules) {
  http::response out;
  out.status = status;
  out.content_type = html_type;
  out.body = std::move(html);
  out.set("Cache-Control", "no-store");
  out.set("X-Robots-Tag", "noindex");
  set_common_fields(out, rules.policy);
  out.set("Cross-Origin-Resource-Policy", "same-origin");
  return out;
}

http::response accepted_answer(answer_rules const& rules) {
  http::response out;
  out.status = 202;
  out.content_type = "application/json";
  out.body = "{}";
  out.set("Cache-Control", "no-store");
  http::set_security_fields(out);
  set_origin_fields(out, page_form::subscribe, rules);
  return out;
}

}  // namespace svc::public_pages
