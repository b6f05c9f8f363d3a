#pragma once

#include "svc/access/admission.hpp"
#include "svc/access/authenticator.hpp"
#include "svc/access/fallback.hpp"
#include "svc/access/use_recorder.hpp"
#include "svc/api/services.hpp"
#include "svc/core/load_shedder.hpp"
#include "svc/core/metrics.hpp"
#include "svc/http/body_budget.hpp"
#include "svc/http/contract.hpp"
#include "svc/http/message.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace svc::store {
class epoch_lifter;
}

namespace svc::api {

/// What the pipeline is made of. References outlive it.
struct pipeline_parts {
  std::shared_ptr<http::contract const> contract;
  services& use;
  access::authenticator& authenticator;
  access::admission& admission;
  access::fallback& fallback;
  store::epoch_lifter& lifter;
  access::use_recorder& uses;
  metrics& counters;
  http::body_budget& bodies;  ///< of the worker
  load_shedder& load;         ///< of the worker
  std::size_t most_json_values = 50'000;
  milliseconds request_deadline{2000};
  std::size_t max_in_flight = 1000;
  std::vector<std::string> cors_origins{};  ///< pages of these origins may read answers
  double key_reads = 2000;  ///< database reads a second for keys of heartbeats that were not seen valid here
  /// How long the first request of a project has waited for the project's share of the database; may be empty.
  std::function<steady::duration(account_owner const&, steady::time_point)> project_wait{};
  /// How long it may wait until lists of the project are refused; 0: any time.
  milliseconds queue_time{0};
  /// True if any request waits for the database, so that `project_wait` is worth asking; may be empty.
  std::function<bool()> database_wait{};
};

/// The public API of one worker: every request takes the same steps in the same order. Worker-local.
std::unique_ptr<http::service> make_pipeline(pipeline_parts parts);

}  // namespace svc::api
