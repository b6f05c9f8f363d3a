#pragma once

#include "svc/api/call.hpp"
#include "svc/domain/run.hpp"

namespace svc::api {

/// 202 with the run that this request made or, replayed, an earlier one with the same idempotency key.
reply queued_run(call const& c, run const& made, bool replayed);

}  // namespace svc::api
