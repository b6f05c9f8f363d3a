#include "egress/icmp/echo.hpp"

namespace svc::egress {

namespace {

constexpr std::size_t header_size = 8;
constexpr std::uint8_t request_v4 = 8, reply_v4 = 0, request_v6 = 128, reply_v6 = 129;

/// RFC 1071.
std::uint16_t checksum(std::string const& bytes) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    sum += static_cast<std::uint32_t>(static_cast<std::uint8_t>(bytes[i])) << (i % 2 == 0 ? 8 : 0);
  while (sum > 0xFFFF) sum = (sum & 0xFFFF) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

void put_u16(std::string& into, std::size_t offset, std::uint16_t value) {
  into[offset] = static_cast<char>(value >> 8);
  into[offset + 1] = static_cast<char>(value & 0xFF);
}

std::uint16_t u16_at(std::span<std::uint8_t const> bytes, std::size_t offset) {
  return static_cast<std::uint16_t>(bytes[offset] << 8 | bytes[offset + 1]);
}

/// Behind the IPv4 header (RFC 791 3.1); nothing if it is none, or cut.
std::optional<std::span<std::uint8_t const>> behind_ip(std::span<std::uint8_t const> packet) {
  if (packet.empty() || packet[0] >> 4 != 4) return std::nullopt;
  auto const size = static_cast<std::size_t>(packet[0] & 0x0F) * 4;
  if (size < 20 || size > packet.size()) return std::nullopt;
  return packet.subspan(size);
}

}  // namespace

std::string echo_request(bool v4, std::uint16_t id, std::uint16_t sequence, std::span<std::uint8_t const> payload) {
  std::string out(header_size, '\0');
  out[0] = static_cast<char>(v4 ? request_v4 : request_v6);
  put_u16(out, 4, id);
  put_u16(out, 6, sequence);
  out.append(reinterpret_cast<char const*>(payload.data()), payload.size());
  if (v4) put_u16(out, 2, checksum(out));
  return out;
}

std::optional<icmp_echo> read_echo(std::span<std::uint8_t const> message, bool v4, bool with_ip) {
  if (with_ip) {
    auto const inner = behind_ip(message);
    if (!inner) return std::nullopt;
    message = *inner;
  }
  if (message.size() < header_size || message[1] != 0) return std::nullopt;
  auto const type = message[0];
  bool const reply = type == (v4 ? reply_v4 : reply_v6);
  if (!reply && type != (v4 ? request_v4 : request_v6)) return std::nullopt;
  return icmp_echo{reply, u16_at(message, 4), u16_at(message, 6), message.subspan(header_size)};
}

}  // namespace svc::egress
