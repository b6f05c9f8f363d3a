#pragma once

#include "svc/core/result.hpp"
#include "svc/core/secret.hpp"

#include <cstdint>
#include <string>
#include <string_view>

// Standard Webhooks (https://github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md), symmetric.

namespace svc::notifications {

/// Returns `whsec_` and the base64 of 32 random bytes.
secret_string make_signing_secret();

/// Returns the key of `whsec_<base64 of 24 to 64 bytes>`, otherwise `validation_failed` without any part of
/// the text. Total.
result<secret_bytes> read_signing_secret(std::string_view text);

/// Returns `v1,<base64 HMAC-SHA256(id "." seconds "." body)>`. `seconds` is the time of the attempt, since
/// 1970.
std::string sign(secret_bytes const& key, std::string_view id, std::int64_t seconds, std::string_view body);

}  // namespace svc::notifications
