#pragma once

#include "svc/core/ip_address.hpp"
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

  /// Returns the form in URLs and `Host`: an IPv6 address in brackets.
  std::string in_url() const;

  friend bool operator==(host const&, host const&) = default;
};

/// Parses the host of a URL (RFC 3986 3.2.2) more strictly than most parsers, so that no parser of the same
/// text connects to another host. Accepts a name by RFC 1123 2.1 of at most 253 bytes (non-ASCII ones by UTS
/// #46, non-transitional). Also accepts dotted decimal of four parts without leading zeros, and an IPv6
/// address in brackets without a zone. Refuses a name whose last label is a number in any notation. Fails
/// with `validation_failed` and a sentence. Total.
result<host> parse_host(std::string_view text);

/// Parses the host of a target that is no URL: an IPv6 address has no brackets.
result<host> parse_bare_host(std::string_view text);

/// Parses a name for a DNS lookup: a host's name that may have underscores (`_dmarc.example.com`) and numbers
/// (`1.0.0.127.in-addr.arpa`). Removes a final dot. Fails with `validation_failed` and a sentence. Total.
result<std::string> parse_dns_name(std::string_view text);

}  // namespace svc::egress
