#include "svc/http/error_table.hpp"

#include "svc/http/headers.hpp"
#include "svc/http/json.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace svc::http {
namespace {

constexpr std::array<error_row, errc_count> table{{
    {errc::malformed_request, 400, "malformed_request",
     "The request is not valid HTTP; correct its request line or headers."},
    {errc::malformed_json, 400, "malformed_json", "The body is not acceptable JSON; send one JSON value in UTF-8."},
    {errc::validation_failed, 400, "validation_failed",
     "The request breaks its schema; correct the fields listed in details."},
    {errc::idempotency_not_supported, 400, "idempotency_not_supported",
     "This operation takes no Idempotency-Key; send the request without it."},
    {errc::project_required, 400, "project_required",
     "A session has no project of its own; name one by its id in the header Svc-Project."},
    {errc::token_required, 401, "token_required", "Sign in, or send a token: Authorization: Bearer <token>."},
    {errc::invalid_token, 401, "invalid_token",
     "The token is not known here; check that it was copied whole and belongs to this service."},
    {errc::token_disabled, 401, "token_disabled", "The token is disabled; enable it or use another one."},
    {errc::token_expired, 401, "token_expired", "The token has expired; create a new one."},
    {errc::token_revoked, 401, "token_revoked", "The token was revoked; create a new one."},
    {errc::secret_rotated, 401, "secret_rotated", "The token was rotated; use its newer secret."},
    {errc::owner_removed, 401, "owner_removed",
     "The token's owner has left the organisation; use a token of a current member."},
    {errc::owner_disabled, 401, "owner_disabled", "The token's owner is disabled; use a token of another member."},
    {errc::owner_without_role, 401, "owner_without_role",
     "The token's owner has no role in the project; ask an administrator for one."},
    {errc::project_archived, 401, "project_archived",
     "The token's project is archived; restore it or use another project's token."},
    {errc::wrong_token_kind, 401, "wrong_token_kind",
     "A trigger key can only trigger its job; use a CLI token here."},
    {errc::wrong_job, 401, "wrong_job", "The trigger key belongs to another job; use a key of this job."},
    {errc::session_required, 401, "session_required", "Sign in first; this needs the cookie of a session."},
    {errc::session_invalid, 401, "session_invalid", "The session is not known here; sign in again."},
    {errc::session_expired, 401, "session_expired",
     "The session has expired, or was not used for too long; sign in again."},
    {errc::session_ended, 401, "session_ended", "The session has ended; sign in again."},
    {errc::session_rotated, 401, "session_rotated",
     "A fresh sign-in has replaced the session's secret; send the request again with the new cookie."},
    {errc::sign_in_failed, 401, "sign_in_failed",
     "The e-mail address or the password is wrong; try again, or recover the account."},
    {errc::permission_denied, 403, "permission_denied",
     "The user's role, or that of the token's owner, does not allow this; ask an administrator."},
    {errc::disabled_by_administrator, 403, "disabled_by_administrator",
     "An administrator has disabled the token; only an administrator can enable it again."},
    {errc::not_token_owner, 403, "not_token_owner",
     "Only the owner may rotate a token; create one of your own or ask the owner."},
    {errc::address_not_allowed, 403, "address_not_allowed",
     "The trigger key may not be used from this address; see its allowedCidrs."},
    {errc::wait_needs_cli_token, 403, "wait_needs_cli_token",
     "Waiting for a run needs a CLI token; trigger without wait, or with a CLI token."},
    {errc::cross_site_request, 403, "cross_site_request",
     "Only pages of this service may send this request. A proxy may have removed Sec-Fetch-Site."},
    {errc::fresh_sign_in_required, 403, "fresh_sign_in_required",
     "This needs a fresh sign-in; sign in again by the method in details, then repeat the request."},
    {errc::policy_not_met, 403, "policy_not_met",
     "The organisation's sign-in policy does not admit this session; sign in as the policy asks."},
    {errc::sign_in_refused, 403, "sign_in_refused",
     "This account does not sign in by this method; use its identity provider, or ask an administrator."},
    {errc::feeds_disabled, 403, "feeds_disabled", "This status page has no feeds; its page shows the same."},
    {errc::not_found, 404, "not_found", "There is no such resource in the token's project; check the id."},
    {errc::project_not_found, 404, "project_not_found",
     "There is no such project, or you have no role in it; check the header Svc-Project."},
    {errc::route_not_found, 404, "route_not_found", "There is no such path; see /openapi/openapi.json."},
    {errc::dashboard_not_built, 404, "dashboard_not_built",
     "This service was built without its dashboard; its operator can install a build that has it "
     "(docs/operating.md)."},
    {errc::method_not_allowed, 405, "method_not_allowed",
     "This path does not take that method; use one listed in Allow."},
    {errc::request_timeout, 408, "request_timeout", "The request did not arrive in time; send it again."},
    {errc::name_taken, 409, "name_taken", "The name is in use; choose another one."},
    {errc::token_limit_reached, 409, "token_limit_reached",
     "The project has its maximum of 20 tokens; delete one first."},
    {errc::trigger_key_limit_reached, 409, "trigger_key_limit_reached",
     "The job has its maximum of 10 trigger keys; delete one first."},
    {errc::tag_limit_reached, 409, "tag_limit_reached", "The project has its maximum of 200 tags; delete one first."},
    {errc::variable_limit_reached, 409, "variable_limit_reached",
     "The project has its maximum of variables; delete one first. GET /api/usage shows the quotas."},
    {errc::variable_bytes_exceeded, 409, "variable_bytes_exceeded",
     "The project's values would exceed their quota; shorten some first. GET /api/usage shows the quotas."},
    {errc::test_limit_reached, 409, "test_limit_reached",
     "The project has its maximum of tests; delete one first. GET /api/usage shows the quotas."},
    {errc::script_bytes_exceeded, 409, "script_bytes_exceeded",
     "The project's scripts would exceed their quota; shorten some first. GET /api/usage shows the quotas."},
    {errc::job_limit_reached, 409, "job_limit_reached",
     "The project has its maximum of jobs; delete one first. GET /api/usage shows the quotas."},
    {errc::monitor_limit_reached, 409, "monitor_limit_reached",
     "The project has its maximum of monitors, or of bytes of their configurations; delete one first."},
    {errc::provider_limit_reached, 409, "provider_limit_reached",
     "The project has its maximum of providers; delete one first. GET /api/usage shows the quotas."},
    {errc::queue_full, 409, "queue_full",
     "The project's run queue is full; retry after the time in Retry-After, or cancel queued runs."},
    {errc::token_not_active, 409, "token_not_active",
     "The token is disabled or has expired; enable it first, or create a new one."},
    {errc::job_disabled, 409, "job_disabled", "The job is disabled; enable it first."},
    {errc::job_has_no_tests, 409, "job_has_no_tests", "The job has no tests to run; add one first."},
    {errc::test_in_use, 409, "test_in_use", "A job uses this test; remove it from its jobs first."},
    {errc::monitor_not_deleted, 409, "monitor_not_deleted",
     "The monitor is not deleted, so there is nothing to restore."},
    {errc::monitor_paused, 409, "monitor_paused", "The monitor is paused, so it is not checked; resume it first."},
    {errc::type_not_checkable, 409, "type_not_checkable",
     "Not supported for this type: only heartbeats have a key, and heartbeats cannot be checked on demand."},
    {errc::dependency_cycle, 409, "dependency_cycle",
     "A monitor may not depend on itself, directly or through other monitors; leave out one of these dependencies."},
    {errc::window_limit_reached, 409, "window_limit_reached",
     "The project has its maximum of 100 unfinished maintenance windows; delete one first."},
    {errc::window_over, 409, "window_over",
     "The maintenance window is finished and does not change; create a new one."},
    {errc::window_not_active, 409, "window_not_active",
     "The maintenance window is not active, so there is nothing to end; change or delete it instead."},
    {errc::slug_taken, 409, "slug_taken", "The slug is in use or reserved; choose another one."},
    {errc::slug_change_limit_reached, 409, "slug_change_limit_reached",
     "The page has five former slugs of the last 90 days; wait until one of them is free, or use one of them again."},
    {errc::status_page_limit_reached, 409, "status_page_limit_reached",
     "The project has its maximum of status pages; delete one first. GET /api/usage shows the quotas."},
    {errc::domain_taken, 409, "domain_taken",
     "Another status page has verified this domain; remove that page's TXT record first, then repeat the request."},
    {errc::component_limit_reached, 409, "component_limit_reached",
     "The page has its maximum of 100 components, or of 1000 monitors in all components; remove some first."},
    {errc::incident_limit_reached, 409, "incident_limit_reached",
     "The page has its maximum of 50 open incidents; resolve one first."},
    {errc::post_limit_reached, 409, "post_limit_reached",
     "An incident or window takes 100 updates, a page 20 notifying posts an hour, 100 a day; wait or do not notify."},
    {errc::page_bytes_exceeded, 409, "page_bytes_exceeded",
     "The project's posts would exceed their quota; shorten some first. GET /api/usage shows the quotas."},
    {errc::outage_over, 409, "outage_over", "The outage has already ended; nothing is left to acknowledge."},
    {errc::alert_not_failed, 409, "alert_not_failed",
     "Only alerts whose delivery has failed for good can be sent again."},
    {errc::provider_disabled, 409, "provider_disabled",
     "The alert's provider is disabled or deleted, so nothing is sent to it; enable it first, if it is still there."},
    {errc::run_already_over, 409, "run_already_over", "The run has already ended; nothing is left to cancel."},
    {errc::run_not_over, 409, "run_not_over",
     "The run is queued or running; follow its stream, wait for its end or cancel it, then ask again."},
    {errc::claim_lost, 409, "claim_lost",
     "The claim no longer holds the run; stop executing it and report nothing more about it."},
    {errc::stream_limit_reached, 409, "stream_limit_reached",
     "The token, its project or the instance has its maximum of open streams; close one first."},
    {errc::idempotency_in_progress, 409, "idempotency_in_progress",
     "The first request with this Idempotency-Key has not ended; retry after the time in Retry-After."},
    {errc::account_exists, 409, "account_exists",
     "The invited address has an account; sign in to it, then accept the invitation."},
    {errc::already_member, 409, "already_member", "This person is a member already; change the role instead."},
    {errc::member_limit_reached, 409, "member_limit_reached",
     "The organisation has its maximum of members; remove one first."},
    {errc::invitation_limit_reached, 409, "invitation_limit_reached",
     "The organisation has its maximum of 200 open invitations; revoke one first."},
    {errc::project_limit_reached, 409, "project_limit_reached",
     "The organisation has its maximum of projects; ask the operator for more."},
    {errc::runner_token_limit_reached, 409, "runner_token_limit_reached",
     "The organisation has its maximum of 50 runner tokens; revoke one first."},
    {errc::last_owner, 409, "last_owner",
     "The organisation would be left without an owner who can sign in; name another one first."},
    {errc::role_managed_by_provider, 409, "role_managed_by_provider",
     "A group of the identity provider gives this role; change the group instead."},
    {errc::policy_would_lock_out, 409, "policy_would_lock_out",
     "Your own session does not meet this policy; sign in as the policy asks, then set it."},
    {errc::output_dropped, 410, "output_dropped",
     "The output was dropped, because newer output fills the project's quota."},
    {errc::link_over, 410, "link_over",
     "The link was used, has expired or was replaced by a newer one; ask for a new one."},
    {errc::precondition_failed, 412, "precondition_failed",
     "The resource does not satisfy If-Match or If-None-Match; read it again, then decide."},
    {errc::body_too_large, 413, "body_too_large",
     "The body is larger than this operation takes; send a smaller one."},
    {errc::target_too_long, 414, "target_too_long", "The URL is longer than 8 KiB; shorten it."},
    {errc::unsupported_media_type, 415, "unsupported_media_type",
     "Send the body as JSON in UTF-8 with Content-Type: application/json."},
    {errc::unsupported_content_coding, 415, "unsupported_content_coding",
     "Send the body uncompressed, without Content-Encoding."},
    {errc::idempotency_mismatch, 422, "idempotency_mismatch",
     "The Idempotency-Key was used for another request to this job or test; use a new key."},
    {errc::rate_limited, 429, "rate_limited", "Too many requests; wait for the seconds in Retry-After."},
    {errc::too_many_attempts, 429, "too_many_attempts", "Too many attempts; wait for the seconds in Retry-After."},
    {errc::head_too_large, 431, "head_too_large",
     "The request's head is larger than 16 KiB or has more than 100 fields; send fewer or shorter headers."},
    {errc::internal_error, 500, "internal_error", "The service failed; report the request id if it happens again."},
    {errc::not_implemented, 501, "not_implemented",
     "The service does not know this method or transfer coding; use a documented one."},
    {errc::unavailable, 503, "unavailable",
     "The service cannot reach what it needs for this request; retry after the time in Retry-After."},
    {errc::overloaded, 503, "overloaded", "The service is busy; retry after the time in Retry-After."},
    {errc::version_not_supported, 505, "version_not_supported", "Use HTTP/1.1."},
}};

/// In the order of the enum (so that a row is found by index), with nothing left out or doubled, and fit for a quoted
/// string (RFC 6750 error_description).
constexpr bool table_is_sound() {
  for (std::size_t i = 0; i < table.size(); ++i) {
    auto const& row = table[i];
    if (static_cast<std::size_t>(row.code) != i || row.status < 400 || row.status > 599) return false;
    if (row.name.empty() || row.sentence.empty()) return false;
    if (row.sentence.find_first_of("\"\\") != std::string_view::npos) return false;
    for (std::size_t j = 0; j < i; ++j) {
      if (table[j].name == row.name) return false;
    }
  }
  return true;
}
static_assert(table_is_sound());

/// RFC 6750 section 3: no error code when no credential came, invalid_token for every unusable one.
std::string bearer_challenge(errc code, std::string_view sentence) {
  std::string challenge = "Bearer realm=\"svc\"";
  if (code == errc::token_required) return challenge;
  challenge += ", error=\"invalid_token\", error_description=\"";
  for (char const c : sentence) {
    bool const allowed = c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
    challenge.push_back(allowed ? c : '\'');
  }
  challenge.push_back('"');
  return challenge;
}

void append_member(std::string& body, std::string_view name, std::string_view value) {
  body.push_back(body.empty() ? '{' : ',');
  append_json_string(body, name);
  body.push_back(':');
  append_json_string(body, value);
}

void append_details(std::string& body, std::vector<field_error> const& details) {
  if (details.empty()) return;
  body += ",\"details\":";
  char separator = '[';
  for (auto const& [field, message] : details) {
    body.push_back(separator);
    separator = ',';
    std::string detail;
    append_member(detail, "field", field);
    append_member(detail, "message", message);
    body += detail;
    body.push_back('}');
  }
  body.push_back(']');
}

}  // namespace

