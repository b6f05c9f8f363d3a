#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace svc::egress {

/// An echo request or reply (RFC 792, RFC 4443 4). A value.
struct icmp_echo {
  bool reply = false;
  std::uint16_t id = 0, sequence = 0;
  std::span<std::uint8_t const> payload{};
};

/// Returns the bytes of a request, with the checksum for IPv4; the kernel adds that for IPv6.
std::string echo_request(bool v4, std::uint16_t id, std::uint16_t sequence, std::span<std::uint8_t const> payload);

/// Returns `std::nullopt` for other messages. `with_ip` is true if an IPv4 header precedes the message, as on
/// raw sockets. Total.
std::optional<icmp_echo> read_echo(std::span<std::uint8_t const> message, bool v4, bool with_ip);

}  // namespace svc::egress
