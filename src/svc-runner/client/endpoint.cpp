#include "svc-runner/client/endpoint.hpp"

#include <algorithm>

namespace svc::runner {
namespace {

constexpr std::size_t longest_socket_path = 107;

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
         std::stoi(std::string(text)) <= 65535 && text != "0";
}

bool is_host(std::string_view text) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._:";
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

/// The token would cross a network in the clear.
bool is_loopback(std::string_view host) {
  return host == "127.0.0.1" || host == "::1" || host == "localhost";
}

}  // namespace

std::string endpoint::authority() const {
  if (!unix_path.empty()) return "localhost";
  return (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + port;
}

std::optional<endpoint> parse_endpoint(std::string_view url) {
  endpoint out;
  if (url.starts_with("unix:/")) {
    out.tls = false;
    out.unix_path = url.substr(5);
    return out.unix_path.size() <= longest_socket_path ? std::optional(out) : std::nullopt;
  }
  if (url.starts_with("http://")) {
    out.tls = false;
    out.port = "80";
  } else if (!url.starts_with("https://")) {
    return std::nullopt;
  }
  url.remove_prefix(url.find("//") + 2);
  if (url.ends_with('/')) url.remove_suffix(1);
  auto const closing = url.starts_with('[') ? url.find(']') : std::string_view::npos;
  if (url.starts_with('[') && closing == std::string_view::npos) return std::nullopt;
  auto const colon = closing == std::string_view::npos ? url.find(':') : url.find(':', closing);
  auto host = url.substr(0, colon);
  if (closing != std::string_view::npos) {
    if (host.size() != closing + 1) return std::nullopt;
    host = host.substr(1, closing - 1);
  }
  out.host = host;
  if (colon != std::string_view::npos) {
    if (!is_port(url.substr(colon + 1))) return std::nullopt;
    out.port = url.substr(colon + 1);
  }
  if (!is_host(out.host) || (!out.tls && !is_loopback(out.host))) return std::nullopt;
  return out;
}

}  // namespace svc::runner
