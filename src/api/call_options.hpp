#pragma once

#include "svc/api/call.hpp"
#include "svc/store/accounts/member_store.hpp"
#include "svc/store/change.hpp"

#include <chrono>
#include <optional>

namespace svc::api {

/// Returns the editor of the changes that this call makes.
inline store::editor edit_by(call const& c) {
  return {c.caller.project_id, c.caller.organization_id, c.actor(), c.expected_versions()};
}

/// Returns the editor of changes to members and invitations of the caller's organisation.
inline store::member_editor member_editor_of(call const& c) {
  return {.actor = c.actor(), .role = c.caller.session->in_organization};
}

/// Returns a query parameter's text, if it is given.
inline std::optional<std::string> query_text(call const& c, std::string_view name) {
  auto const found = c.query_value(name);
  return found ? std::optional<std::string>(*found) : std::nullopt;
}

/// Returns a query parameter as an id or a time, if it is given; the contract has checked its form.
inline std::optional<uuid> query_id(call const& c, std::string_view name) {
  auto const found = c.query_value(name);
  return found ? uuid::parse(*found) : std::nullopt;
}
inline std::optional<timestamp> query_time(call const& c, std::string_view name) {
  auto const found = c.query_value(name);
  return found ? parse_rfc3339(*found) : std::nullopt;
}

/// Returns how long the call wants to wait for the end of a run: `?wait=N`, else `Prefer: wait=N` (RFC 7240 4.3), 1
/// to 55 s. Returns `std::nullopt` if the call does not wait, and validation_failed for a preference that is not such
/// a number.
result<std::optional<std::chrono::seconds>> wanted_wait(call const& c);

/// Returns the same from only the `Prefer` fields.
result<std::optional<std::chrono::seconds>> preferred_wait(http::request const& head);

}  // namespace svc::api
