#pragma once

#include "svc/core/result.hpp"
#include "svc/http/message.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace svc::http {

/// How clients see one errc. Immutable, static.
struct error_row {
  errc code;
  unsigned status;
  std::string_view name;      ///< the body's `code`
  std::string_view sentence;  ///< the body's `error` unless the error brings its own: what to do
};

error_row const& row_of(errc code);
/// The errc whose `code` is that text; for checks of the contract at startup.
std::optional<errc> errc_of(std::string_view name);
/// The standard phrase of a status this service sends (RFC 9110 15), else "Unknown".
std::string_view reason_phrase(unsigned status);

/// The one shape of every failure: `{error, code, requestId, details?}`; with `problem_json` also RFC 9457's members.
/// Sets WWW-Authenticate on 401 (RFC 6750) and Retry-After on failures that pass by themselves (503,
/// idempotency_in_progress, queue_full): `retry_after` or one second; on others only if `retry_after` is given. The
/// pipeline adds the Allow, limit, request-id and security fields.
response error_response(error const& failure, std::string_view request_id, bool problem_json,
                        std::optional<std::chrono::seconds> retry_after = std::nullopt);

/// Whether Accept prefers application/problem+json for errors: names it, with no less weight than application/json.
bool prefers_problem_json(request const& head);

}  // namespace svc::http
