#include "svc/domain/pages/inputs.hpp"

#include "svc/core/ascii.hpp"
#include "svc/core/bytes.hpp"
#include "svc/core/ip_address.hpp"
#include "svc/core/utf8.hpp"
#include "svc/core/uuid.hpp"

#include <algorithm>
#include <array>

namespace svc::pages {
namespace {

/// Words that are or may become paths of the service, or that visitors would take for its operator.
constexpr std::array<std::string_view, 45> reserved_slugs{
    "about",     "account", "admin",   "api",    "app",      "assets",  "auth",    "billing",   "blog",
    "dashboard", "docs",    "feed",    "health", "help",     "history", "home",    "ical",      "incidents",
    "internal",  "legal",   "login",   "logo",   "logout",   "mail",    "new",     "null",      "oauth",
    "privacy",   "public",  "root",    "rss",    "security", "signin",  "sign-in", "signup",    "sign-up",
    "static",    "status",  "support", "svc",    "system",   "terms",   "test",    "undefined", "www"};

bool is_lower_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_label(std::string_view label) {
  return !label.empty() && label.size() <= 63 && is_lower_alphanumeric(label.front()) &&
         is_lower_alphanumeric(label.back()) &&
         std::ranges::all_of(label, [](char c) { return is_lower_alphanumeric(c) || c == '-'; });
}

bool is_domain_name(std::string_view name) {
  std::size_t labels = 0;
  std::string_view last;
  for (std::string_view left = name;;) {
    auto const dot = left.find('.');
    last = left.substr(0, dot);
    if (!is_label(last)) return false;
    ++labels;
    if (dot == left.npos) break;
    left.remove_prefix(dot + 1);
  }
  // A last label of digits alone, or a hexadecimal one, makes browsers read the whole as an IPv4 address.
  return labels >= 2 && !std::ranges::all_of(last, [](char c) { return c >= '0' && c <= '9'; }) &&
         !last.starts_with("0x");
}

std::optional<std::string> decoded_part(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    auto const byte = i + 2 < text.size() ? from_hex(text.substr(i + 1, 2), true) : std::nullopt;
    if (!byte) return std::nullopt;
    out += static_cast<char>(byte->front());
    i += 2;
  }
  return is_utf8(out) ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace

problem slug_problem(std::string_view slug) {
  if (slug.size() < shortest_slug || slug.size() > longest_slug) return "must have 3 to 63 characters";
  if (!is_label(slug)) return "must have only a-z, 0-9 and -, and must begin and end with a letter or a digit";
  if (uuid::parse(slug)) return "must not be a UUID";
  if (std::ranges::find(reserved_slugs, slug) != reserved_slugs.end()) return "is reserved";
  return std::nullopt;
}

problem colour_problem(std::string_view colour) {
  bool const good = colour.size() == 7 && colour.front() == '#' && from_hex(colour.substr(1), true);
  return good ? std::nullopt : problem("must have the form #rrggbb");
}

problem support_url_problem(std::string_view url) {
  constexpr std::string_view scheme = "https://";
  if (url.size() > longest_url) return "is too long";
  if (!url.starts_with(scheme)) return "must begin with https://";
  auto const authority = url.substr(scheme.size(), url.find_first_of("/?#", scheme.size()) - scheme.size());
  if (authority.empty() || authority.front() == ':') return "must name a host";
  if (authority.find('@') != authority.npos) return "must not have a user name";
  bool const plain = std::ranges::all_of(url, [](char c) {
    return c > ' ' && c < 0x7F && std::string_view("\"<>\\^`{|}").find(c) == std::string_view::npos;
  });
  return plain ? std::nullopt : problem("must have only the characters of a URL (RFC 3986)");
}

problem cidrs_problem(std::span<std::string const> ranges) {
  if (ranges.empty() || ranges.size() > most_cidrs) return "must have 1 to 24 ranges";
  bool const good =
      std::ranges::all_of(ranges, [](std::string const& text) { return cidr::parse(text).has_value(); });
  return good ? std::nullopt : problem("must have ranges of the form ADDRESS/LENGTH");
}

std::string_view host_of_url(std::string_view url) {
  auto const scheme = url.find("://");
  if (scheme != url.npos) url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find_first_of("/?#"));
  if (url.starts_with('[')) return url.substr(0, std::min(url.find(']'), url.size() - 1) + 1);
  return url.substr(0, url.find(':'));
}

std::optional<std::string> page_domain(std::string_view text, std::string_view public_host) {
  auto name = lower_case(text);
  if (name.ends_with('.')) name.pop_back();
  auto const own = lower_case(public_host);
  if (name.size() > longest_domain || !is_domain_name(name) || name == own || name.ends_with("." + own))
    return std::nullopt;
  return name;
}

std::string domain_record(std::string_view domain) {
  return "_svc-verify." + std::string(domain);
}

std::optional<std::string_view> logo_type(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.empty() || bytes.size() > most_logo_bytes) return std::nullopt;
  if (bytes.starts_with("\x89PNG\r\n\x1A\n"sv)) return "image/png";
  if (bytes.starts_with("\xFF\xD8\xFF"sv)) return "image/jpeg";
  if (bytes.size() >= 12 && bytes.starts_with("RIFF"sv) && bytes.substr(8, 4) == "WEBP"sv) return "image/webp";
  return std::nullopt;
}

std::optional<std::string> form_value(std::string_view form, std::string_view name) {
  while (!form.empty()) {
    auto const field = form.substr(0, form.find('&'));
    form.remove_prefix(std::min(field.size() + 1, form.size()));
    auto const mark = std::min(field.find('='), field.size());
    auto const key = decoded_part(field.substr(0, mark));
    if (key && *key == name) return decoded_part(field.substr(std::min(mark + 1, field.size())));
  }
  return std::nullopt;
}

std::optional<subscription_action> read_subscription_action(std::string_view body) {
  auto const action = form_value(body, "action");
  if (action == "confirm") return subscription_action::confirm;
  if (action == "refuse") return subscription_action::refuse;
  if (action == "stop" || form_value(body, "List-Unsubscribe") == "One-Click") return subscription_action::stop;
  // A part of multipart/form-data: its head, an empty line, and the value.
  auto const name = body.find("name=\"List-Unsubscribe\"");
  if (name == std::string_view::npos) return std::nullopt;
  auto const value = body.find("\r\n\r\nOne-Click\r\n", name);
  auto const end = body.find("\r\n--", name);
  if (value == std::string_view::npos || value > end) return std::nullopt;
  return subscription_action::stop;
}

}  // namespace svc::pages
