// This file has the common parts of answers: locations, pages of lists with their envelope and links, CORS fields.

#include "api/replies.hpp"

#include "api/conditional_request.hpp"
#include "svc/api/call.hpp"
#include "svc/api/exchange.hpp"
#include "svc/api/services.hpp"
#include "svc/core/turns.hpp"
#include "svc/http/deflate.hpp"

#include <algorithm>
#include <charconv>

namespace svc::api {
namespace {

/// Returns the text with all characters escaped but the unreserved ones of RFC 3986.
std::string percent_encoded(std::string_view text) {
  static constexpr char hex[] = "0123456789ABCDEF";
  std::string out;
  for (char c : text) {
    bool const plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
                       c == '.' || c == '_' || c == '~';
    if (plain) {
      out += c;
    } else {
      auto const byte = static_cast<unsigned char>(c);
      out += '%';
      out += hex[byte >> 4];
      out += hex[byte & 15];
    }
  }
  return out;
}

/// Returns a link to another page of the request's list. `cursor`, if any, names the row before the first row of that
/// page.
std::string page_link(call const& c, std::int64_t number, std::string_view relation, std::string_view cursor = {}) {
  auto const path = c.request.target.substr(0, c.request.target.find('?'));
  std::string link = "<" + c.use.public_url + std::string(path) + "?page=" + std::to_string(number);
  if (!cursor.empty()) link.append("&cursor=").append(cursor);
  for (auto const& [name, value] : c.query) {
    if (name != "page" && name != "cursor") link += "&" + percent_encoded(name) + "=" + percent_encoded(value);
  }
  return link + ">; rel=\"" + std::string(relation) + "\"";
}

std::int64_t number_of(std::optional<std::string_view> text, std::int64_t otherwise) {
  if (text) std::from_chars(text->data(), text->data() + text->size(), otherwise);
  return otherwise;
}

std::string_view order_of(call const& c) {
  return c.query_value("sort").value_or("");
}

/// Returns the links of a page. Only the `next` link of the page before leads to a page beyond the numbered rows.
std::string links_of(call const& c, page_request const& wanted, page_facts const& facts, std::int64_t pages) {
  std::string links = page_link(c, 1, "first");
  auto const last_numbered = (max_numbered_rows + wanted.limit - 1) / wanted.limit;
  auto const previous = std::min(wanted.number - 1, pages);
  if (wanted.number > 1 && facts.total > 0 && previous <= last_numbered)
    links += ", " + page_link(c, previous, "prev");
  if (facts.next) links += ", " + page_link(c, wanted.number + 1, "next", write_cursor(order_of(c), *facts.next));
  if (pages > 0 && !facts.total_is_estimate) links += ", " + page_link(c, pages, "last");
  return links;
}

constexpr std::string_view exposed =
    "ETag, Idempotent-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, "
    "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id";
constexpr std::string_view accepted =
    "Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, X-Request-Id";
/// Chromium caches no preflight answer for longer than two hours.
constexpr std::string_view kept_seconds = "7200";

/// Returns the request's origin if it is configured, otherwise nothing.
std::string_view origin_of(http::request const& head, std::vector<std::string> const& origins) {
  auto const asking = head.find("Origin");
  if (!asking || head.count("Origin") != 1) return {};
  auto const found = std::find(origins.begin(), origins.end(), *asking);
  return found == origins.end() ? std::string_view() : std::string_view(*found);
}

/// Sets Vary, because a cache must not serve one origin's answer to another.
void vary_by_origin(http::response& out) {
  auto const found =
      std::find_if(out.fields.begin(), out.fields.end(), [](auto const& f) { return f.first == "Vary"; });
  if (found == out.fields.end()) {
    out.set("Vary", "Origin");
  } else {
    found->second += ", Origin";
  }
}

}  // namespace

std::string location_of(std::string_view public_url, std::string_view path) {
  std::size_t const authority = public_url.find("://");
  std::size_t const prefix = authority == std::string_view::npos ? authority : public_url.find('/', authority + 3);
  std::string out(prefix == std::string_view::npos ? std::string_view() : public_url.substr(prefix));
  if (!out.empty() && out.back() == '/') out.pop_back();
  return out.append(path);
}

namespace {

/// The size of an object's values, in bytes, from which its text is large enough to be encoded. Not making such a
/// text saves work.
constexpr std::size_t large_values = 2 * least_encoded;

}  // namespace

std::string shown_tag(std::int64_t version, std::function<void(http::json_text&)> const& write) {
  http::json_text values(http::json_form::values);
  write(values);
  return entity_tag_of(version, values.take());
}

task<std::string> gzip_in_turns(std::string plain) {
  constexpr std::size_t piece = 64UL * 1024;
  constexpr int fast = 1;
  http::deflater encoder(http::deflate_format::gzip, fast);
  for (std::string_view rest = plain; !rest.empty(); rest.remove_prefix(std::min(piece, rest.size()))) {
    encoder.add(rest.substr(0, piece));
    if (rest.size() > piece) co_await others_turn();
  }
  co_return encoder.finish();
}

reply shown_reply(call const& c, std::int64_t version, std::function<void(http::json_text&)> const& write) {
  http::json_text values(http::json_form::values);
  write(values);
  auto const notified = values.take();
  reply out{.etag = entity_tag_of(version, notified)};
  out.unchanged = notified.size() >= large_values && not_modified(c.request, out.etag);
  if (!out.unchanged) out.text = http::written(write);
  return out;
}

reply created(call const& c, reply shown, std::string_view path) {
  shown.status = 201;
  shown.fields.emplace_back("Location", location_of(c.use.public_url, path));
  return shown;
}

page_request call::page() const {
  page_request wanted{.number = number_of(query_value("page"), 1), .limit = number_of(query_value("limit"), 20)};
  if (auto const cursor = query_value("cursor")) wanted.after = read_cursor(order_of(*this), *cursor);
  return wanted;
}

result<> call::check_page() const {
  auto const cursor = query_value("cursor");
  if (!cursor) return {};
  auto const wanted = page();
  if (!wanted.after)
    return error(errc::validation_failed, {}, {{"cursor", "must come from a `next` link of this list"}});
  if (wanted.number < 2) return error(errc::validation_failed, {}, {{"page", "must be 2 or more with a cursor"}});
  return {};
}

result<reply> page_reply(call const& c, page_facts const& facts, std::function<void(http::json_text&)> const& write) {
  return page_reply(c, facts, write, [](http::json_text&) {});
}

result<reply> page_reply(call const& c, page_facts const& facts, std::function<void(http::json_text&)> const& write,
                         std::function<void(http::json_text&)> const& more) {
  auto const wanted = c.page();
  if (facts.too_deep) {
    auto const most = std::to_string(max_numbered_rows);
    return error(errc::validation_failed, {},
                 {{"page", "rows after the first " + most + " are reached only by the `next` links"}});
  }
  std::int64_t const pages = (facts.total + wanted.limit - 1) / wanted.limit;
  auto out = shown_reply(c, 0, [&](http::json_text& json) {
    json.open_list("data");
    write(json);
    json.close_list()
        .open("pagination")
        .member("total", facts.total)
        .member("page", wanted.number)
        .member("limit", wanted.limit)
        .member("totalPages", pages)
        .member("hasNextPage", facts.next.has_value())
        .member("hasPrevPage", wanted.number > 1 && facts.total > 0);
    if (facts.total_is_estimate) json.member("totalIsEstimate", true);
    json.close();
    more(json);
  });
  out.fields.emplace_back("Link", links_of(c, wanted, facts, pages));
  return out;
}

void set_cors_fields(http::request const& head, std::vector<std::string> const& origins, http::response& out) {
  if (origins.empty()) return;
  vary_by_origin(out);
  auto const origin = origin_of(head, origins);
  if (origin.empty()) return;
  out.set("Access-Control-Allow-Origin", std::string(origin));
  out.set("Access-Control-Expose-Headers", std::string(exposed));
}

void set_preflight_fields(http::request const& head, std::vector<std::string> const& origins,
                          std::string_view methods, http::response& out) {
  if (!head.find("Access-Control-Request-Method") || origin_of(head, origins).empty()) return;
  out.set("Access-Control-Allow-Methods", std::string(methods));
  out.set("Access-Control-Allow-Headers", std::string(accepted));
  out.set("Access-Control-Max-Age", std::string(kept_seconds));
}

}  // namespace svc::api
