#pragma once

#include "svc/api/services.hpp"
#include "svc/auth/authenticator.hpp"
#include "svc/auth/use_recorder.hpp"
#include "svc/core/metrics.hpp"
#include "svc/http/body_budget.hpp"
#include "svc/http/contract.hpp"
#include "svc/http/message.hpp"
#include "svc/limits/admission.hpp"
#include "svc/limits/fallback.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace svc::store {
class epoch_lifter;
}

namespace svc::api {

/// What the pipeline needs beside the contract. References outlive it.
struct pipeline_parts {
  std::shared_ptr<http::contract const> contract;
  services& use;
  auth::authenticator& authenticator;
  limits::admission& admission;
  limits::fallback& fallback;
  store::epoch_lifter& lifter;
  auth::use_recorder& uses;
  metrics& counters;
  http::body_budget& bodies;  ///< of the worker
  std::size_t most_json_values = 50'000;
  milliseconds request_deadline{2000};
  std::size_t max_in_flight = 1000;
  std::vector<std::string> cors_origins{};  ///< whose pages may read answers
};

/// The public API of one worker: every request takes the same steps in the same order. Worker-local.
std::unique_ptr<http::service> make_pipeline(pipeline_parts parts);

}  // namespace svc::api
