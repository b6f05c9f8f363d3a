#include "svc/sign_in/cookies.hpp"

#include "svc/core/ascii.hpp"

#include <algorithm>
#include <stdexcept>

namespace svc::sign_in {
namespace {

/// cookie-octet of RFC 6265 4.1.1: visible ASCII without quotation mark, comma, semicolon and backslash.
bool is_cookie_octet(char c) {
  return c > ' ' && c < 0x7f && c != '"' && c != ',' && c != ';' && c != '\\';
}

std::string cookie_line(std::string_view name, std::string_view value, same_site site, std::int64_t seconds) {
  if (!is_token(name) || !std::ranges::all_of(value, is_cookie_octet))
    throw std::invalid_argument("a cookie cannot carry this name or value");
  std::string line;
  line.reserve(name.size() + value.size() + 80);
  line.append(name).append("=").append(value).append("; Path=/; Secure; HttpOnly; SameSite=");
  line.append(site == same_site::strict ? "Strict" : "Lax");
  return line.append("; Max-Age=").append(std::to_string(seconds));
}

}  // namespace

void cookie_search::read(std::string_view field) {
  while (!field.empty()) {
    auto const end = std::min(field.find(';'), field.size());
    auto const pair = field.substr(0, end);
    field.remove_prefix(std::min(end + 1, field.size()));
    auto const equals = pair.find('=');
    if (equals == std::string_view::npos || trim(pair.substr(0, equals)) != name_) continue;
    bool const first = content_ == outcome::none;
    content_ = first ? outcome::found : outcome::repeated;
    value_ = first ? trim(pair.substr(equals + 1)) : std::string_view();
  }
}

std::string set_cookie(std::string_view name, std::string_view value, same_site site,
                       std::chrono::milliseconds life) {
  auto const seconds = std::chrono::duration_cast<std::chrono::seconds>(life).count();
  return cookie_line(name, value, site, std::max<std::int64_t>(1, seconds));
}

std::string clear_cookie(std::string_view name, same_site site) {
  return cookie_line(name, {}, site, 0);
}

}  // namespace svc::sign_in
