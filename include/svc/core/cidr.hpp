#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace svc {

/// An IPv4 or IPv6 address. An IPv4-mapped one (`::ffff:a.b.c.d`, RFC 4291 2.5.5.2) is that IPv4 address. A value.
struct ip_address {
  bool v4 = false;
  std::array<std::uint8_t, 16> bytes{};  ///< IPv4: the first four

  /// The textual forms of RFC 4291 and dotted decimal; a zone (`%eth0`) is ignored.
  static std::optional<ip_address> parse(std::string_view text);
  /// Of 4 or 16 bytes in network order, as in `in_addr` and `in6_addr`.
  static ip_address of(std::span<std::uint8_t const> bytes);
  /// As `ip_text` writes it.
  std::string to_string() const;

  friend bool operator==(ip_address const&, ip_address const&) = default;
};

/// A range of addresses, `ADDRESS/LENGTH`. Bits after the length do not count. A value.
class cidr {
 public:
  /// Nothing without a length, or with one that the family does not have.
  static std::optional<cidr> parse(std::string_view text);

  /// An IPv4 range holds no IPv6 address and the other way round, `::/0` and `0.0.0.0/0` too.
  bool contains(ip_address const& address) const;
  /// Whether each address of `other` is in this range.
  bool contains(cidr const& other) const;
  /// Network and length; what `parse` reads as an equal range.
  std::string to_string() const;

  friend bool operator==(cidr const&, cidr const&) = default;

 private:
  bool v4_ = false;
  unsigned length_ = 0;
  std::array<std::uint8_t, 16> network_{};
};

}  // namespace svc
