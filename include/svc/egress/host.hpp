#pragma once

#include "svc/core/cidr.hpp"
#include "svc/core/result.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace svc::egress {

/// A host that a user named: a name or an address. A value.
struct host {
  /// The name in lower case, in letters that DNS knows (an IDN as A-labels, RFC 5890), or the address as `ip_text`
  /// writes it.
  std::string name{};
  std::optional<ip_address> address{};  ///< set if it is an address

  /// As in URLs and `Host`: an IPv6 address in brackets.
  std::string in_url() const;

  friend bool operator==(host const&, host const&) = default;
};

/// The host of a URL (RFC 3986 3.2.2), more strictly than most readers, so that no reader of the same text connects
/// to another place: a name by RFC 1123 2.1 of at most 253 bytes (non-ASCII ones by UTS #46, non-transitional),
/// dotted decimal of four parts without leading zeros, or an IPv6 address in brackets without a zone. A name whose
/// last label is a number in any notation is refused. Fails with `validation_failed` and a sentence. Total.
result<host> parse_host(std::string_view text);

/// The same for targets that are no URL: an IPv6 address stands without brackets.
result<host> parse_bare_host(std::string_view text);

/// A name to be looked up in DNS: like a host's, but underscores are allowed (`_dmarc.example.com`), numbers are
/// (`1.0.0.127.in-addr.arpa`), and a final dot is taken away. Fails with `validation_failed` and a sentence. Total.
result<std::string> parse_dns_name(std::string_view text);

}  // namespace svc::egress
