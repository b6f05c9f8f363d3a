#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace svc {

/// Returns the only spelling of an address that limits, logs and audit rows use: dotted decimal for 4 bytes,
/// RFC 5952 for 16, and an IPv4-mapped one (`::ffff:a.b.c.d`) as IPv4.
std::string ip_text(std::span<std::uint8_t const> bytes);
/// Returns that spelling of a literal, or `std::nullopt` for anything else (names, ports, zones, brackets).
std::optional<std::string> ip_text_of(std::string_view literal);

/// An IPv4 or IPv6 address. An IPv4-mapped one (`::ffff:a.b.c.d`, RFC 4291 2.5.5.2) is that IPv4 address. A value.
struct ip_address {
  bool v4 = false;
  std::array<std::uint8_t, 16> bytes{};  ///< IPv4: the first four

  /// Reads the textual forms of RFC 4291 and dotted decimal; ignores a zone (`%eth0`).
  static std::optional<ip_address> parse(std::string_view text);
  /// Converts 4 or 16 bytes in network order, as in `in_addr` and `in6_addr`.
  static ip_address of(std::span<std::uint8_t const> bytes);
  /// Returns the form that `ip_text` writes.
  std::string to_string() const;

  friend bool operator==(ip_address const&, ip_address const&) = default;
};

/// A range of addresses, `ADDRESS/LENGTH`. Bits after the length do not count. A value.
class cidr {
 public:
  /// Returns `std::nullopt` without a length, or with one that the family does not have.
  static std::optional<cidr> parse(std::string_view text);

  /// Returns true if the address is in this range. An IPv4 range holds no IPv6 address, and an IPv6 range holds no
  /// IPv4 address, not even `0.0.0.0/0` and `::/0`.
  bool contains(ip_address const& address) const;
  /// Returns true if each address of `other` is in this range.
  bool contains(cidr const& other) const;
  /// Returns network and length, a text that `parse` reads as an equal range.
  std::string to_string() const;

  friend bool operator==(cidr const&, cidr const&) = default;

 private:
  bool v4_ = false;
  unsigned length_ = 0;
  std::array<std::uint8_t, 16> network_{};
};

}  // namespace svc
