#pragma once

#include "svc/api/call.hpp"
#include "svc/domain/run.hpp"

#include <string>

namespace svc::api {

/// Tells runners; 202 with the run that this request made or, replayed, an earlier one with the same idempotency
/// key.
reply queued_run(call const& c, run const& made, bool replayed);

/// A run of the caller's project was committed: whoever can execute it is woken.
void tell_runners(call const& c, std::string const& job_type);

}  // namespace svc::api
