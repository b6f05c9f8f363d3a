#include "egress/http/redirect.hpp"
#include "svc/core/ascii.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace svc::egress {

namespace {

/// Fields that libcurl sets itself, and fields that would change the framing of the answer.
constexpr std::array<std::string_view, 9> reserved_fields{
    "content-length", "transfer-encoding", "connection",      "upgrade", "expect", "te",
    "trailer",        "keep-alive",        "proxy-connection"};
constexpr std::array<std::string_view, 4> credential_fields{"authorization", "proxy-authorization", "cookie", "host"};

/// Checks a value by RFC 9110 5.5; bytes above 0x7F are sent unchanged.
bool is_field_value(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    auto const byte = static_cast<unsigned char>(c);
    return byte >= 0x20 ? byte != 0x7F : c == '\t';
  });
}

template <std::size_t N>
bool is_one_of(std::array<std::string_view, N> const& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Returns the field in libcurl's form. There `Name:` without a value would remove the field, and `Name;` is a field
/// without a value.
std::string field_line(request_field const& field) {
  auto value = std::string_view(field.value);
  while (value.starts_with(' ') || value.starts_with('\t')) value.remove_prefix(1);
  return value.empty() ? field.name + ";" : field.name + ": " + std::string(value);
}

}  // namespace

bool is_reserved_field(std::string_view name) {
  return is_one_of(reserved_fields, name);
}

bool is_redirect(int status, std::string const* location) {
  if (location == nullptr || location->empty()) return false;
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

std::optional<http_hop> next_hop(http_hop const& hop, int status, std::string const& location) {
  auto url = resolve_location(hop.url, location);
  if (!url || (hop.url.where.secure && !url->where.secure)) return std::nullopt;
  http_hop out = hop;
  out.with_credentials = hop.with_credentials && url->where == hop.url.where;
  out.url = std::move(*url);
  bool const becomes_get = status == 303 ? hop.method != "GET" && hop.method != "HEAD"
                                         : (status == 301 || status == 302) && hop.method == "POST";
  if (becomes_get) {
    out.method = "GET";
    out.with_body = false;
  }
  return out;
}

bool would_leak(http_request const& request, http_hop const& hop) {
  return request.secret_body && !request.body.empty() && hop.with_body && !hop.with_credentials &&
         hop.method != "HEAD";
}

std::optional<std::vector<std::string>> field_lines(http_request const& request, http_hop const& hop) {
  if (!is_token(request.method)) return std::nullopt;
  std::vector<std::string> out;
  bool typed = false;
  int hosts = 0;
  for (auto const& field : request.fields) {
    auto const name = lower_case(field.name);
    if (!is_token(name) || !is_field_value(field.value) || is_reserved_field(name)) return std::nullopt;
    if (name == "host" && ++hosts > 1) return std::nullopt;
    if (!hop.with_credentials && (field.secret || is_one_of(credential_fields, name))) continue;
    if (!hop.with_body && name.starts_with("content-")) continue;
    typed = typed || name == "content-type";
    out.push_back(field_line(field));
  }
  // libcurl would otherwise label the body as a form.
  if (!typed) out.emplace_back("Content-Type:");
  return out;
}

}  // namespace svc::egress
