#include "svc/egress/dns/dns_record.hpp"

#include <algorithm>
#include <array>

namespace svc::egress {

namespace {

constexpr std::array<std::string_view, 6> rcodes{"NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"};

}  // namespace

std::string name_of_rcode(unsigned code) {
  return code < rcodes.size() ? std::string(rcodes[code]) : "RCODE" + std::to_string(code);
}

std::optional<unsigned> rcode_named(std::string_view name) {
  auto const found = std::ranges::find(rcodes, name);
  return found == rcodes.end() ? std::nullopt : std::optional(static_cast<unsigned>(found - rcodes.begin()));
}

}  // namespace svc::egress
