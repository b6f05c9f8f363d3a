#include "svc/core/bytes.hpp"
#include "svc/core/numbers.hpp"
#include "svc/redis/address.hpp"
#include "svc/redis/client.hpp"

#include <boost/asio/ip/address_v6.hpp>

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace svc::redis {
namespace {

// Every message is a constant, so that no part of the URL reaches a log.
[[noreturn]] void refuse(char const* reason) {
  throw std::invalid_argument(std::string("redis url: ") + reason);
}

/// Also any byte beyond ASCII.
bool is_blank_or_control(char c) {
  return c <= ' ' || c == 0x7f;
}

/// RFC 3986 section 2.1.
std::string percent_decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    auto const byte = from_hex(text.substr(i + 1, 2), true);
    if (!byte || byte->size() != 1) refuse("bad percent encoding");
    out.push_back(static_cast<char>(byte->front()));
    i += 2;
  }
  if (out.find('\0') != std::string::npos) refuse("an encoded NUL byte");
  return out;
}

/// From 0 to 65535, without leading zeros.
std::optional<std::uint16_t> small_number(std::string_view digits) {
  if (digits.size() > 1 && digits[0] == '0') return std::nullopt;
  return parse_number<std::uint16_t>(digits);
}

int database_number(std::string_view digits) {
  auto const value = small_number(digits);
  if (!value) refuse("the database must be a number from 0 to 65535");
  return *value;
}

void read_credentials(std::string_view text, settings& into) {
  auto const colon = text.find(':');
  into.username = percent_decoded(text.substr(0, colon));
  if (colon == std::string_view::npos) {
    if (into.username.empty()) refuse("empty credentials");
    return;
  }
  into.password = secret_string(percent_decoded(text.substr(colon + 1)));
  if (into.password.empty()) refuse("an empty password");
}

void read_host(std::string_view text, settings& into) {
  boost::system::error_code bad;
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') {
    into.host = text.substr(1, text.size() - 2);
    asio::ip::make_address_v6(into.host, bad);
    if (bad) refuse("brackets must hold an IPv6 address");
    return;
  }
  if (text.empty() || text.size() > 253) refuse("the host must have 1 to 253 characters");
  for (char const c : text) {
    bool const plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!plain && c != '.' && c != '-' && c != '_') refuse("the host has an invalid character");
  }
  into.host = text;
}

void read_authority(std::string_view text, settings& into) {
  // The last '@' separates: the part of an unencoded password after an '@' must not become the host.
  if (auto const position = text.rfind('@'); position != std::string_view::npos) {
    if (text.substr(0, position).find('@') != std::string_view::npos)
      refuse("'@' in credentials must be written %40");
    read_credentials(text.substr(0, position), into);
    text.remove_prefix(position + 1);
  }
  auto const bracket = text.rfind(']');
  auto const colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  read_host(text.substr(0, colon), into);
  if (colon == std::string_view::npos) return;
  auto const port = text.substr(colon + 1);
  if (small_number(port).value_or(0) == 0) refuse("the port must be a number from 1 to 65535");
  into.port = port;
}

settings over_network(std::string_view rest, bool tls) {
  settings into;
  into.tls = tls;
  auto const slash = rest.find('/');
  if (rest.find('?') != std::string_view::npos) refuse("redis: and rediss: take no query");
  read_authority(rest.substr(0, slash), into);
  if (slash != std::string_view::npos && slash + 1 < rest.size())
    into.database = database_number(rest.substr(slash + 1));
  return into;
}

settings over_socket(std::string_view rest) {
  constexpr std::size_t longest_path = 107;  // sockaddr_un, without the NUL byte
  settings into;
  if (rest.starts_with("//")) rest.remove_prefix(2);
  auto const query = rest.find('?');
  into.unix_path = percent_decoded(rest.substr(0, query));
  if (into.unix_path.size() < 2 || into.unix_path[0] != '/' || into.unix_path[1] == '/') {
    refuse("unix: needs an absolute path");
  }
  if (into.unix_path.size() > longest_path) refuse("the socket's path must have at most 107 bytes");
  if (query == std::string_view::npos) return into;
  auto const parameter = rest.substr(query + 1);
  if (!parameter.starts_with("db=")) refuse("the only parameter of unix: is db");
  into.database = database_number(parameter.substr(3));
  return into;
}

}  // namespace

std::string address::to_string() const {
  return (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + port;
}

std::string list_of(std::vector<address> const& all) {
  std::string out;
  for (auto const& address : all) out += (out.empty() ? "" : ", ") + address.to_string();
  return out;
}

std::optional<address> parse_address(std::string_view text) {
  // An IPv6 address is read only up to a NUL byte, and its zone may be any text.
  constexpr std::size_t longest_address = 253 + 6;
  if (text.size() > longest_address || std::any_of(text.begin(), text.end(), is_blank_or_control))
    return std::nullopt;
  auto const colon = text.rfind(':');
  if (colon == std::string_view::npos || small_number(text.substr(colon + 1)).value_or(0) == 0) return std::nullopt;
  settings into;
  try {
    read_host(text.substr(0, colon), into);
  } catch (std::invalid_argument const&) {
    return std::nullopt;
  }
  return address{into.host, std::string(text.substr(colon + 1))};
}

std::optional<address> parse_address(std::string_view host, std::string_view port) {
  std::string text;
  bool const is_v6 = host.find(':') != std::string_view::npos;
  text.append(is_v6 ? "[" : "").append(host).append(is_v6 ? "]:" : ":").append(port);
  return parse_address(text);
}

settings parse_url(std::string_view url) {
  for (char const c : url) {
    if (is_blank_or_control(c) || c == '#') refuse("blanks, control characters and '#' must be percent-encoded");
  }
  if (url.starts_with("redis://")) return over_network(url.substr(8), false);
  if (url.starts_with("rediss://")) return over_network(url.substr(9), true);
  if (url.starts_with("unix:")) return over_socket(url.substr(5));
  refuse("must begin with redis://, rediss:// or unix:");
}

}  // namespace svc::redis
