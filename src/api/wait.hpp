#pragma once

#include "svc/api/call.hpp"

#include <chrono>
#include <optional>

namespace svc::api {

/// How long the call wants to wait for the end of a run: `?wait=N`, else `Prefer: wait=N` (RFC 7240 4.3), 1 to 55 s.
/// Nothing: it does not. validation_failed for a preference that is no such number.
result<std::optional<std::chrono::seconds>> wanted_wait(call const& c);

/// The same of the `Prefer` fields alone.
result<std::optional<std::chrono::seconds>> preferred_wait(http::request const& head);

}  // namespace svc::api
