#include "http/host.hpp"

#include "http/chars.hpp"

#include <arpa/inet.h>
#include <algorithm>
#include <array>

namespace svc::http {
namespace {

bool valid_port(std::string_view text) {
  if (!chars::all(chars::digit, text) || text.size() > 5) return false;
  int port = 0;
  for (char const c : text) port = port * 10 + (c - '0');
  return port <= 65535;
}

bool valid_ipv6(std::string_view text) {
  std::array<char, INET6_ADDRSTRLEN> terminated{};
  if (text.size() >= terminated.size() || text.find('\0') != std::string_view::npos) return false;
  std::copy(text.begin(), text.end(), terminated.begin());
  in6_addr unused{};
  return ::inet_pton(AF_INET6, terminated.data(), &unused) == 1;
}

}  // namespace

bool valid_host(std::string_view text) {
  std::size_t host_end = text.find(':');
  if (!text.empty() && text.front() == '[') {
    auto const bracket = text.find(']');
    if (bracket == std::string_view::npos || !valid_ipv6(text.substr(1, bracket - 1))) return false;
    host_end = bracket + 1;
  } else {
    auto const name = text.substr(0, host_end);
    if (name.empty() || name.size() > 255 || !chars::all(chars::host, name)) return false;
  }
  if (host_end >= text.size()) return true;
  return text[host_end] == ':' && valid_port(text.substr(host_end + 1));
}

}  // namespace svc::http
