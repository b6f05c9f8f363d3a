#pragma once

#include "svc/core/cidr.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::egress {

/// The types that may be asked for, by their numbers (IANA, RFC 1035 3.2.2).
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
  /// Its data on one line, as master files have it, but names in lower case and without the final dot, and the text
  /// of a TXT record without quotes, its strings joined: `10 mail.example.com`, `0 issue "ca.example"`.
  std::string text{};
  std::optional<ip_address> address{};  ///< of A and AAAA
  std::chrono::seconds ttl{};

  friend bool operator==(dns_record const&, dns_record const&) = default;
};

/// Result codes (RFC 1035 4.1.1) that are looked at.
inline constexpr unsigned rcode_none = 0, rcode_name_error = 3;

/// The code's name as IANA's registry has it, and `RCODE9` for those above 5.
std::string name_of_rcode(unsigned code);
/// One of NOERROR, FORMERR, SERVFAIL, NXDOMAIN, NOTIMP, REFUSED.
std::optional<unsigned> rcode_named(std::string_view name);

/// What a server said about a name and a type.
struct dns_answer {
  unsigned rcode = rcode_none;
  /// Those of the type that was asked for, of the name or what its CNAME records lead to, in the order of the answer.
  std::vector<dns_record> records{};
  /// For how long these records hold: the least TTL of them and of the CNAME records before them.
  std::chrono::seconds ttl{};
};

}  // namespace svc::egress
