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

namespace svc::public_pages {
class site;
}
namespace svc::store {
class epoch_advancer;
}

namespace svc::api {

/// The parts of a pipeline. Referenced objects outlive the pipeline.
struct pipeline_parts {
  std::shared_ptr<http::contract const> contract;
  services& use;
  access::authenticator& authenticator;
  access::admission& admission;
  access::fallback& fallback;
  store::epoch_advancer& advancer;
  access::use_recorder& uses;
  metrics& counters;
  http::body_budget& bodies;  ///< owned by the worker
  load_shedder& load;         ///< owned by the worker
  std::size_t most_json_values = 50'000;
  milliseconds request_deadline{2000};
  std::size_t max_in_flight = 1000;
  std::vector<std::string> cors_origins{};  ///< pages of these origins may read answers
  double key_reads = 2000;  ///< database reads per second for keys of heartbeats that this worker has not yet found
                            ///< valid
  /// Returns how long the first request of a project has waited for the project's share of the database; may be
  /// empty.
  std::function<steady::duration(account_owner const&, steady::time_point)> project_wait{};
  /// The longest such wait before the pipeline refuses the project's lists; 0: unlimited.
  milliseconds queue_time{0};
  /// Returns true if any request waits for the database, so that `project_wait` is worth a call; may be empty.
  std::function<bool()> database_wait{};
  /// The configured `public_url`, from whose origin pages are served. If it is null or empty, the origin is that of
  /// `Host`.
  std::string const* public_url = nullptr;
  public_pages::site* status_pages = nullptr;  ///< owned by the worker; null: none are served
  /// Returns true while the instance waits for its database, and serves only pages and liveness; may be empty.
  std::function<bool()> waiting{};
};

/// Creates the public API of one worker: every request takes the same steps in the same order. The object belongs to
/// that worker.
std::unique_ptr<http::service> make_pipeline(pipeline_parts parts);

}  // namespace svc::api
