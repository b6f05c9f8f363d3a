#pragma once

#include "svc/core/ip_address.hpp"

#include <cstddef>
#include <optional>
#include <vector>

struct sockaddr;

namespace svc::egress {

/// Decides to which addresses the service may connect for its users: addresses of the public internet, and addresses
/// that the operator opened. Pure and immutable. The caller asks about the address of each connection, never about a
/// name, because a name can change its addresses between two calls.
class address_policy {
 public:
  address_policy() = default;
  /// `opened` holds the ranges of `outgoing_allow_cidrs`. The ranges where clouds keep credentials are
  /// 169.254.0.0/16, fe80::/10 and fd00:ec2::254. An opened range counts for these only if it lies inside them, so
  /// 0.0.0.0/0 opens none of them.
  explicit address_policy(std::vector<cidr> opened);
  /// Returns a policy for unencrypted connections: it allows addresses that the operator opened, and none of
  /// the public internet.
  static address_policy of_opened_only(std::vector<cidr> opened);

  /// An IPv6 address may embed an IPv4 address (::ffff:0:0/96, or 64:ff9b::/96 of NAT64, RFC 6052). The
  /// policy then checks only the IPv4 address.
  bool allows(ip_address const& address) const;

  /// Returns the allowed addresses of a name in their order, at most `most_of_family` of each family. Without this
  /// limit, a name with a hundred addresses would turn each attempt into a hundred connections.
  std::vector<ip_address> allowed(std::vector<ip_address> const& addresses) const;
  static constexpr std::size_t most_of_family = 4;

 private:
  std::vector<cidr> opened_;
  bool public_too_ = true;
};

/// Returns the address of a socket, or `std::nullopt` for families other than IPv4 and IPv6.
std::optional<ip_address> address_of(sockaddr const* socket_address);

}  // namespace svc::egress
