#pragma once

#include "svc/core/background_loops.hpp"
#include "svc/core/metrics.hpp"
#include "svc/store/heartbeat_store.hpp"

namespace svc::app {

/// Says that this instance listens for heartbeats, and judges those whose deadline has passed. One worker does this
/// for the whole instance; all instances do it. Worker-local; what it uses must outlive it.
class heartbeat_upkeep {
 public:
  struct parts {
    store::heartbeat_store& hearts;
    metrics& counters;
    loop_starter loops;  ///< goes on while the instance accepts requests: else it does not listen
  };
  explicit heartbeat_upkeep(parts of);

  /// Call before the thread runs.
  void start();

 private:
  task<> listen();
  task<> judge();

  parts of_;
  counter deaf_;
  background_loop_ptr judging_{};
};

}  // namespace svc::app
