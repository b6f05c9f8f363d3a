#pragma once

#include "svc/core/ip_address.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::egress {

/// The record types that can be requested, with their numbers (IANA, RFC 1035 3.2.2).
enum class record_type : std::uint16_t {
  a = 1,
  ns = 2,
  cname = 5,
  soa = 6,
  ptr = 12,
  mx = 15,
  txt = 16,
  aaaa = 28,
  srv = 33,
  caa = 257,
};

/// One record of an answer. A value.
struct dns_record {
  /// The data on one line, as in a master file, but with names in lower case and without the final dot. The text of a
  /// TXT record has no quotes, and its strings are joined. Examples: `10 mail.example.com`, `0 issue "ca.example"`.
  std::string text{};
  std::optional<ip_address> address{};  ///< only for A and AAAA
  std::chrono::seconds ttl{};

  friend bool operator==(dns_record const&, dns_record const&) = default;
};

/// Result codes (RFC 1035 4.1.1) that the resolver distinguishes.
inline constexpr unsigned rcode_none = 0, rcode_name_error = 3;

/// Returns the code's name from IANA's registry, or `RCODE9` and the like for codes above 5.
std::string name_of_rcode(unsigned code);
/// Accepts NOERROR, FORMERR, SERVFAIL, NXDOMAIN, NOTIMP and REFUSED.
std::optional<unsigned> rcode_named(std::string_view name);

/// A server's answer to a question for a name and a type.
struct dns_answer {
  unsigned rcode = rcode_none;
  /// Records of the requested type, for the name or for the target of its CNAME records, in the order of the answer.
  std::vector<dns_record> records{};
  /// Validity of these records: the least TTL among them and the CNAME records before them.
  std::chrono::seconds ttl{};
};

}  // namespace svc::egress
