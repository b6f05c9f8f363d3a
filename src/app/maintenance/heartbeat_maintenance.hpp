#pragma once

#include "svc/core/background_loops.hpp"
#include "svc/core/metrics.hpp"
#include "svc/store/heartbeats/heartbeat_store.hpp"

#include <array>

namespace svc::app {

/// Records that this instance listens for heartbeats, evaluates heartbeats whose deadline has passed, and
/// counts the pings that reach this worker. One worker of each instance does the first two for the whole
/// instance. Worker-local; its dependencies outlive it.
class heartbeat_maintenance {
 public:
  struct parts {
    store::heartbeat_store& hearts;
    metrics& counters;
    loop_starter loops;  ///< continues while the instance accepts requests; otherwise it does not listen
  };
  explicit heartbeat_maintenance(parts parts);

  /// On that worker, before its thread runs.
  void start();

 private:
  task<> listen();
  task<> evaluate();
  bool has_listened_lately(steady::time_point now) const;

  parts parts_;
  std::array<counter, 4> taken_{};  ///< by signal
  counter blind_windows_;
  background_loop_ptr evaluation_loop_{};
  bool attempted_ = false;                           ///< an attempt to listen has started and not succeeded
  std::optional<timestamp> heard_at_{};              ///< of the last record that the database has confirmed
  std::optional<steady::time_point> listened_at_{};  ///< start of that attempt
};

}  // namespace svc::app
