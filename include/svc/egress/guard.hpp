#pragma once

#include "svc/core/cidr.hpp"

#include <cstddef>
#include <optional>
#include <vector>

struct sockaddr;

namespace svc::egress {

/// Decides to which addresses the service connects for its users: those of the public internet, and those that the
/// operator opened. Pure and immutable. It is asked about the address of each connection, never about a name: what a
/// name stands for may change between two questions.
class guard {
 public:
  guard() = default;
  /// `opened`: the ranges of `outgoing_allow_cidrs`. Where clouds keep credentials (169.254.0.0/16, fe80::/10 and
  /// fd00:ec2::254) only a range that lies inside these opens anything, so that 0.0.0.0/0 does not.
  explicit guard(std::vector<cidr> opened);
  /// One that allows what the operator opened, and nothing of the public internet: for what goes unencrypted.
  static guard of_opened_only(std::vector<cidr> opened);

  /// An IPv6 address with an IPv4 address inside (::ffff:0:0/96, and 64:ff9b::/96 of NAT64, RFC 6052) is judged by
  /// the latter alone.
  bool allows(ip_address const& address) const;

  /// Of a name's addresses those that are allowed, in their order, at most `most_of_family` of each family: a name
  /// with a hundred addresses would make each attempt a hundred connections.
  std::vector<ip_address> allowed(std::vector<ip_address> const& addresses) const;
  static constexpr std::size_t most_of_family = 4;

 private:
  std::vector<cidr> opened_;
  bool public_too_ = true;
};

/// The address of a socket, judged like its text. Nothing for families other than IPv4 and IPv6.
std::optional<ip_address> address_of(sockaddr const* socket_address);

}  // namespace svc::egress
