// The `[[listeners]]` tables. They are read from the file only, and as a list they are not in the table of keys.

#include "app/configuration/configuration.hpp"
#include "svc/core/command_line.hpp"
#include "svc/core/joined.hpp"

#include <sys/un.h>

#include <algorithm>
#include <charconv>

namespace svc::app {
namespace {

constexpr std::size_t most_listeners = 16;
constexpr std::size_t longest_path = sizeof(sockaddr_un::sun_path) - 1;
constexpr std::string_view allowed_address =
    "an IP address and a port, 127.0.0.1:8443 or [::1]:8443, or unix:/PATH of at most 107 bytes";
constexpr std::string_view prefix = "listeners[";
std::vector<std::string> const listener_members{"address", "tls", "proxy_protocol", "kind", "mode"};

bool is_unix(std::string_view address) {
  return address.starts_with("unix:");
}

bool assign_flag(raw_value const& value, bool& into) {
  if (value.type != value_type::boolean) return false;
  into = value.text == "true";
  return true;
}

/// Octal digits as for chmod(1), with permission bits for read and write only.
bool assign_mode(std::string_view text, unsigned& into) {
  unsigned mode = 0;
  auto const [end, ec] = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
  if (ec != std::errc{} || end != text.data() + text.size() || text.size() < 3 || text.size() > 4) return false;
  if ((mode & ~0666U) != 0) return false;
  into = mode;
  return true;
}

std::optional<std::string> assign_member(std::string_view member, raw_value const& value, listener_settings& into) {
  bool const text = value.type == value_type::text;
  if (member == "address") {
    if (!text) return "must be " + std::string(allowed_address) + "; for example: address = \"127.0.0.1:8443\"";
    if (!is_listener_address(value.text)) return "must be " + std::string(allowed_address);
    into.address = value.text;
  } else if (member == "tls") {
    if (!assign_flag(value, into.tls)) return "must be true or false, without quotes";
  } else if (member == "proxy_protocol") {
    if (!assign_flag(value, into.proxy_protocol)) return "must be true or false, without quotes";
  } else if (member == "kind") {
    if (!text || (value.text != "public" && value.text != "internal")) return "must be \"public\" or \"internal\"";
    into.kind = value.text == "internal" ? listener_kind::internal_api : listener_kind::public_api;
  } else if (member == "mode") {
    if (!text || !assign_mode(value.text, into.unix_mode))
      return "must be octal digits in quotes, \"0600\" to \"0666\"";
  } else {
    auto const meant = nearest_word(member, listener_members);
    return "no such key; " +
           (meant.empty() ? "a listener has " + joined(listener_members, ", ") : "did you mean " + meant + "?");
  }
  return std::nullopt;
}

std::string mode_text(unsigned mode) {
  std::string out = "0";
  for (int shift = 6; shift >= 0; shift -= 3) out += static_cast<char>('0' + ((mode >> shift) & 7U));
  return out;
}

std::string_view port_of(std::string_view address) {
  return address.substr(address.rfind(':') + 1);
}

/// Returns true if no process can listen on both addresses. 0.0.0.0 covers each IPv4 address. [::] covers all
/// addresses, because Linux accepts IPv4 on it, too.
bool exclude_each_other(std::string_view left, std::string_view right) {
  if (is_unix(left) || is_unix(right)) return left == right;
  if (port_of(left) != port_of(right) || port_of(left) == "0") return false;
  auto const covers = [](std::string_view wide, std::string_view other) {
    return wide.starts_with("[::]:") || (wide.starts_with("0.0.0.0:") && !other.starts_with('['));
  };
  return left == right || covers(left, right) || covers(right, left);
}

void check_addresses(configuration const& values, std::vector<std::string>& problems) {
  for (auto each = values.listeners.begin(); each != values.listeners.end(); ++each) {
    auto const& address = each->address;
    auto const other = std::find_if(values.listeners.begin(), each, [&](listener_settings const& earlier) {
      return exclude_each_other(earlier.address, address);
    });
    if (other == each) continue;
    problems.push_back(other->address == address ? "listeners: two have the address " + address
                                                 : "listeners: " + other->address + " and " + address +
                                                       " exclude each other, because one covers the other");
  }
  auto const& admin = values.admin.address;
  for (auto const& each : values.listeners) {
    if (!exclude_each_other(each.address, admin)) continue;
    problems.push_back(each.address == admin
                           ? "admin.address: a listener has the address " + admin + "; choose another port"
                           : "admin.address: " + admin + " and the listener " + each.address +
                                 " exclude each other, because one covers the other; choose another port");
    return;
  }
}

}  // namespace

bool is_listener_address(std::string_view text) {
  if (!is_unix(text)) return is_address(text);
  auto const path = text.substr(5);
  return path.starts_with('/') && path.size() <= longest_path && path.find('\0') == std::string_view::npos;
}

std::string_view allowed_listener_address() {
  return allowed_address;
}

bool is_listener_value(std::string_view name) {
  return name.starts_with(prefix);
}

void apply_listener(raw_value const& value, configuration& into, std::vector<std::string>& problems) {
  auto const rest = std::string_view(value.name).substr(prefix.size());
  std::size_t index = 0;
  auto const [end, ec] = std::from_chars(rest.data(), rest.data() + rest.size(), index);
  auto const member = rest.substr(static_cast<std::size_t>(end - rest.data()));
  if (ec != std::errc{} || !member.starts_with("].")) {
    problems.push_back(value.name + ": no such key");
  } else if (index >= most_listeners) {
    problems.push_back(value.name + ": at most " + std::to_string(most_listeners) + " listeners are allowed");
  } else {
    // The tables arrive in the order of the file, each with those members that it sets.
    if (index >= into.listeners.size()) into.listeners.resize(index + 1);
    if (auto const problem = assign_member(member.substr(2), value, into.listeners[index]))
      problems.push_back(value.name + ": " + *problem);
  }
}

void check_listeners(configuration const& values, std::vector<std::string>& problems) {
  for (auto const& each : values.listeners)
    if (each.proxy_protocol && !is_unix(each.address) && values.trusted_proxies.empty())
      problems.push_back("trusted_proxies: must be set, since the listener " + each.address + " has proxy_protocol");
  check_addresses(values, problems);
  auto const* const first = values.first_public();
  if (first == nullptr) {
    problems.push_back("listeners: at least one must be public");
  } else if (is_unix(first->address) && values.public_url.empty()) {
    problems.push_back("public_url: must be set when the first public listener is a Unix socket");
  }
}

void print_listeners(configuration const& values, bool comments, std::string& out) {
  for (auto const& each : values.listeners) {
    out += "\n[[listeners]]\n";
    if (comments && &each == &values.listeners.front()) {
      out += "# Where the service listens; each table is one listener. --listen replaces all of them.\n# ";
      out.append(allowed_address).append(".\n");
    }
    out += "address = " + toml_quoted(each.address) + "\n";
    if (comments && &each == &values.listeners.front())
      out +=
          "# tls = false: plain HTTP, for a proxy that terminates TLS. proxy_protocol: each connection begins with a "
          "PROXY\n"
          "# header from a trusted peer. kind: public or internal. mode: of a Unix socket's path.\n";
    out += std::string("tls = ") + (each.tls ? "true" : "false") + "\n";
    out += std::string("proxy_protocol = ") + (each.proxy_protocol ? "true" : "false") + "\n";
    out += std::string("kind = ") + (each.kind == listener_kind::internal_api ? "\"internal\"" : "\"public\"") + "\n";
    if (is_unix(each.address)) out += "mode = \"" + mode_text(each.unix_mode) + "\"\n";
  }
}

}  // namespace svc::app
