#include "cli/http/proxy.hpp"

#include "cli/console/failure.hpp"
#include "cli/http/message.hpp"
#include "svc/core/ascii.hpp"
#include "svc/core/ip_address.hpp"
#include "svc/core/numbers.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <memory>

namespace svc::cli {
namespace {

/// The next host of the list, taken off it; empty at its end.
std::string_view next_entry(std::string_view& list) {
  constexpr std::string_view separators = ", \t\r\n";
  list.remove_prefix(std::min(list.find_first_not_of(separators), list.size()));
  auto const entry = list.substr(0, list.find_first_of(separators));
  list.remove_prefix(entry.size());
  return entry;
}

struct host_and_port {
  std::string_view host, port;
};

/// `host`, `host:port`, `[address]`, `[address]:port`; an address with several colons and no brackets has no port.
host_and_port parts_of(std::string_view entry) {
  if (entry.starts_with('[')) {
    auto const end = entry.find(']');
    if (end == std::string_view::npos) return {};
    auto const behind = entry.substr(end + 1);
    if (!behind.empty() && !behind.starts_with(':')) return {};
    return {entry.substr(1, end - 1), behind.substr(std::min<std::size_t>(1, behind.size()))};
  }
  auto const colon = entry.find(':');
  if (colon == std::string_view::npos || entry.find(':', colon + 1) != std::string_view::npos) return {entry, {}};
  return {entry.substr(0, colon), entry.substr(colon + 1)};
}

std::string_view without_trailing_dot(std::string_view host) {
  if (host.size() > 1 && host.ends_with('.')) host.remove_suffix(1);
  return host;
}

bool names_host(std::string_view pattern, std::string_view host) {
  if (pattern == "*") return true;
  if (auto const address = ip_address::parse(host)) {
    if (auto const range = cidr::parse(pattern)) return range->contains(*address);
    auto const same = ip_address::parse(pattern);
    return same && same->v4 == address->v4 && same->bytes == address->bytes;
  }
  if (pattern.starts_with("*.")) pattern.remove_prefix(1);
  if (pattern.starts_with('.')) pattern.remove_prefix(1);
  pattern = without_trailing_dot(pattern);
  if (pattern.empty() || !host.ends_with(pattern)) return false;
  return host.size() == pattern.size() || host[host.size() - pattern.size() - 1] == '.';
}

bool names_port(std::string_view wanted, std::string_view port) {
  if (wanted.empty()) return true;
  auto const number = parse_number<unsigned>(wanted);
  return number && number == parse_number<unsigned>(port);
}

struct url_closer {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};

std::string part_of(CURLU* url, CURLUPart which) {
  char* text = nullptr;
  if (curl_url_get(url, which, &text, 0) != CURLUE_OK || text == nullptr) return {};
  std::string out(text);
  curl_free(text);
  return out;
}

std::string_view default_port(std::string_view scheme) {
  return scheme == "https" ? "443" : "1080";  // libcurl's, for proxies
}

std::string_view without_brackets(std::string_view host) {
  return host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host;
}

}  // namespace

std::string proxy_for(base_url const& target, proxy_settings const& settings) {
  auto const host = without_trailing_dot(target.host);
  auto const text = lower_case(settings.no_proxy);
  std::string_view list = text;
  for (auto entry = next_entry(list); !entry.empty(); entry = next_entry(list)) {
    auto const part = parts_of(entry);
    if (names_host(part.host, host) && names_port(part.port, target.port)) return {};
  }
  return target.scheme == "https" ? settings.https : settings.http;
}

std::optional<proxy_address> proxy_address::parse(std::string_view text) {
  constexpr std::array<std::string_view, 4> schemes{"http", "https", "socks5", "socks5h"};
  std::string const whole = (text.find("://") == std::string_view::npos ? "http://" : "") + std::string(text);
  if (whole.find('\0') != std::string::npos) return std::nullopt;
  std::unique_ptr<CURLU, url_closer> const url(curl_url());
  if (curl_url_set(url.get(), CURLUPART_URL, whole.c_str(), CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK)
    return std::nullopt;
  proxy_address out{lower_case(part_of(url.get(), CURLUPART_SCHEME)), lower_case(part_of(url.get(), CURLUPART_HOST)),
                    part_of(url.get(), CURLUPART_PORT)};
  if (std::find(schemes.begin(), schemes.end(), out.scheme) == schemes.end() || out.host.empty()) return std::nullopt;
  if (out.port.empty()) out.port = default_port(out.scheme);
  return out;
}

void require_safe_way(base_url const& url, std::string_view proxy) {
  if (url.scheme == "https") return;
  if (!is_loopback(url.host))
    throw failure(exit_code::usage, "plain_http", "A credential is never sent over plain HTTP: " + url.text,
                  "Use an https:// address.");
  auto const between = proxy_address::parse(proxy);
  if (!proxy.empty() && (!between || !is_loopback(without_brackets(between->host))))
    throw failure(exit_code::usage, "plain_http",
                  "A credential for " + url.text + " would be sent over plain HTTP to the proxy.",
                  "Add the host to NO_PROXY, or use an https:// address.");
}

}  // namespace svc::cli
