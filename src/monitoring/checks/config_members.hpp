#pragma once

#include "monitoring/checks/member_reader.hpp"
#include "svc/monitoring/checks/config.hpp"

namespace svc::checks {

/// An unknown variable syntax is a fault of that member. `most` bounds the member, and the text with its values;
/// `filled` bounds the latter in its place if the member is only a reference.
checks::text_with_variables text_of_member(member_reader& from, std::string_view name, std::size_t most,
                                           std::size_t filled = 0);
egress::ip_family family_of(member_reader& from);
std::vector<checks::assertion_settings> assertions_of(member_reader& from);
std::optional<checks::expected_value> expected_of(member_reader& from, std::string_view name);

// Each reads the members of its type.
http_config read_http(check_source const& source, std::optional<std::uint32_t> degraded_after_ms,
                      member_reader& from);
/// JSON pointer of the first secret that the configuration itself has: one that is no reference to a variable.
std::optional<std::string> secret_member(http_config const& of);
ping_config read_ping(member_reader& from);
port_config read_port(int most_pattern_size, member_reader& from);
dns_config read_dns(int most_pattern_size, member_reader& from, egress::guard const* judge);

}  // namespace svc::checks
