// How the value of a key is read, described and written.

#include "app/configuration/keys.hpp"
#include "svc/core/setting_text.hpp"
#include "svc/domain/cidr.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <utility>

namespace svc::app {
namespace {

bool is_url(std::string_view text) {
  auto const scheme = text.starts_with("https://") ? 8U : text.starts_with("http://") ? 7U : 0U;
  return scheme != 0 && text.size() > scheme && text[scheme] != '/' && !text.ends_with('/') &&
         text.find_first_of(" ?#\"<>\\\r\n\t") == std::string_view::npos;
}

/// A field name (RFC 9110 5.1), or none. `Forwarded` has a grammar of its own, which is not read.
bool is_field_name(std::string_view text) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  return text.size() <= 64 && text.find_first_not_of(allowed) == std::string_view::npos && text != "forwarded" &&
         text != "Forwarded";
}

/// A URL without a path, as browsers write it.
bool is_origin(std::string_view text) {
  bool const large = std::any_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  return !large && is_url(text) && text.find('/', text.find("//") + 2) == std::string_view::npos;
}

/// What stands between commas, trimmed; an empty text is an empty list.
std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> out;
  for (bool more = !text.empty(); more;) {
    auto const comma = text.find(',');
    auto part = text.substr(0, comma);
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    out.emplace_back(part);
  }
  return out;
}

bool is_host_name(std::string_view text) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  return !text.empty() && text.size() <= 253 && text.find_first_not_of(allowed) == std::string_view::npos;
}

bool fits(text_form form, std::string_view text) {
  log::level ignored{};
  switch (form) {
    case text_form::address:
      return is_address(text);
    case text_form::url:
      return text.empty() || is_url(text);
    case text_form::origin:
      return is_origin(text);
    case text_form::log_level:
      return log::parse_level(text, ignored);
    case text_form::redis_mode:
      return text == "single";
    case text_form::cidr:
      return cidr::parse(text).has_value();
    case text_form::field_name:
      return is_field_name(text);
    case text_form::host_name:
      return is_host_name(text);
    case text_form::any:
    case text_form::file:
      break;
  }
  return text.find('\0') == std::string_view::npos;
}

struct assignment {
  key const& to;
  std::string_view text;
  configuration& into;

  bool operator()(member_of<std::string> at) const {
    if (fits(to.form, text)) return at(into) = text, true;
    return false;
  }
  bool operator()(member_of<std::vector<std::string>> at) const {
    auto parts = split_list(text);
    if (!std::all_of(parts.begin(), parts.end(), [&](auto const& part) { return fits(to.form, part); })) return false;
    return at(into) = std::move(parts), true;
  }
  bool operator()(member_of<secret_string> at) const {
    if (text.find('\0') != std::string_view::npos) return false;
    return at(into) = secret_string(std::string(text)), true;
  }
  bool operator()(member_of<bool> at) const {
    if (text != "true" && text != "false") return false;
    return at(into) = text == "true", true;
  }
  template <class Duration>
    requires requires { typename Duration::period; }
  bool operator()(member_of<Duration> at) const {
    auto const value = parse_milliseconds(text);
    if (!value || *value < to.least || *value > to.most) return false;
    return at(into) = milliseconds(*value), true;
  }
  template <std::integral Integer>
  bool operator()(member_of<Integer> at) const {
    auto const value = parse_integer(text);
    if (!value || *value < to.least || *value > to.most) return false;
    return at(into) = static_cast<Integer>(*value), true;
  }
};

value_type type_of(key const& k) {
  return std::visit(
      []<class T>(member_of<T>) {
        if constexpr (std::is_same_v<T, bool>)
          return value_type::boolean;
        else if constexpr (std::is_same_v<T, std::vector<std::string>>)
          return value_type::list;
        else if constexpr (std::is_integral_v<T>)
          return value_type::integer;
        else
          return value_type::text;
      },
      k.target);
}

struct printer {
  configuration& from;

  std::string operator()(member_of<std::string> at) const { return toml_quoted(at(from)); }
  std::string operator()(member_of<std::vector<std::string>> at) const {
    std::string out;
    for (auto const& part : at(from)) out += (out.empty() ? "" : ", ") + toml_quoted(part);
    return "[" + out + "]";
  }
  std::string operator()(member_of<secret_string> at) const { return at(from).empty() ? "\"\"" : "\"********\""; }
  std::string operator()(member_of<bool> at) const { return at(from) ? "true" : "false"; }
  template <class Duration>
    requires requires { typename Duration::period; }
  std::string operator()(member_of<Duration> at) const {
    return toml_quoted(duration_text(std::chrono::duration_cast<milliseconds>(at(from)).count()));
  }
  template <std::integral Integer>
  std::string operator()(member_of<Integer> at) const {
    return std::to_string(at(from));
  }
};

}  // namespace

std::string toml_quoted(std::string_view text) {
  std::string out = "\"";
  for (char const c : text) {
    auto const code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (code < 0x20 || code == 0x7f) {
      constexpr char hex[] = "0123456789ABCDEF";
      out += "\\u00";
      out += hex[code >> 4];
      out += hex[code & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

bool is_address(std::string_view text) {
  auto const colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  auto host = text.substr(0, colon);
  auto const digits = text.substr(colon + 1);
  auto const port = parse_integer(digits);
  if (!port || *port < 0 || *port > 65535 || digits.front() == '-') return false;
  bool const bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  boost::system::error_code ec;
  auto const address = boost::asio::ip::make_address(std::string(host), ec);
  return !ec && address.is_v6() == bracketed;
}

bool key::duration() const {
  return std::holds_alternative<member_of<milliseconds>>(target) ||
         std::holds_alternative<member_of<steady::duration>>(target);
}

std::string key::variable() const {
  std::string out = "SVC_";
  for (char const c : name) out += c == '.' ? '_' : (c >= 'a' && c <= 'z') ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

std::string key::allowed() const {
  if (duration()) return "a duration from " + duration_text(least) + " to " + duration_text(most) + " (ms, s, m, h)";
  auto const type = type_of(*this);
  if (type == value_type::boolean) return "true or false";
  if (type == value_type::integer) return "an integer from " + std::to_string(least) + " to " + std::to_string(most);
  switch (form) {
    case text_form::file:
      return "the path of a file";
    case text_form::address:
      return "an IP address and a port, 127.0.0.1:8443 or [::1]:8443";
    case text_form::url:
      return "https://HOST[:PORT][/PATH] without a trailing slash";
    case text_form::origin:
      return "a list of origins, https://HOST[:PORT] in lower case and without a path";
    case text_form::log_level:
      return "debug, info, warn, error or off";
    case text_form::redis_mode:
      return "single (sentinel and cluster: not supported by this version yet)";
    case text_form::cidr:
      return "a list of ranges, 10.0.0.0/8 or fd00::/8; in a variable separated by commas";
    case text_form::field_name:
      return "a field name other than Forwarded, or empty";
    case text_form::host_name:
      return "a list of host names without ports; in a variable separated by commas";
    case text_form::any:
      break;
  }
  return "text";
}

std::string key::printed(configuration const& values) const {
  // The targets are members of a mutable configuration; a copy keeps the caller's const.
  configuration copy = values;
  return std::visit(printer{copy}, target);
}

std::optional<std::string> assign(key const& to, raw_value const& value, configuration& into) {
  bool const right_type = value.type == value_type::untyped || value.type == type_of(to);
  if (right_type && std::visit(assignment{to, value.text, into}, to.target)) return std::nullopt;
  return "must be " + to.allowed();
}

}  // namespace svc::app
