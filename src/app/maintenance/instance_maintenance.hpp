#pragma once

#include "app/maintenance/instance_view.hpp"
#include "app/shared.hpp"
#include "svc/access/fallback.hpp"
#include "svc/access/instance_count.hpp"
#include "svc/access/instance_list.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/metrics.hpp"
#include "svc/store/directory/instance_store.hpp"

#include <atomic>

namespace svc::app {

/// The heartbeat of this instance: registers it in both stores, reads the other instances, and sets the
/// divisor of limits while Redis is lost. One worker does this for the whole instance. Worker-local; its
/// dependencies outlive it.
class instance_maintenance {
 public:
  struct parts {
    postgres::pool& db;
    redis::client& redis;
    access::breaker const& trust;
    shared_parts& shared;
    loop_starter loops;  ///< this worker's
  };
  explicit instance_maintenance(parts parts);
  instance_maintenance(instance_maintenance const&) = delete;
  instance_maintenance& operator=(instance_maintenance const&) = delete;

  /// Call before the thread runs. Does nothing until `enroll`. Ends with the `io_context`.
  void start();
  /// On the worker's thread, once the schema is there: the first heartbeat.
  void enroll();
  /// Thread-safe. True once the first heartbeat has ended, whether a store has taken it or not.
  bool enrolled() const { return notified_; }
  /// Thread-safe. True if the other instances have had time to count this one, or there are no others.
  bool counted() const { return counted_; }
  /// Must be called on the worker's thread. Sends a heartbeat now, because Redis was lost and all instances
  /// must divide the limits.
  void hurry();
  /// Stops the heartbeats and removes the instance from both stores, if they answer by the deadline. Throws
  /// nothing.
  task<> leave(deadline until);

 private:
  void renew_now();
  task<> renew();
  task<> register_in_stores();
  task<bool> register_in_redis();
  void show(std::vector<known_instance> postgres, std::vector<instance_identity> const& redis);

  parts parts_;
  store::instance_store stored_;
  access::instance_list listed_;
  access::instance_count count_;
  gauge by_postgres_, by_redis_, by_limits_;
  background_loop_ptr loop_{};
  std::vector<instance_identity> in_redis_{};  ///< as of the last heartbeat
  steady::time_point const started_ = steady::now();
  bool enrolling_ = false, beating_ = false, again_ = false, leaving_ = false;
  int shown_ = 0;  ///< the count that the log knows
  std::atomic<bool> notified_{false}, counted_{false};
};

}  // namespace svc::app
