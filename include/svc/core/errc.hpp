#pragma once

#include <cstdint>

namespace svc {

/// Every failure that input can cause. `http/error_table.cpp` gives each its status, code and public
/// sentence; nothing else maps errors to HTTP. Broken infrastructure is not here: it throws `unavailable`.
enum class errc : std::uint16_t {
  // 400: the request itself
  malformed_request,          ///< framing, target or header that RFC 9112 does not allow
  malformed_json,             ///< the body is no JSON text (RFC 8259), or one our border refuses
  validation_failed,          ///< JSON, path or query that breaks the operation's schema
  idempotency_not_supported,  ///< `Idempotency-Key` on an operation that does not take one
  // 401: the credential
  token_required,      ///< no credential came
  invalid_token,       ///< unknown prefix, bad checksum, unknown token
  token_disabled,      ///< switched off
  token_expired,       ///< its `expiresAt` has passed
  token_revoked,       ///< deleted
  secret_rotated,      ///< this secret was replaced by a newer one
  owner_removed,       ///< the owner left the organisation
  owner_disabled,      ///< the owner's account is banned
  owner_without_role,  ///< the owner has no role in the project
  project_archived,    ///< the project is archived
  wrong_token_kind,    ///< a trigger key on a general endpoint
  wrong_job,           ///< a trigger key used on another job
  // 403: the permission
  permission_denied,          ///< the role does not allow the operation
  disabled_by_administrator,  ///< an administrator switched it off; only one enables it again
  not_token_owner,            ///< only its owner may do this to a token
  address_not_allowed,        ///< the key may not be used from this address
  wait_needs_cli_token,       ///< a trigger key asked to wait for its run
  // 404, 405
  not_found,           ///< no such resource in the token's project
  route_not_found,     ///< no such path
  method_not_allowed,  ///< the path exists, this method does not
  // 408
  request_timeout,  ///< the request did not arrive in time
  // 409: the state
  name_taken,                 ///< the name must be unique and is in use
  token_limit_reached,        ///< a project holds at most 20 unrevoked tokens
  trigger_key_limit_reached,  ///< a job holds at most 10 unrevoked keys
  tag_limit_reached,          ///< a project holds at most 200 tags
  variable_limit_reached,     ///< the project holds as many variables as its quota allows
  variable_bytes_exceeded,    ///< their values would be larger than its quota
  test_limit_reached,         ///< the project holds as many tests as its quota allows
  script_bytes_exceeded,      ///< their scripts would be larger than its quota
  job_limit_reached,          ///< the project holds as many jobs as its quota allows
  queue_full,                 ///< as many of the project's runs are queued as its quota allows
  token_not_active,           ///< a disabled or expired token gets no new secret
  job_disabled,               ///< the job is switched off
  job_has_no_tests,           ///< nothing would run
  test_in_use,                ///< a job uses the test
  run_already_over,           ///< the run has ended
  run_not_over,               ///< the run is queued or running; only an ended one has output and is deleted
  claim_lost,                 ///< a runner speaks of a run that it does not hold any more
  stream_limit_reached,       ///< a token, a project or the instance has as many streams as it may
  idempotency_in_progress,    ///< the first request with this `Idempotency-Key` is not over yet
  // 410
  output_dropped,  ///< the run's output made room for later ones
  // 412 and up
  precondition_failed,         ///< not the version that `If-Match` or `If-None-Match` asks for
  body_too_large,              ///< more bytes than the operation takes
  target_too_long,             ///< request target longer than 8 KiB
  unsupported_media_type,      ///< the body is not JSON
  unsupported_content_coding,  ///< the body is compressed, or encoded otherwise
  idempotency_mismatch,        ///< this `Idempotency-Key` stands for another request
  rate_limited,                ///< the window of this subject is full
  head_too_large,              ///< more than 16 KiB or 100 fields
  // 5xx
  internal_error,         ///< a bug; the log holds the request id
  not_implemented,        ///< a transfer coding or method the service does not know
  unavailable,            ///< Redis or PostgreSQL is out of reach for this request
  overloaded,             ///< too many requests in flight
  version_not_supported,  ///< not HTTP/1.0 or HTTP/1.1
};

/// Number of values above, for tables that must be complete.
inline constexpr std::uint16_t errc_count = static_cast<std::uint16_t>(errc::version_not_supported) + 1;

}  // namespace svc
