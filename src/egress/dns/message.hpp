#pragma once

#include "svc/egress/dns/dns_record.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace svc::egress {

/// Reads the answer to a question for `name` (as `parse_dns_name` gives it) and `type` from a DNS message
/// (RFC 1035 4.1). Takes from the answer section only at most 16 CNAME records that start at the name, in any
/// order, and the records of that type at their end. Returns `std::nullopt` if the message is malformed, or
/// has records of that type with malformed data. Total.
std::optional<dns_answer> read_dns_answer(std::span<std::uint8_t const> message, std::string_view name,
                                          record_type type);

}  // namespace svc::egress
