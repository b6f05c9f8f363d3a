#include "http/public_pages/routes.hpp"

#include "svc/core/ascii.hpp"
#include "svc/core/ip_address.hpp"
#include "svc/domain/pages/inputs.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace svc::public_pages {
namespace {

constexpr std::string_view status_prefix = "/status/", data_prefix = "/api/status-pages/";
constexpr std::size_t token_size = 32;
constexpr std::string_view repeated_mark = "again";

constexpr std::array<std::pair<std::string_view, page_form>, 6> data_forms{
    std::pair{std::string_view("summary"), page_form::summary},
    {"rss", page_form::rss},
    {"feed.json", page_form::json_feed},
    {"ical", page_form::calendar},
    {"badge.svg", page_form::badge},
    {"subscribe", page_form::subscribe},
};

std::optional<page_form> data_form_of(std::string_view text) {
  auto const found = std::ranges::find(data_forms, text, [](auto const& each) { return each.first; });
  return found == data_forms.end() ? std::nullopt : std::optional(found->second);
}

/// Fills in what the path after a page's name says; `rest` starts with a slash or is empty. Returns false if it names
/// nothing.
bool read_page_path(std::string_view rest, page_route& out) {
  constexpr std::string_view incidents = "/incidents/", maintenance = "/maintenance/", links = "/subscriptions/";
  auto const item = [&](std::string_view prefix, page_form form) {
    auto const id = uuid::parse(rest.substr(prefix.size()));
    out.form = form;
    out.item = id.value_or(uuid());
    return id.has_value();
  };
  if (rest.empty() || rest == "/") return true;
  if (rest.starts_with(incidents)) return item(incidents, page_form::incident);
  if (rest.starts_with(maintenance)) return item(maintenance, page_form::maintenance);
  if (rest.starts_with(links)) {
    out.form = page_form::subscription;
    out.token = rest.substr(links.size());
    return is_link_token(out.token);
  }
  out.form = rest == "/logo" ? page_form::logo : page_form::history;
  if (rest == "/logo" || rest == "/history") return true;
  out.form = page_form::status;
  return false;
}

/// Takes the first segment off the path.
std::string_view take_segment(std::string_view& path) {
  auto const segment = path.substr(0, path.find('/'));
  path.remove_prefix(segment.size());
  return segment;
}

page_route::outcome outcome_of(bool good) {
  return good ? page_route::outcome::found : page_route::outcome::missing;
}

void read_status_path(std::string_view path, page_route& out) {
  auto const slug = take_segment(path);
  bool const named = !pages::slug_problem(slug);
  if (named) out.name = {name_kind::slug, std::string(slug)};
  out.rest = path;
  out.content = outcome_of(read_page_path(path, out) && named);
}

void read_data_path(std::string_view path, page_route& out) {
  auto const name = take_segment(path);
  auto const form = path.empty() ? std::nullopt : data_form_of(path.substr(1));
  if (!form) return;
  out.form = *form;
  out.rest = path;
  auto const id = uuid::parse(name);
  bool const named = id || !pages::slug_problem(name);
  if (id) out.name = {name_kind::id, id->to_string()};
  if (!id && named) out.name = {name_kind::slug, std::string(name)};
  out.content = outcome_of(named);
}

}  // namespace

page_route find_service_route(std::string_view path_and_query) {
  page_route out;
  auto const mark = std::min(path_and_query.find('?'), path_and_query.size());
  auto const path = path_and_query.substr(0, mark);
  out.query = path_and_query.substr(std::min(mark + 1, path_and_query.size()));
  if (path.starts_with(status_prefix)) read_status_path(path.substr(status_prefix.size()), out);
  if (path.starts_with(data_prefix)) read_data_path(path.substr(data_prefix.size()), out);
  return out;
}

page_route find_domain_route(std::string_view domain, std::string_view path_and_query) {
  page_route out;
  auto const mark = std::min(path_and_query.find('?'), path_and_query.size());
  out.rest = path_and_query.substr(0, mark);
  out.query = path_and_query.substr(std::min(mark + 1, path_and_query.size()));
  out.name = {name_kind::domain, std::string(domain)};
  auto const form = out.rest.empty() ? std::nullopt : data_form_of(out.rest.substr(1));
  if (form) out.form = *form;
  out.content = outcome_of(form || read_page_path(out.rest, out));
  return out;
}

std::optional<std::string> domain_of_host(std::string_view host, std::string_view public_host) {
  if (host.starts_with('[')) return std::nullopt;
  auto const name = host.substr(0, host.find(':'));
  // Most installations are reached by one name or by an address.
  if (iequals(name, public_host) || name.find('.') == name.npos || ip_address::parse(name)) return std::nullopt;
  return pages::page_domain(name, public_host);
}

std::optional<std::string_view> query_value(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    auto const field = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(field.size() + 1, query.size()));
    auto const mark = field.find('=');
    if (field.substr(0, mark) == name) return mark == field.npos ? std::string_view() : field.substr(mark + 1);
  }
  return std::nullopt;
}

bool is_link_token(std::string_view text) {
  return text.size() == token_size && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
         });
}

bool is_html(page_form form) {
  return form <= page_form::subscription && form != page_form::logo;
}

std::string moved_path(page_route const& route, std::string_view slug) {
  std::string out(route.form >= page_form::summary ? data_prefix : status_prefix);
  out.append(slug).append(route.rest);
  bool const plain = std::ranges::all_of(route.query, [](char c) { return c > ' ' && c < 0x7f; });
  if (!route.query.empty() && plain) out.append("?").append(route.query);
  return out;
}

bool is_repeated(page_route const& route) {
  return query_value(route.query, repeated_mark).has_value();
}

std::optional<std::string> repeated_path(page_route const& route) {
  if (is_repeated(route)) return std::nullopt;
  auto out = moved_path(route, route.name.text);
  out += out.find('?') == out.npos ? '?' : '&';
  return out.append(repeated_mark);
}

}  // namespace svc::public_pages
