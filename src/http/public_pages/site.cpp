#include "svc/http/public_pages/site.hpp"

#include "http/public_pages/site_impl.hpp"
#include "svc/core/log.hpp"
#include "svc/domain/principal.hpp"
#include "svc/http/headers.hpp"
#include "svc/http/target.hpp"

#include <algorithm>
#include <utility>

namespace svc::public_pages {
namespace {

/// The longest time that an API request with an unknown host waits for the directory.
constexpr milliseconds domain_patience{500};

bool is_read(http::request const& head) {
  return head.method == "GET" || head.method == "HEAD";
}

std::string_view methods_of(page_form form) {
  if (form == page_form::subscribe) return "POST, OPTIONS";
  return form == page_form::subscription ? "GET, HEAD, POST, OPTIONS" : "GET, HEAD, OPTIONS";
}

bool takes(page_form form, http::request const& head) {
  bool const posts = form == page_form::subscribe || form == page_form::subscription;
  return (head.method == "POST" && posts) || (is_read(head) && form != page_form::subscribe);
}

/// Returns true if a browser opens the address from a page of another origin, so that it leaves out the session's
/// cookie (`SameSite=Strict`). Links inside a status page are such ones, because the sandbox has an opaque origin.
bool lacks_cookie(http::request const& head) {
  return head.method == "GET" && head.find("Sec-Fetch-Site") == "cross-site" &&
         head.find("Sec-Fetch-Mode") == "navigate";
}

/// Returns true if the answer is a refusal in JSON for which people have a page: that of a form, or one that says
/// only to come again.
bool has_page(http::request const& head, http::response const& answer) {
  if (answer.status < 400 || !answer.content_type.starts_with("application/")) return false;
  return head.method == "POST" || answer.status == 404 || answer.status == 429 || answer.status >= 500;
}

/// The windows that all instances share; `page` stands for the worker's own one.
rate_class class_of_form(page_form form) {
  switch (form) {
    case page_form::rss:
    case page_form::json_feed:
    case page_form::calendar:
    case page_form::badge:
      return rate_class::feed;
    case page_form::subscribe:
      return rate_class::anonymous;
    default:
      return rate_class::page;
  }
}

}  // namespace

account_terms memory_terms(std::size_t worker_bytes, std::size_t workers) {
  return rendering_terms(worker_bytes, workers);
}

account_terms time_terms(std::size_t workers) {
  return render_shares::terms(workers);
}

site::site(site_parts parts) : impl_(std::make_unique<impl>(std::move(parts))) {}
site::~site() = default;

bool site::concerns(http::request const& head) const {
  return impl_->concerns(head);
}

task<std::optional<http::response>> site::answer(visit visit) {
  co_return co_await impl_->answer(visit);
}

site::impl::impl(site_parts given)
    : parts_(std::move(given)),
      copies_(parts_.redis, parts_.copies),
      names_({parts_.io, parts_.source, copies_, health_}),
      snapshots_({parts_.io, parts_.source, copies_, parts_.slots, health_,
                  parts_.counters.make_histogram("svc_page_rebuild_seconds",
                                                 "Time to build a status page from the database"),
                  parts_.now, parts_.memory_bytes}),
      renderings_(parts_.io, parts_.memory, parts_.time, parts_.memory_bytes),
      windows_(parts_.limits) {
  constexpr std::array<char const*, answer_source_count> sources{"memory",  "database", "redis",      "stale",
                                                                 "missing", "limited",  "unavailable"};
  for (std::size_t i = 0; i < sources.size(); ++i)
    counted_[i] = parts_.counters.make_counter(
        "svc_page_requests_total", "Requests for pages: of the dashboard by kind, for status pages by source",
        {{"source", sources[i]}});
}

bool site::impl::concerns(http::request const& head) const {
  auto const host = head.find("Host").value_or("");
  auto const target = http::without_authority(head.target, host);
  if (!target) return false;
  if (find_service_route(*target).content != page_route::outcome::foreign) return true;
  return domain_of_host(host, own_host()).has_value();
}

task<std::optional<http::response>> site::impl::answer(visit const& v) {
  auto const target = http::without_authority(v.head.target, v.head.find("Host").value_or(""));
  if (!target) co_return std::nullopt;
  request_state r{.v = v, .subject = address_subject(v.head.client_address)};
  std::optional<http::response> out;
  try {
    out = co_await place(r, *target);
    if (!out && r.route.content == page_route::outcome::foreign) co_return std::nullopt;
    if (!out) out = co_await serve(r);
  } catch (unavailable const& gone) {
    log::warn("a status page is unavailable", {{"requestId", v.request_id}, {"reason", gone.what()}});
    forgive(r);
    r.source = answer_source::unavailable;
    out = fixed_.unavailable(v.head, r.route.form, v.request_id);
  }
  if (http::prefers_html(v.head) && has_page(v.head, *out)) out = fixed_.as_page(*out);
  counted_[static_cast<std::size_t>(r.source)].add();
  out->set("X-Request-Id", std::string(v.request_id));
  out->head_only = v.head.method == "HEAD";
  co_return out;
}

/// Finds out whether the request's host is the domain of a page. A host without a page costs API requests a lookup
/// only the first time; later ones do not wait for it.
task<site::impl::domain_state> site::impl::state_of(std::string domain, std::string subject, deadline until) {
  page_name const name{name_kind::domain, std::move(domain)};
  auto const known = names_.remembered(name);
  if (known && !known->fresh) names_.refresh(name);
  if (known) co_return known->page ? domain_state::page : domain_state::other;
  if (!names_.is_asked(name) && !windows_.may_look_up(subject, steady::now())) co_return domain_state::unknown;
  try {
    auto const found = co_await names_.find(name, until.within(domain_patience));
    co_return found ? domain_state::page : domain_state::other;
  } catch (unavailable const&) {
    co_return domain_state::unknown;
  }
}

/// Fills in the route. Returns an answer if nothing else has to be known.
task<std::optional<http::response>> site::impl::place(request_state& r, std::string_view target) {
  r.route = find_service_route(target);
  auto domain = domain_of_host(r.v.head.find("Host").value_or(""), own_host());
  if (!domain) co_return std::nullopt;
  auto const state = co_await state_of(*domain, r.subject, r.v.until);
  if (state == domain_state::other) co_return std::nullopt;
  auto const own = find_domain_route(*domain, target);
  if (state == domain_state::page) {
    r.route = own;
    r.on_domain = true;
    co_return std::nullopt;
  }
  // The host may be a page's domain. A path that only a page has must not show anything else meanwhile.
  bool const of_page = own.content == page_route::outcome::found && is_read(r.v.head);
  if (r.route.content != page_route::outcome::foreign || !of_page) co_return std::nullopt;
  r.route = own;
  r.source = answer_source::unavailable;
  co_return fixed_.unavailable(r.v.head, own.form, r.v.request_id);
}

task<http::response> site::impl::serve(request_state& r) {
  if (r.v.overloaded) {
    r.source = answer_source::unavailable;
    co_return fail(r, errc::overloaded);
  }
  if (!takes(r.route.form, r.v.head)) co_return method_answer(r.v.head, methods_of(r.route.form), r.v.request_id);
  if (auto refused = co_await over_limit(r)) co_return std::move(*refused);
  if (r.route.content == page_route::outcome::missing) co_return miss(r);
  auto found = co_await find(r);
  if (found.refusal) co_return std::move(*found.refusal);
  r.source = static_cast<answer_source>(found.held.origin);
  co_return co_await show(r, found);
}

task<std::optional<http::response>> site::impl::over_limit(request_state& r) {
  auto const which = class_of_form(r.route.form);
  auto const decision = which == rate_class::page ? windows_.count(r.subject, steady::now(), snapshots_.now())
                                                  : co_await parts_.count(which, r.subject, r.v.until);
  if (decision.admitted) co_return std::nullopt;
  r.source = answer_source::limited;
  co_return limited_answer(r.v.head, decision, r.v.request_id);
}

/// Counts a request for something that may not exist, once.
std::optional<http::response> site::impl::count_unknown(request_state& r) {
  if (std::exchange(r.miss_counted, true)) return std::nullopt;
  auto const decision = windows_.count_miss(r.subject, steady::now(), snapshots_.now());
  if (decision.admitted) return std::nullopt;
  r.source = answer_source::limited;
  return limited_answer(r.v.head, decision, r.v.request_id);
}

/// Takes a counted miss back, because the thing exists or nobody knows whether it does.
void site::impl::forgive(request_state& r) {
  if (std::exchange(r.miss_counted, false)) windows_.take_back_miss(r.subject);
}

http::response site::impl::miss(request_state& r) {
  r.source = answer_source::missing;
  if (auto refused = count_unknown(r)) return std::move(*refused);
  if (auto path = path_for_members(r)) return fixed_.asking(std::move(*path));
  return fixed_.missing(r.v.head, r.route.form, r.v.request_id);
}

/// A page for members may be behind every address, so every missing page lets the browser ask once more.
std::optional<std::string> site::impl::path_for_members(request_state const& r) {
  bool const possible = !r.on_domain && r.route.content == page_route::outcome::found && is_html(r.route.form);
  return possible && lacks_cookie(r.v.head) ? repeated_path(r.route) : std::nullopt;
}

/// A slug or a domain may have moved to another page since it was remembered. The page itself tells.
task<std::optional<located_page>> site::impl::locate(request_state& r, held_page& held) {
  auto const& name = r.route.name;
  for (int attempt = 0; attempt < 2; ++attempt) {
    auto const found = co_await names_.find(name, r.v.until);
    if (!found) co_return std::nullopt;
    held = co_await snapshots_.find(found->id, r.v.until);
    bool const named = held.page && (name.kind == name_kind::id || found->former ||
                                     (name.kind == name_kind::slug && held.page->snapshot.page.slug == name.text) ||
                                     (name.kind == name_kind::domain && held.page->domain == name.text));
    if (named) co_return found;
    names_.forget(name);
  }
  co_return std::nullopt;
}

task<site::impl::found_page> site::impl::find(request_state& r) {
  found_page out;
  auto const known = names_.remembered(r.route.name);
  bool const unknown = !known || !known->fresh;
  // Visitors of one name that arrive together ask once, so that only the first of them may be guessing.
  if (unknown && !names_.is_asked(r.route.name)) {
    out.refusal = count_unknown(r);
    if (out.refusal) co_return out;
    if (!windows_.may_look_up(r.subject, steady::now())) {
      forgive(r);
      r.source = answer_source::unavailable;
      out.refusal = fixed_.unavailable(r.v.head, r.route.form, r.v.request_id);
      co_return out;
    }
  }
  auto const located = co_await locate(r, out.held);
  if (!located || !co_await may_see(r, *out.held.page)) {
    out.refusal = miss(r);
    co_return out;
  }
  auto const& page = *out.held.page;
  forgive(r);
  // The request without the cookie was a miss.
  if (page.snapshot.page.visible == pages::visibility::members && is_repeated(r.route))
    windows_.take_back_miss(r.subject);
  auto const& slug = page.snapshot.page.slug;
  // The one click of a mail must not be redirected (RFC 8058), and a redirect would show strangers a hidden page.
  bool const moves = r.route.form != page_form::subscription;
  if (located->former && moves && slug != r.route.name.text) {
    r.source = static_cast<answer_source>(out.held.origin);
    out.refusal = moved_answer(r.v.head, moved_path(r.route, slug));
    co_return out;
  }
  out.address = r.on_domain ? pages::page_address::on_domain("https://" + page.domain)
                            : pages::page_address::on_service(parts_.public_url, slug);
  co_return out;
}

/// The secret of a link admits its owner from everywhere, so that programs of mail can end a subscription.
task<bool> site::impl::may_see(request_state const& r, published_page const& page) const {
  if (r.route.form == page_form::subscription) co_return true;
  co_return co_await is_admitted(r, page);
}

/// Returns true if the page is visible for this visitor without a secret.
task<bool> site::impl::is_admitted(request_state const& r, published_page const& page) const {
  switch (page.snapshot.page.visible) {
    case pages::visibility::restricted: {
      auto const address = ip_address::parse(r.v.head.client_address);
      co_return address&& std::ranges::any_of(page.allowed,
                                              [&](cidr const& each) { return each.contains(*address); });
    }
    case pages::visibility::members:
      co_return !r.on_domain && r.v.is_member && co_await r.v.is_member(page.project, r.v.until);
    default:
      co_return true;
  }
}

http::response site::impl::fail(request_state const& r, error const& failure) const {
  return error_answer(r.v.head, failure, r.v.request_id);
}

}  // namespace svc::public_pages
