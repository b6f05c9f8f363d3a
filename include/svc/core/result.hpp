#pragma once

#include <boost/assert/source_location.hpp>
#include <boost/system/result.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc {

/// Every failure that input can cause. `http/error_table.cpp` gives each its status, code and public sentence;
/// nothing else maps errors to HTTP. If a store is unreachable, the code throws `unavailable`, and the pipeline
/// answers with `errc::unavailable`.
enum class errc : std::uint16_t {
  // 400: the request itself
  malformed_request,          ///< framing, target or header that RFC 9112 does not allow
  malformed_json,             ///< the body is not JSON (RFC 8259), or JSON that `parse_json` refuses
  validation_failed,          ///< JSON, path or query that breaks the operation's schema
  idempotency_not_supported,  ///< `Idempotency-Key` on an operation that does not take one
  project_required,           ///< a session's request names no project
  // 401: the credential
  token_required,      ///< the request has no credential
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
  session_required,    ///< the operation needs a session, and the request has no cookie
  session_invalid,     ///< two cookies, a bad checksum, or an unknown session
  session_expired,     ///< its life has passed, or it was not used for too long
  session_ended,       ///< signed out, or ended by a change of the account
  session_rotated,     ///< a fresh sign-in replaced this secret
  sign_in_failed,      ///< unknown e-mail or wrong password
  // 403: the permission
  permission_denied,          ///< the role does not allow the operation
  disabled_by_administrator,  ///< an administrator switched it off; only an administrator can enable it again
  not_token_owner,            ///< only its owner may do this to a token
  address_not_allowed,        ///< the key may not be used from this address
  wait_needs_cli_token,       ///< a trigger key asked to wait for its run
  cross_site_request,         ///< a page of another site caused the request
  fresh_sign_in_required,     ///< the user must sign in again
  policy_not_met,             ///< the organisation's sign-in policy does not admit this session
  sign_in_refused,            ///< the method is not for this account
  feeds_disabled,             ///< the status page has no feeds
  // 404, 405
  not_found,            ///< no such resource in the token's project
  project_not_found,    ///< no such project, or none of the session's user
  route_not_found,      ///< no such path
  dashboard_not_built,  ///< the instance serves no pages: it was built without them, or they are switched off
  method_not_allowed,   ///< the path exists, this method does not
  // 408
  request_timeout,  ///< the request did not arrive in time
  // 409: the state
  name_taken,                  ///< the name must be unique and is in use
  token_limit_reached,         ///< a project holds at most 20 unrevoked tokens
  trigger_key_limit_reached,   ///< a job holds at most 10 unrevoked keys
  tag_limit_reached,           ///< a project holds at most 200 tags
  variable_limit_reached,      ///< the project holds as many variables as its quota allows
  variable_bytes_exceeded,     ///< their values would be larger than its quota
  test_limit_reached,          ///< the project holds as many tests as its quota allows
  script_bytes_exceeded,       ///< their scripts would be larger than its quota
  job_limit_reached,           ///< the project holds as many jobs as its quota allows
  monitor_limit_reached,       ///< the quota allows no more monitors, or no larger configs
  provider_limit_reached,      ///< the project holds as many notification providers as its quota allows
  queue_full,                  ///< the project's run queue is full
  token_not_active,            ///< a disabled or expired token gets no new secret
  job_disabled,                ///< the job is switched off
  job_has_no_tests,            ///< the job has no test to run
  test_in_use,                 ///< a job uses the test
  monitor_not_deleted,         ///< only a deleted one is restored
  monitor_paused,              ///< a paused one is not checked
  type_not_checkable,          ///< monitors of this type do not support the operation
  dependency_cycle,            ///< a monitor would depend on itself
  window_limit_reached,        ///< a project holds at most 100 unfinished maintenance windows
  window_over,                 ///< a finished maintenance window does not change
  window_not_active,           ///< only an active maintenance window is ended
  slug_taken,                  ///< a status page of the installation has the slug, or it is reserved for a project
  slug_change_limit_reached,   ///< a status page keeps at most five former slugs of the last 90 days
  status_page_limit_reached,   ///< the project holds as many status pages as its quota allows
  domain_taken,                ///< another status page has proved the domain
  component_limit_reached,     ///< a status page has at most 100 components, with at most 1 000 monitors
  incident_limit_reached,      ///< a status page has at most 50 open incidents
  post_limit_reached,          ///< 100 updates of one incident or window; or 20 notifying posts an hour, 100 a day
  page_bytes_exceeded,         ///< the posts of the project's status pages would be larger than its quota
  outage_over,                 ///< only an open one is acknowledged
  alert_not_failed,            ///< only an alert whose delivery has failed for good is sent again
  provider_disabled,           ///< nothing is sent to a provider that is disabled or deleted
  run_already_over,            ///< the run has ended
  run_not_over,                ///< the run is queued or running; only an ended one has output and is deleted
  claim_lost,                  ///< a runner reports on a run that it does not hold any more
  stream_limit_reached,        ///< a token, a project or the instance has reached its limit of streams
  idempotency_in_progress,     ///< the first request with this `Idempotency-Key` is not over yet
  account_exists,              ///< the invited address has an account; its user signs in, then accepts
  already_member,              ///< the user is a member of the organisation
  member_limit_reached,        ///< the organisation has as many members as its quota allows
  invitation_limit_reached,    ///< an organisation has at most 200 open invitations
  project_limit_reached,       ///< the organisation has as many projects as its quota allows
  runner_token_limit_reached,  ///< an organisation has at most 50 unrevoked runner tokens
  last_owner,                  ///< an organisation keeps one owner
  role_managed_by_provider,    ///< a group of an identity provider gave the role
  policy_would_lock_out,       ///< the session of the person who sets the policy would not meet it
  // 410
  output_dropped,  ///< the run's output made room for later ones
  link_over,       ///< the link or invitation was used, has expired or was replaced
  // 412 and up
  precondition_failed,         ///< not the version that `If-Match` or `If-None-Match` asks for
  body_too_large,              ///< more bytes than the operation takes
  target_too_long,             ///< request target longer than 8 KiB
  unsupported_media_type,      ///< the body is not JSON
  unsupported_content_coding,  ///< the body is compressed, or encoded otherwise
  idempotency_mismatch,        ///< this `Idempotency-Key` belongs to another request
  rate_limited,                ///< the window of this subject is full
  too_many_attempts,           ///< the window of sign-ins, recoveries or invitations is full
  head_too_large,              ///< more than 16 KiB or 100 fields
  // 5xx
  internal_error,         ///< a bug; the log holds the request id
  not_implemented,        ///< a transfer coding or method the service does not know
  unavailable,            ///< a store, another server or this instance cannot serve the request now
  overloaded,             ///< too many requests in flight
  version_not_supported,  ///< not HTTP/1.0 or HTTP/1.1
};

