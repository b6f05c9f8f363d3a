#include "svc/core/ip_address.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

namespace svc {

namespace {

constexpr std::size_t longest_address = 45;
constexpr std::array<std::uint8_t, 12> mapped_prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
constexpr unsigned mapped_bits = 96;

bool is_mapped(std::array<std::uint8_t, 16> const& bytes) {
  return std::equal(mapped_prefix.begin(), mapped_prefix.end(), bytes.begin());
}

/// As it is written: a mapped address stays IPv6.
std::optional<ip_address> parse_written(std::string_view text) {
  // A NUL byte would end the text early for inet_pton.
  if (text.size() > longest_address || text.find('\0') != std::string_view::npos) return std::nullopt;
  std::string const terminated(text);
  ip_address out;
  out.v4 = inet_pton(AF_INET, terminated.c_str(), out.bytes.data()) == 1;
  if (out.v4 || inet_pton(AF_INET6, terminated.c_str(), out.bytes.data()) == 1) return out;
  return std::nullopt;
}

void unmap(ip_address& address) {
  std::copy(address.bytes.begin() + mapped_prefix.size(), address.bytes.end(), address.bytes.begin());
  std::fill(address.bytes.begin() + 4, address.bytes.end(), std::uint8_t{0});
  address.v4 = true;
}

std::optional<unsigned> parse_length(std::string_view text) {
  if (text.empty() || text.size() > 3 || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  unsigned out = 0;
  for (char const c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    out = 10 * out + static_cast<unsigned>(c - '0');
  }
  return out;
}

std::array<std::uint8_t, 16> masked(std::array<std::uint8_t, 16> bytes, unsigned length) {
  for (unsigned i = 0; i < bytes.size(); ++i) {
    unsigned const kept = std::min(length - std::min(length, 8 * i), 8U);
    bytes[i] = static_cast<std::uint8_t>(bytes[i] & (0xFF00U >> kept));
  }
  return bytes;
}

}  // namespace

std::string ip_text(std::span<std::uint8_t const> bytes) {
  if (bytes.size() == 16 && std::equal(mapped_prefix.begin(), mapped_prefix.end(), bytes.begin()))
    bytes = bytes.subspan(mapped_prefix.size());
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(bytes.size() == 4 ? AF_INET : AF_INET6, bytes.data(), text.data(), text.size());
  return text.data();
}

std::optional<std::string> ip_text_of(std::string_view literal) {
  auto const address = parse_written(literal);
  return address ? std::optional(address->to_string()) : std::nullopt;
}

std::optional<ip_address> ip_address::parse(std::string_view text) {
  auto out = parse_written(text.substr(0, text.find('%')));
  if (out && !out->v4 && is_mapped(out->bytes)) unmap(*out);
  return out;
}

ip_address ip_address::of(std::span<std::uint8_t const> bytes) {
  ip_address out;
  out.v4 = bytes.size() == 4;
  std::ranges::copy(bytes.first(out.v4 ? 4 : 16), out.bytes.begin());
  if (!out.v4 && is_mapped(out.bytes)) unmap(out);
  return out;
}

std::string ip_address::to_string() const {
  return ip_text(std::span(bytes).first(v4 ? 4 : 16));
}

std::optional<cidr> cidr::parse(std::string_view text) {
  auto const slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  auto address = parse_written(text.substr(0, slash));
  auto length = parse_length(text.substr(slash + 1));
  if (!address || !length || *length > (address->v4 ? 32U : 128U)) return std::nullopt;
  if (!address->v4 && *length >= mapped_bits && is_mapped(address->bytes)) {
    unmap(*address);
    *length -= mapped_bits;
  }
  cidr out;
  out.v4_ = address->v4;
  out.length_ = *length;
  out.network_ = masked(address->bytes, *length);
  return out;
}

bool cidr::contains(ip_address const& address) const {
  return address.v4 == v4_ && masked(address.bytes, length_) == network_;
}

bool cidr::contains(cidr const& other) const {
  return other.v4_ == v4_ && other.length_ >= length_ && masked(other.network_, length_) == network_;
}

std::string cidr::to_string() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(v4_ ? AF_INET : AF_INET6, network_.data(), text.data(), text.size());
  return text.data() + ("/" + std::to_string(length_));
}

}  // namespace svc
