#include "cli/http/proxy_address.hpp"

#include "cli/console/failure.hpp"
#include "cli/http/message.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <memory>

namespace svc::cli {
namespace {

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

void require_safe_way(base_url const& to, std::string_view proxy) {
  if (to.scheme == "https") return;
  if (!is_loopback(to.host))
    throw failure(exit_code::usage, "plain_http", "A credential is never sent over plain HTTP: " + to.text,
                  "Use an https:// address.");
  auto const between = proxy_address::parse(proxy);
  if (!proxy.empty() && (!between || !is_loopback(without_brackets(between->host))))
    throw failure(exit_code::usage, "plain_http",
                  "A credential for " + to.text + " would be sent over plain HTTP to the proxy.",
                  "Add the host to NO_PROXY, or use an https:// address.");
}

}  // namespace svc::cli
