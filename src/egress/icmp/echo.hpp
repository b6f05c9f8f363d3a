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

/// The bytes of a request, with the checksum of IPv4; that of IPv6 is the kernel's.
std::string echo_request(bool v4, std::uint16_t id, std::uint16_t sequence, std::span<std::uint8_t const> payload);

/// Nothing for other messages. `with_ip`: an IPv4 header comes before it, as raw sockets give it. Total.
std::optional<icmp_echo> read_echo(std::span<std::uint8_t const> message, bool v4, bool with_ip);

}  // namespace svc::egress
