#include "svc/egress/address_policy.hpp"

#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

namespace svc::egress {

namespace {

/// Throws if a text is no range, so it is only for the tables below.
template <std::size_t N>
std::vector<cidr> ranges(std::array<std::string_view, N> const& texts) {
  std::vector<cidr> out;
  out.reserve(N);
  for (auto const text : texts) out.push_back(cidr::parse(text).value());
  return out;
}

/// IANA's registries of special-purpose addresses (RFC 6890), 6to4's relays (RFC 7526), and multicast and above.
std::vector<cidr> const& special_v4() {
  static auto const all = ranges(std::to_array<std::string_view>(
      {"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
       "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
       "224.0.0.0/3"}));
  return all;
}

/// Global unicast, the only part of IPv6 that can be public.
cidr const& global_v6() {
  static auto const all = cidr::parse("2000::/3").value();
  return all;
}

/// Parts of it that are not: protocol assignments with Teredo, documentation, 6to4.
std::vector<cidr> const& special_v6() {
  static auto const all =
      ranges(std::to_array<std::string_view>({"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"}));
  return all;
}

/// Clouds answer here with credentials of the machine.
std::vector<cidr> const& credential_positions() {
  static auto const all =
      ranges(std::to_array<std::string_view>({"169.254.0.0/16", "fe80::/10", "fd00:ec2::254/128"}));
  return all;
}

cidr const& nat64() {
  static auto const all = cidr::parse("64:ff9b::/96").value();
  return all;
}

bool any_contains(std::vector<cidr> const& ranges, ip_address const& address) {
  return std::ranges::any_of(ranges, [&](cidr const& cidr) { return cidr.contains(address); });
}

bool is_public(ip_address const& address) {
  if (address.v4) return !any_contains(special_v4(), address);
  return global_v6().contains(address) && !any_contains(special_v6(), address);
}

/// `ip_address` has unwrapped the mapped form already.
ip_address unwrapped(ip_address const& address) {
  return nat64().contains(address) ? ip_address::of(std::span(address.bytes).subspan(12, 4)) : address;
}

/// Whether this range, one of the operator's, opens the address.
bool opens(cidr const& range, ip_address const& address) {
  if (!range.contains(address)) return false;
  return std::ranges::all_of(credential_positions(), [&](cidr const& blocked) {
    return !blocked.contains(address) || blocked.contains(range);
  });
}

}  // namespace

address_policy::address_policy(std::vector<cidr> opened) : opened_(std::move(opened)) {}

address_policy address_policy::of_opened_only(std::vector<cidr> opened) {
  address_policy out(std::move(opened));
  out.public_too_ = false;
  return out;
}

bool address_policy::allows(ip_address const& address) const {
  auto const unmapped = unwrapped(address);
  return (public_too_ && is_public(unmapped)) ||
         std::ranges::any_of(opened_, [&](cidr const& cidr) { return opens(cidr, unmapped); });
}

std::vector<ip_address> address_policy::allowed(std::vector<ip_address> const& addresses) const {
  std::vector<ip_address> out;
  std::size_t v4 = 0, v6 = 0;
  for (auto const& address : addresses)
    if (allows(address) && (address.v4 ? v4 : v6)++ < most_of_family) out.push_back(address);
  return out;
}

std::optional<ip_address> address_of(sockaddr const* socket_address) {
  std::array<std::uint8_t, 16> bytes{};
  if (socket_address->sa_family == AF_INET) {
    std::memcpy(bytes.data(), &reinterpret_cast<sockaddr_in const*>(socket_address)->sin_addr, 4);
    return ip_address::of(std::span(bytes).first(4));
  }
  if (socket_address->sa_family != AF_INET6) return std::nullopt;
  std::memcpy(bytes.data(), &reinterpret_cast<sockaddr_in6 const*>(socket_address)->sin6_addr, bytes.size());
  return ip_address::of(bytes);
}

}  // namespace svc::egress
