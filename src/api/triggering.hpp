#pragma once

#include "svc/api/call.hpp"
#include "svc/domain/run.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace svc::api {

/// How a job is triggered, besides its parameters. A value.
struct trigger_options {
  std::string idempotency_key{};  ///< empty: none
  std::string dedup_key{};        ///< empty: none
  std::optional<std::chrono::seconds> wait{};
};

/// validation_failed for a header that cannot be read; wait_needs_cli_token, permission_denied when the caller may
/// not see the run that it wants to wait for.
result<trigger_options> read_trigger_options(call const& c);

/// The `Idempotency-Key`, empty when there is none. validation_failed when it cannot be read.
result<std::string> read_idempotency_key(http::request const& head);

/// The `traceparent` that the run of a request gets (`run_history.trace_parent`); empty: none.
std::string trace_parent_for_run(http::request const& head);

/// A hash that tells apart the bodies of requests with the same idempotency key; no body counts as an empty object.
std::string request_hash(boost::json::value const& body);

/// 202 with the run that this request made, after telling the runners; `replayed`: with the run that an earlier
/// request with the same idempotency key made.
reply queued_run(call const& c, run const& made, bool replayed);

/// A run of the caller's project was committed: wakes the runners that can execute it.
void tell_runners(call const& c, std::string const& job_type);

}  // namespace svc::api
