#include "svc/egress/url.hpp"

#include "svc/core/numbers.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <optional>

namespace svc::egress {

namespace {

/// https://fetch.spec.whatwg.org/#port-blocking
constexpr auto bad_ports = std::to_array<std::uint16_t>(
    {0,    1,    7,    9,    11,   13,   15,   17,   19,   20,   21,   22,   23,   25,   37,   42,   43,
     53,   69,   77,   79,   87,   95,   101,  102,  103,  104,  109,  110,  111,  113,  115,  117,  119,
     123,  135,  137,  139,  143,  161,  179,  389,  427,  465,  512,  513,  514,  515,  526,  530,  531,
     532,  540,  548,  554,  556,  563,  587,  601,  636,  989,  990,  993,  995,  1719, 1720, 1723, 2049,
     3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080});

constexpr std::uint16_t own_port(bool secure) {
  return secure ? 443 : 80;
}

error refused_url(std::string reason) {
  return {errc::validation_failed, std::move(reason)};
}

/// Takes `http://` or `https://` off the front; the scheme in any case (RFC 3986 3.1).
std::optional<bool> take_scheme(std::string_view& text) {
  auto const end = text.find("://");
  if (end == std::string_view::npos || end > 5) return std::nullopt;
  std::string scheme(text.substr(0, end));
  for (char& c : scheme) c = static_cast<char>(c | 0x20);
  if (scheme != "http" && scheme != "https") return std::nullopt;
  text.remove_prefix(end + 3);
  return scheme == "https";
}

/// The colon before a port: the last one, unless it is inside of brackets.
std::size_t port_colon(std::string_view authority) {
  auto const colon = authority.rfind(':');
  auto const bracket = authority.rfind(']');
  return bracket != std::string_view::npos && colon != std::string_view::npos && colon < bracket
             ? std::string_view::npos
             : colon;
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  auto const port = parse_number<std::uint16_t>(text);
  return port && *port != 0 && text.front() != '0' ? port : std::nullopt;
}

result<origin> parse_authority(std::string_view text, bool secure) {
  if (text.find('@') != std::string_view::npos)
    return refused_url("the URL has user information; use `auth` instead");
  auto const colon = port_colon(text);
  auto host = parse_host(text.substr(0, colon));
  if (!host) return host.error();
  if (colon == std::string_view::npos) return origin{secure, std::move(*host), own_port(secure)};
  auto const port = parse_port(text.substr(colon + 1));
  if (!port) return refused_url("the URL's port is not a number from 1 to 65535");
  if (is_bad_port(*port))
    return refused_url("port " + std::to_string(*port) +
                       " belongs to another protocol, so no http request is sent to it");
  return origin{secure, std::move(*host), *port};
}

void append_percent_encoded(std::string& out, unsigned char c) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  out += '%';
  out += digits[c >> 4];
  out += digits[c & 15];
}

result<std::string> checked_target(std::string_view text) {
  std::string out;
  if (!text.starts_with('/')) out = "/";
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) {
      append_percent_encoded(out, byte);
      continue;
    }
    if (c == '#') return refused_url("the URL has a fragment, which is never sent");
    if (byte <= 0x20 || byte == 0x7F) return refused_url("the URL has a blank or a control character");
    if (c == '\\') return refused_url("the URL has a backslash");
    out += c;
  }
  return out;
}

struct free_url {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
struct free_text {
  void operator()(char* text) const { curl_free(text); }
};

}  // namespace

std::string http_url::authority() const {
  auto out = where.host.in_url();
  if (where.port != own_port(where.secure)) out.append(":").append(std::to_string(where.port));
  return out;
}

std::string http_url::to_string() const {
  return (where.secure ? "https://" : "http://") + authority() + target;
}

bool is_bad_port(std::uint16_t port) {
  return std::ranges::binary_search(bad_ports, port);
}

result<http_url> parse_http_url(std::string_view text) {
  if (text.size() > longest_url) return refused_url("the URL is longer than 2048 bytes");
  auto const secure = take_scheme(text);
  if (!secure) return refused_url("the URL does not begin with http:// or https://");
  auto const end = text.find_first_of("/?#");
  auto where = parse_authority(text.substr(0, end), *secure);
  if (!where) return where.error();
  auto target = checked_target(end == std::string_view::npos ? std::string_view() : text.substr(end));
  if (!target) return target.error();
  return http_url{std::move(*where), std::move(*target)};
}

result<http_url> resolve_location(http_url const& base, std::string_view reference) {
  if (reference.size() > longest_url) return refused_url("the URL is longer than 2048 bytes");
  if (reference.find('\0') != std::string_view::npos) return refused_url("the URL has a NUL byte");
  std::unique_ptr<CURLU, free_url> const url(curl_url());
  if (!url) throw std::bad_alloc();
  bool const good = curl_url_set(url.get(), CURLUPART_URL, base.to_string().c_str(), CURLU_PATH_AS_IS) == CURLUE_OK &&
                    curl_url_set(url.get(), CURLUPART_URL, std::string(reference).c_str(),
                                 CURLU_URLENCODE | CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK &&
                    curl_url_set(url.get(), CURLUPART_FRAGMENT, nullptr, 0) == CURLUE_OK;
  char* text = nullptr;
  if (!good || curl_url_get(url.get(), CURLUPART_URL, &text, 0) != CURLUE_OK)
    return refused_url("the redirect's target is not a URL");
  std::unique_ptr<char, free_text> const owned(text);
  return parse_http_url(text);
}

}  // namespace svc::egress
