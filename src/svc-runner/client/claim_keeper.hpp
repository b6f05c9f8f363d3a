#pragma once

#include "svc-runner/client/service_client.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace svc::runner {

/// A claim to keep, with functions to call on news from the service. No function is called once `over()` is true.
struct kept_claim {
  std::string run_id{}, claim_id{};
  std::int64_t lease_seconds = 30;  ///< time until the next heartbeat must have arrived
  std::function<bool()> over{};
  std::function<void()> cancelled{}, lost{};
  std::function<void()> alone{};  ///< the service is an older one: keep this claim by separate requests
  bool cancelling = false;        ///< `cancelled` has been called
};

using claim_ptr = std::shared_ptr<kept_claim>;
using claim_list = std::vector<claim_ptr>;

/// Calls the functions of the claims that an answer names, each once, and removes claims that are lost or over.
/// Returns true if the answer was news.
bool apply_news(claim_list& claims, heartbeat_news const& said);

/// Heartbeats of all runs of a runner. Claims that start together share a request, and requests end at the same
/// times, so that all runs soon share one. Worker-local; lives as long as the runner.
class claim_keeper {
 public:
  claim_keeper(asio::io_context& io, service_client& service) : io_(io), service_(service) {}

  /// Sends the first heartbeat at once.
  void keep(kept_claim claim);

 private:
  void begin_after(milliseconds pause);
  task<> begin(milliseconds pause);
  task<> ask(claim_list claims);
  void leave_alone(claim_list claims);

  asio::io_context& io_;
  service_client& service_;
  claim_list unattended_{};  ///< claims that no pending request names
  bool beginning_ = false;
  bool known_ = true;  ///< the service knows this kind of request, as far as this runner has seen
};

/// Returns how long the heartbeat of a lease of this length may wait. All heartbeats that start before the same
/// moment end at it.
milliseconds heartbeat_wait(std::int64_t lease_seconds, steady::time_point now);

}  // namespace svc::runner
