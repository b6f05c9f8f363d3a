#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace svc {

/// The one spelling of an address that limits, logs and audit use: dotted decimal for 4 bytes, RFC 5952 for 16, and
/// an IPv4-mapped one (`::ffff:a.b.c.d`) as IPv4.
std::string ip_text(std::span<std::uint8_t const> bytes);

/// That spelling of a literal; nothing for anything else (names, ports, zones, brackets).
std::optional<std::string> ip_text_of(std::string_view literal);

}  // namespace svc
