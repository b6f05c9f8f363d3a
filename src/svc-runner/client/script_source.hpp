#pragma once

#include "svc-runner/client/script_cache.hpp"
#include "svc-runner/client/service_client.hpp"

#include <set>
#include <string>

namespace svc::runner {

/// Fetches the scripts of runs, each once, and keeps them while there is room. Worker-local; lives as long as
/// the runner, and so ends when the service refuses its token.
class script_source {
 public:
  script_source(asio::io_context& io, service_client& service)
      : service_(service), news_(io.get_executor(), steady::time_point::max()) {}

  /// Gives the tests of a claim their scripts; the claim outlives the call. Removes tests that were deleted
  /// after the claim. Returns `refused` if the instance has an older version: the run is to be handed back,
  /// and later claims contain their scripts.
  task<claim_verdict> bring(claim& into, service_client::give_up enough);

  /// Returns true if claims are to leave scripts out.
  bool apart() const { return apart_; }
  /// Interprets the answer to a claim. Returns true if an instance of an older version refuses claims without
  /// scripts; later claims then contain them.
  bool refused(http_reply const& claim);

 private:
  struct asking;
  task<claim_verdict> ask(claim& into, std::set<std::string> missing, service_client::give_up enough);

  service_client& service_;
  script_cache kept_{};
  std::set<script_name> asked_{};  ///< by other runs
  steady_timer news_;              ///< never expires; cancelled when `asked_` becomes smaller
  bool apart_ = true;
};

}  // namespace svc::runner
