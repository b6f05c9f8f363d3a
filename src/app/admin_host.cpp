#include "app/admin_host.hpp"

#include "svc/core/ip_text.hpp"

#include <algorithm>

namespace svc::app {
namespace {

/// RFC 9110 7.2, without the port.
std::string_view name_of(std::string_view host) {
  if (host.starts_with('[')) {
    auto const end = host.find(']');
    return end == std::string_view::npos ? std::string_view() : host.substr(1, end - 1);
  }
  return host.substr(0, host.find(':'));
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace

bool admin_host_allowed(http::request const& head, std::vector<std::string> const& names) {
  auto const host = head.find("host");
  if (!host) return true;
  auto const name = name_of(*host);
  return ip_text_of(name).has_value() || same_name(name, "localhost") ||
         std::ranges::any_of(names, [name](std::string const& allowed) { return same_name(name, allowed); });
}

}  // namespace svc::app