error_row const& row_of(errc code) {
  return table.at(static_cast<std::size_t>(code));
}

std::optional<errc> errc_of(std::string_view name) {
  auto const* const row = std::find_if(table.begin(), table.end(), [name](auto const& r) { return r.name == name; });
  return row == table.end() ? std::nullopt : std::optional(row->code);
}

std::string_view reason_phrase(unsigned status) {
  switch (status) {
    case 100:
      return "Continue";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Unknown";
  }
}

response error_response(error const& failure, std::string_view request_id, bool problem_json,
                        std::optional<std::chrono::seconds> retry_after) {
  auto const& row = row_of(failure.code);
  auto const sentence = failure.message.empty() ? row.sentence : std::string_view(failure.message);
  response out;
  out.status = row.status;
  if (problem_json) {
    // Without a page for each problem the type is about:blank, and the title then the status phrase (RFC 9457 4.2.1).
    append_member(out.body, "type", "about:blank");
    append_member(out.body, "title", reason_phrase(row.status));
    out.body += ",\"status\":" + std::to_string(row.status);
    append_member(out.body, "detail", sentence);
  }
  append_member(out.body, "error", sentence);
  append_member(out.body, "code", row.name);
  append_member(out.body, "requestId", request_id);
  append_details(out.body, failure.details);
  out.body.push_back('}');
  out.content_type = problem_json ? "application/problem+json" : "application/json";
  if (row.status == 401) out.set("WWW-Authenticate", bearer_challenge(failure.code, sentence));
  bool const passing = row.status == 503 || row.code == errc::idempotency_in_progress || row.code == errc::queue_full;
  if (!retry_after && passing) retry_after = std::chrono::seconds(1);
  if (retry_after) out.set("Retry-After", std::to_string(retry_after->count()));
  return out;
}

bool prefers_problem_json(request const& head) {
  // Only its own name counts: clients that have never heard of it send "*/*".
  auto const problem = accept_quality(head, "application", "problem+json", wildcards::ignored);
  return problem > 0 && problem >= accept_quality(head, "application", "json", wildcards::counted);
}

}  // namespace svc::http
