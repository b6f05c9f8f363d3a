#pragma once

#include "svc/api/call.hpp"
#include "svc/store/change.hpp"

#include <chrono>
#include <optional>

namespace svc::api {

/// Who changes what this call changes.
inline store::editor edit_by(call const& c) {
  return {c.who.project_id, c.who.organization_id, c.actor(), c.expected_versions()};
}

/// Text of the query, if it is there.
inline std::optional<std::string> query_text(call const& c, std::string_view name) {
  auto const found = c.query_value(name);
  return found ? std::optional<std::string>(*found) : std::nullopt;
}

/// An id or a moment of the query, if it is there; the contract has checked its form.
inline std::optional<uuid> query_id(call const& c, std::string_view name) {
  auto const found = c.query_value(name);
  return found ? uuid::parse(*found) : std::nullopt;
}
inline std::optional<timestamp> query_time(call const& c, std::string_view name) {
  auto const found = c.query_value(name);
  return found ? parse_rfc3339(*found) : std::nullopt;
}

/// How long the call wants to wait for the end of a run: `?wait=N`, else `Prefer: wait=N` (RFC 7240 4.3), 1 to 55 s.
/// Nothing: it does not. validation_failed for a preference that is no such number.
result<std::optional<std::chrono::seconds>> wanted_wait(call const& c);

/// The same of the `Prefer` fields alone.
result<std::optional<std::chrono::seconds>> preferred_wait(http::request const& head);

}  // namespace svc::api
