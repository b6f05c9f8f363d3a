#pragma once

#include "app/shared.hpp"
#include "svc/core/watched_thread.hpp"
#include "svc/monitoring/checks/engine.hpp"
#include "svc/monitoring/notifications/delivery_worker.hpp"
#include "svc/monitoring/scheduler/check_maintenance.hpp"
#include "svc/monitoring/scheduler/check_workers.hpp"
#include "svc/sign_in/oidc/oidc_client.hpp"

#include <cstddef>
#include <vector>

namespace svc::app {

/// The threads of an instance that monitor: they check, pack and delete results, and send notifications and the
/// requests to identity providers. Owned by the application; the control thread calls its functions unless they say
/// otherwise.
class monitoring_threads {
 public:
  /// `descriptors` is the number of files that the process may open; fewer checks run at a time if it is too low.
  /// Throws `std::runtime_error` if libcurl or c-ares cannot be set up, or with the name of a file of authorities
  /// or of a client's secret that cannot be used.
  monitoring_threads(shared_parts& shared, std::size_t descriptors);

  void start();
  void follow(postgres::primary_server const& where);
  /// Thread-safe. Checks of monitors that are not saved.
  scheduler::check_workers& checks() { return check_workers_; }
  /// Thread-safe.
  notifications::provider_tests& provider_tests() { return delivery_.tests(); }
  /// Thread-safe.
  notifications::recovery_queue& recoveries() { return delivery_.recoveries(); }
  store::subscription_queue& subscriptions() { return delivery_.subscriptions(); }
  /// Thread-safe. Sends its requests from the notification thread.
  sign_in::oidc_client& identity_providers() { return identity_providers_; }

  /// Gives the shards of monitors to other instances and ends packing; notifications continue.
  void drain_checks();
  /// Starts no further attempt, and ends those in progress by the deadline.
  void drain_notifications(deadline until);
  /// True when all of these threads have ended.
  bool finished() const;
  void join();

  /// The threads, for the watch for stalls; as long as this exists.
  std::vector<watched_thread> watched();
  watched_attempts watched_mail() const { return delivery_.watched_mail(); }

 private:
  checks::engine_settings egress_;  ///< checks and messages share the authorities
  scheduler::check_workers check_workers_;
  scheduler::check_maintenance check_maintenance_;
  notifications::delivery_worker delivery_;
  sign_in::oidc_client identity_providers_;
};

}  // namespace svc::app
