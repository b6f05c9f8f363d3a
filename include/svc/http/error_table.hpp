#pragma once

#include "svc/core/result.hpp"
#include "svc/http/message.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace svc::http {

/// The form in which clients see one errc. Immutable, static.
struct error_row {
  errc code;
  unsigned status;
  std::string_view name;      ///< the body's `code`
  std::string_view sentence;  ///< the body's `error` unless the error has its own text; says what the client can do
};

error_row const& row_of(errc code);
/// Returns the errc with that `code`; for checks of the contract at startup.
std::optional<errc> errc_of(std::string_view name);
/// Returns the standard phrase of a status that this service sends (RFC 9110 15), otherwise "Unknown".
std::string_view reason_phrase(unsigned status);

/// Returns the response of a failure. Every failure has the shape `{error, code, requestId, details?}`;
/// `problem_json` adds RFC 9457's members. Sets WWW-Authenticate on 401 (RFC 6750). Sets Retry-After on temporary
/// failures (503, idempotency_in_progress, queue_full): `retry_after` or one second. Other failures get it only if
/// `retry_after` is given. The pipeline adds the Allow, limit, request-id and security fields.
response error_response(error const& failure, std::string_view request_id, bool problem_json,
                        std::optional<std::chrono::seconds> retry_after = std::nullopt);

/// Returns true if Accept prefers application/problem+json for errors: it names this type with no less weight than
/// application/json.
bool prefers_problem_json(request const& head);

}  // namespace svc::http
