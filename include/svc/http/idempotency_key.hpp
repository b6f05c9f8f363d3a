#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace svc::http {

/// The value of `Idempotency-Key`: 1 to 255 visible characters, bare or as a quoted string (RFC 8941 3.3.3, `\"` and
/// `\\` escaped); both spellings are one key. Nothing when it is neither.
std::optional<std::string> read_idempotency_key(std::string_view text);

}  // namespace svc::http
