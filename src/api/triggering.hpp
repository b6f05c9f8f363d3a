#pragma once

#include "svc/api/call.hpp"
#include "svc/domain/run.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace svc::api {

/// The options of a trigger request, in addition to the job's parameters. A value.
struct trigger_options {
  std::string idempotency_key{};  ///< empty: none
  std::string dedup_key{};        ///< empty: none
  std::optional<std::chrono::seconds> wait{};
};

/// Returns validation_failed for a header that is not readable. Returns wait_needs_cli_token or permission_denied
/// when the caller may not see the run that it wants to wait for.
result<trigger_options> read_trigger_options(call const& c);

/// Returns the `Idempotency-Key`, empty when there is none, or validation_failed when it is not readable.
result<std::string> read_idempotency_key(http::request const& head);

/// Returns the `traceparent` for the run of a request (`run_history.trace_parent`); empty: none.
std::string trace_parent_for_run(http::request const& head);

/// Returns a hash that distinguishes the bodies of requests with the same idempotency key; a missing body counts as
/// an empty object.
std::string request_hash(boost::json::value const& body);

/// Notifies the runners and returns 202 with the run that this request made. If `replayed`, an earlier request with
/// the same idempotency key made the run.
reply queued_run(call const& c, run const& made, bool replayed);

/// Announces the state of a run of the caller's project to open pages. Requires that it was committed.
void announce_run(call const& c, run const& now);

/// Wakes the runners that can execute a committed run of the caller's project.
void notify_runners(call const& c, std::string const& job_type);

}  // namespace svc::api
