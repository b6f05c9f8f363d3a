#pragma once

#include "svc-runner/client/script_cache.hpp"
#include "svc-runner/client/service_client.hpp"

#include <set>
#include <string>

namespace svc::runner {

/// Where runs get their scripts: each is asked for once and kept, as long as there is room. Worker-local; lives as
/// long as the runner, and so ends when its token is refused.
class script_source {
 public:
  script_source(asio::io_context& io, service_client& service)
      : service_(service), news_(io.get_executor(), steady::time_point::max()) {}

  /// Gives all tests of a claim, which outlives the call, their scripts. Those that were deleted after the claim are
  /// removed from it. `refused`: an instance of an older version, so the run is to be handed back; from then on
  /// scripts come with claims.
  task<claim_verdict> bring(claim& into, service_client::give_up enough);

  /// Whether claims are to leave scripts out.
  bool apart() const { return apart_; }
  /// The answer to a claim. True: an instance of an older version refuses that it leaves scripts out; from then on
  /// they come with claims.
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