/// Number of values above, for tables that must be complete.
inline constexpr std::uint16_t errc_count = static_cast<std::uint16_t>(errc::version_not_supported) + 1;

/// One fault of a request: `field` is a JSON pointer (RFC 6901) or a parameter's name.
struct field_error {
  std::string field;
  std::string message;
};

/// A failure that input caused. `message` replaces the table's public sentence when it is not empty;
/// it is shown to the client, so it never holds driver text or secrets.
struct error {
  errc code;
  std::string message{};
  std::vector<field_error> details{};

  /// Exists because `result::error()` on a success must return something.
  error() : code(errc::internal_error) {}
  error(errc c) : code(c) {}  // NOLINT(google-explicit-constructor): `return errc::not_found;` reads best
  error(errc c, std::string text) : code(c), message(std::move(text)) {}
  error(errc c, std::string text, std::vector<field_error> fields)
      : code(c), message(std::move(text)), details(std::move(fields)) {}
};

template <class T = void>
using result = boost::system::result<T, error>;

/// Redis or PostgreSQL is out of reach, or did not answer in time. The pipeline catches it for a request, and
/// `attempt` for a step of a background loop. Work that continues without the store, or that shares its outcome with
/// other work, also catches it. `what()` goes to the log and never to a client.
class unavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller lost its right to write between its admission and its transaction; nothing was written. The
/// repositories throw it and the pipeline catches it, so that no caller of a statement handles such a rare
/// case. A confirmation carries it to all requests that wait for the confirmation.
class write_refused : public std::runtime_error {
 public:
  explicit write_refused(errc code) : std::runtime_error("the right to write is gone"), code_(code) {}
  errc code() const { return code_; }

 private:
  errc code_;
};

/// Called by `result::value()` on a failure: a bug in the caller.
[[noreturn]] inline void throw_exception_from_error(error const& e, boost::source_location const&) {
  throw std::logic_error("unchecked error " + std::to_string(static_cast<int>(e.code)) + ": " + e.message);
}

/// Adds a fault for each value that equals an earlier one. Its JSON pointer is `before`, the index, and
/// `after`. A schema compares spellings; this function compares the values.
template <class T>
void find_repeats(std::vector<T> const& all, std::string_view before, std::string_view after,
                  std::vector<field_error>& wrong) {
  for (auto position = all.begin(); position != all.end(); ++position) {
    if (std::find(all.begin(), position, *position) == position) continue;
    auto const index = std::to_string(position - all.begin());
    wrong.push_back({std::string(before).append(index).append(after), "is repeated"});
  }
}

}  // namespace svc
