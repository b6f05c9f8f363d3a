#include "app/configuration/text_forms.hpp"

#include "svc/core/numbers.hpp"

#include <boost/asio/ip/address.hpp>

#include <cstdint>
#include <string>

namespace svc::app {
namespace key_forms {

bool is_url(std::string_view text) {
  auto const scheme = text.starts_with("https://") ? 8U : text.starts_with("http://") ? 7U : 0U;
  return scheme != 0 && text.size() > scheme && text[scheme] != '/' && !text.ends_with('/') &&
         text.find_first_of(" ?#\"<>\\\r\n\t") == std::string_view::npos;
}

bool is_field_name(std::string_view text) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  return text.size() <= 64 && text.find_first_not_of(allowed) == std::string_view::npos && text != "forwarded" &&
         text != "Forwarded";
}

bool is_origin(std::string_view text) {
  bool const large = std::any_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  return !large && is_url(text) && text.find('/', text.find("//") + 2) == std::string_view::npos;
}

bool is_host_name(std::string_view text) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  return !text.empty() && text.size() <= 253 && text.find_first_not_of(allowed) == std::string_view::npos;
}

bool is_path(std::string_view text) {
  return text.find('\0') == std::string_view::npos;
}

}  // namespace key_forms

bool is_address(std::string_view text) {
  auto const colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  auto host = text.substr(0, colon);
  auto const digits = text.substr(colon + 1);
  auto const port = parse_number<std::int64_t>(digits);
  if (!port || *port < 0 || *port > 65535 || digits.front() == '-') return false;
  bool const bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  boost::system::error_code ec;
  auto const address = boost::asio::ip::make_address(std::string(host), ec);
  return !ec && address.is_v6() == bracketed;
}

}  // namespace svc::app
