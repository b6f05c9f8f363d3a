#include "cli/settings/base_url.hpp"

#include "svc/core/ascii.hpp"
#include "svc/core/bytes.hpp"
#include "svc/core/ip_address.hpp"
#include "svc/core/numbers.hpp"

#include <algorithm>
#include <array>

namespace svc::cli {
namespace {

constexpr std::size_t longest_address = 2048;
constexpr std::size_t longest_host = 253;  // RFC 1035, 2.3.4
constexpr std::size_t longest_label = 63;

bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Returns true for a label of a name. Underscores occur in names of containers, although RFC 1123 does not allow
/// them.
bool is_label(std::string_view label) {
  return !label.empty() && label.size() <= longest_label && label.front() != '-' && label.back() != '-' &&
         std::all_of(label.begin(), label.end(),
                     [](char c) { return is_letter_or_digit(c) || c == '-' || c == '_'; });
}

/// Returns true if a name could be a number. Curl reads `127.1`, `0x7f.1` and `2130706433` as IPv4 addresses; here an
/// address has one spelling.
bool looks_like_number(std::string_view last_label) {
  return std::all_of(last_label.begin(), last_label.end(), is_digit) || last_label.starts_with("0x");
}

bool is_name(std::string_view host) {
  if (host.size() > longest_host) return false;
  for (;;) {
    auto const dot = host.find('.');
    auto const label = host.substr(0, dot);
    if (!is_label(label)) return false;
    if (dot == std::string_view::npos) return !looks_like_number(label);
    host.remove_prefix(dot + 1);
  }
}

/// Returns the host in its only spelling; empty: no host.
std::string read_host(std::string_view text) {
  if (text.starts_with('[')) {
    if (!text.ends_with(']')) return {};
    auto const literal = ip_text_of(text.substr(1, text.size() - 2));
    return literal && text.find(':') != std::string_view::npos ? *literal : std::string();
  }
  auto lower = lower_case(text);
  if (is_name(lower)) return lower;
  auto const literal = ip_text_of(lower);
  return literal && lower.find(':') == std::string::npos ? *literal : std::string();
}

bool is_segment(std::string_view segment) {
  if (segment.empty() || segment == "." || segment == "..") return false;
  for (std::size_t i = 0; i < segment.size(); ++i) {
    char const c = segment[i];
    if (c == '%') {
      if (!from_hex(segment.substr(i + 1, 2), true) || segment.size() < i + 3) return false;
      i += 2;
    } else if (!is_letter_or_digit(c) && std::string_view("-._~!$&'()*+,;=:@").find(c) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

/// Returns true for a path of segments (RFC 3986, 3.3) without dots and empty ones, because two programs could
/// resolve these differently.
bool is_prefix(std::string_view path) {
  while (!path.empty()) {
    path.remove_prefix(1);
    auto const end = std::min(path.find('/'), path.size());
    if (!is_segment(path.substr(0, end))) return false;
    path.remove_prefix(end);
  }
  return true;
}

struct address_parts {
  std::string_view host, path;
  std::optional<std::string_view> port{};
};

/// Splits the text after `://`, which has no user info, query and fragment.
address_parts split(std::string_view rest) {
  auto const slash = std::min(rest.find('/'), rest.size());
  auto authority = rest.substr(0, slash);
  address_parts out{.host = authority, .path = rest.substr(slash)};
  while (out.path.ends_with('/')) out.path.remove_suffix(1);
  auto const bracket = authority.starts_with('[') ? authority.find(']') : 0;
  auto const colon = bracket == std::string_view::npos ? bracket : authority.find(':', bracket);
  if (colon != std::string_view::npos) {
    out.host = authority.substr(0, colon);
    out.port = authority.substr(colon + 1);
  }
  return out;
}

/// Returns the forbidden part that the text contains; empty: none.
std::string_view foreign_part(std::string_view text, std::string_view authority) {
  if (text.size() > longest_address) return "is longer than 2048 characters";
  if (std::any_of(text.begin(), text.end(), [](char c) { return c <= ' ' || c >= '\x7f' || c == '\\'; }))
    return "contains a space, a backslash or a character beyond ASCII (an international name is written as xn--...)";
  if (authority.find('@') != std::string_view::npos)
    return "contains a user name or password; the service takes tokens: svc login, or SERVICE_TOKEN";
  if (text.find('?') != std::string_view::npos) return "contains a query (?...)";
  if (text.find('#') != std::string_view::npos) return "contains a fragment (#...)";
  return {};
}

}  // namespace

bool is_loopback(std::string_view host) {
  if (host == "localhost" || host.ends_with(".localhost")) return true;
  auto const address = ip_address::parse(host);
  if (!address) return false;
  constexpr std::array<std::uint8_t, 16> loopback_v6{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  return address->v4 ? address->bytes[0] == 127 : address->bytes == loopback_v6;
}

std::optional<base_url> base_url::parse(std::string_view text, std::string& reason) {
  auto const mark = text.find("://");
  base_url out;
  out.scheme = lower_case(text.substr(0, mark));
  if (mark == std::string_view::npos || (out.scheme != "https" && out.scheme != "http")) {
    reason = "must be an address like https://ci.example.com";
    return std::nullopt;
  }
  auto const rest = text.substr(mark + 3);
  reason = foreign_part(text, rest.substr(0, rest.find('/')));
  if (!reason.empty()) return std::nullopt;
  auto const parts = split(rest);
  out.host = read_host(parts.host);
  std::string const own_port = out.scheme == "https" ? "443" : "80";
  auto const port = parse_number<std::uint16_t>(parts.port.value_or(own_port));
  if (out.host.empty()) {
    reason = "has no valid host";
  } else if (!port || *port == 0) {
    reason = "has no valid port; ports are 1 to 65535";
  } else if (!is_prefix(parts.path)) {
    reason = "has a path that is not a plain prefix such as /ci";
  } else if (out.scheme == "http" && !is_loopback(out.host)) {
    reason = "is plain HTTP, over which others could read the token; use https:// (only localhost is exempt)";
  }
  if (!reason.empty()) return std::nullopt;
  out.port = std::to_string(*port);
  bool const v6 = out.host.find(':') != std::string::npos;
  out.text = out.scheme + "://" + (v6 ? "[" + out.host + "]" : out.host);
  if (out.port != own_port) out.text += ":" + out.port;
  out.text += parts.path;
  return out;
}

}  // namespace svc::cli
