// The answers of a site once the page is known.
#include "http/public_pages/site_impl.hpp"

#include "svc/core/ascii.hpp"
#include "svc/domain/pages/inputs.hpp"
#include "svc/http/headers.hpp"
#include "svc/http/json.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>

namespace svc::public_pages {
namespace {

namespace json = boost::json;

constexpr std::size_t most_form = 4UL * 1024, most_json = 64UL * 1024;
constexpr std::size_t longest_address = 320, most_wished = 100;
/// Visitors who wait longer for a logo would fill the worker while the database is frozen.
constexpr milliseconds logo_patience{2000};

bool is_form(http::request const& head) {
  auto rest = head.find("Content-Type").value_or("");
  auto const type = http::next_parameter(rest);
  return type && iequals(*type, "application/x-www-form-urlencoded");
}

error wrong_member(std::string field, std::string reason) {
  return {errc::validation_failed, {}, {{std::move(field), std::move(reason)}}};
}

result<std::vector<uuid>> components_of(json::value const& member) {
  constexpr auto field = "/componentIds";
  auto const* const list = member.if_array();
  if (list == nullptr || list->size() > most_wished) return wrong_member(field, "must be a list of at most 100 ids");
  std::vector<uuid> out;
  for (auto const& each : *list) {
    auto const id = each.is_string() ? uuid::parse(each.get_string()) : std::nullopt;
    if (!id) return wrong_member(field, "must have only UUIDs");
    out.push_back(*id);
  }
  return out;
}

result<> check_address(std::string_view address) {
  bool const good = !address.empty() && address.size() <= longest_address && address.find('@') != address.npos;
  if (good) return {};
  return wrong_member("/email", "must be an address of mail with at most 320 characters");
}

result<subscription_wish> wish_of(json::object const& members) {
  subscription_wish out;
  for (auto const& [name, value] : members) {
    if (name == "email" && value.is_string()) {
      out.address = std::string(value.get_string());
    } else if (name == "componentIds") {
      auto read = components_of(value);
      if (!read) return read.error();
      out.components = std::move(*read);
    } else {
      return wrong_member("/" + std::string(name), name == "email" ? "must be a string" : "is not known");
    }
  }
  return out;
}

}  // namespace

result<subscription_wish> read_wish(std::string_view body, bool by_form) {
  subscription_wish out;
  if (by_form) {
    out.address = std::string(trim(pages::form_value(body, "email").value_or("")));
  } else {
    auto const parsed = http::parse_json(body);
    if (!parsed) return parsed.error();
    auto const* const members = parsed->if_object();
    if (members == nullptr) return wrong_member("", "must be an object");
    auto read = wish_of(*members);
    if (!read) return read.error();
    out = std::move(*read);
  }
  out.by_form = by_form;
  if (auto const fine = check_address(out.address); !fine) return fine.error();
  return out;
}

task<http::response> site::impl::show(request_state& r, found_page const& found) {
  auto const& page = found.held.page->snapshot.page;
  switch (r.route.form) {
    case page_form::rss:
    case page_form::json_feed:
    case page_form::calendar:
      if (!page.feeds) co_return fail(r, errc::feeds_disabled);
      break;
    case page_form::logo:
      co_return co_await show_logo(r, found);
    case page_form::subscription:
      co_return co_await show_link(r, found);
    case page_form::subscribe:
      co_return co_await subscribe(r, found);
    default:
      break;
  }
  co_return co_await show_rendering(r, found);
}

task<http::response> site::impl::show_rendering(request_state& r, found_page const& found) {
  auto const now = snapshots_.now();
  pages::page_view const view{found.held.page->snapshot, found.address, now};
  rendering_key key{view.snapshot.page.id, r.route.form, r.on_domain, r.route.item};
  if (r.route.form == page_form::history) {
    auto const asked = query_value(r.route.query, "month");
    auto const month = asked ? pages::parse_month(*asked) : pages::current_month(view);
    if (!month) co_return miss(r);
    key.month = static_cast<int>(month->year()) * 12 + static_cast<int>(static_cast<unsigned>(month->month())) - 1;
  }
  auto const got = co_await renderings_.find(key, found.held, found.address, now, r.v.until);
  if (got.no_room) co_return fail(r, errc::overloaded);
  if (!got.made) co_return miss(r);
  co_return rendered_answer(r.v.head, r.route.form, *got.made, rules_of(*found.held.page, found.address));
}

task<http::response> site::impl::show_logo(request_state& r, found_page const& found) {
  auto const& page = *found.held.page;
  auto const& facts = page.snapshot.page;
  if (facts.logo_type.empty()) co_return miss(r);
  auto made = renderings_.find_logo(facts.id, page.version);
  if (!made) {
    auto stored = co_await read_logo(facts.id, r.v.until.within(logo_patience));
    if (!stored) co_return miss(r);
    auto const kept = renderings_.keep_logo(page, std::move(*stored), page.snapshot.as_of);
    if (kept.no_room) co_return fail(r, errc::overloaded);
    made = kept.made;
  }
  if (!made) co_return miss(r);
  co_return rendered_answer(r.v.head, page_form::logo, *made, rules_of(page, found.address));
}

task<std::optional<page_logo>> site::impl::read_logo(uuid page, deadline until) {
  if (health_.away(steady::now())) throw unavailable("a logo needs the database");
  try {
    co_return co_await parts_.source.logo(page, until);
  } catch (unavailable const&) {
    health_.failed(steady::now());
    throw;
  }
}

task<http::response> site::impl::show_link(request_state& r, found_page const& found) {
  auto const page = found.held.page;
  auto const id = page->snapshot.page.id;
  std::string const token(r.route.token);
  if (health_.away(steady::now())) throw unavailable("links need the database");
  // Guesses must not show strangers that a page exists which they may not see.
  bool const admitted = co_await is_admitted(r, *page);
  if (!admitted && co_await parts_.desk.find_link(id, token, r.v.until) == pages::subscription_step::link_over)
    co_return miss(r);
  auto step = pages::subscription_step::link_over;
  if (r.v.head.method == "POST") {
    auto body = co_await read_body(r, most_form);
    if (!body) co_return fail(r, body.error());
    auto const done = co_await parts_.desk.act(id, token, std::move(*body), r.v.until);
    if (!done) co_return fail(r, {errc::validation_failed, "The body must name an action of the link."});
    step = *done;
  } else {
    step = co_await parts_.desk.find_link(id, token, r.v.until);
  }
  bool const over = step == pages::subscription_step::link_over;
  if (over) {
    if (auto refused = count_unknown(r)) co_return std::move(*refused);
  }
  pages::page_view const view{page->snapshot, found.address, snapshots_.now()};
  co_return private_page(over ? 404 : 200, pages::subscription_html(view, step, token),
                         rules_of(*page, found.address));
}

task<http::response> site::impl::subscribe(request_state& r, found_page const& found) {
  auto const page = found.held.page;
  if (!page->snapshot.page.subscribers) co_return miss(r);
  if (health_.away(steady::now())) throw unavailable("subscriptions need the database");
  bool const by_form = is_form(r.v.head);
  if (!by_form && !http::is_json_media_type(r.v.head.find("Content-Type").value_or("")))
    co_return fail(r, errc::unsupported_media_type);
  auto const body = co_await read_body(r, by_form ? most_form : most_json);
  if (!body) co_return fail(r, body.error());
  auto wish = read_wish(*body, by_form);
  if (!wish) co_return fail(r, wish.error());
  bool const taken = co_await parts_.desk.request(page->snapshot.page.id, std::move(wish->address),
                                                  std::move(wish->components), r.v.until);
  if (!taken) co_return fail(r, errc::overloaded);
  auto const rules = rules_of(*page, found.address);
  if (!by_form) co_return accepted_answer(rules);
  pages::page_view const view{page->snapshot, found.address, snapshots_.now()};
  co_return private_page(202, pages::subscription_html(view, pages::subscription_step::asked, ""), rules);
}

task<result<std::string>> site::impl::read_body(request_state const& r, std::size_t limit) {
  if (!http::is_plain_content(r.v.head)) co_return errc::unsupported_content_coding;
  if (!r.v.head.has_body) co_return error(errc::validation_failed, "This needs a body.");
  auto text = co_await r.v.body.read(limit, http::body_share(parts_.bodies, uuid()));
  if (!text) co_return text.error();
  co_return text->joined();
}

}  // namespace svc::public_pages
