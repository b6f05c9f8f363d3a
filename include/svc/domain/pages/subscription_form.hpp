#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace svc::pages {

/// The buttons of a subscription's page.
enum class subscription_action : std::uint8_t { confirm, refuse, stop };

/// Reads the body of a POST to a subscription's link: `action=confirm`, `action=refuse`, `action=stop`, or
/// `List-Unsubscribe=One-Click` (RFC 8058), which mail programs send as a form or as multipart/form-data. Total.
std::optional<subscription_action> read_subscription_action(std::string_view body);

}  // namespace svc::pages
