#pragma once

#include "svc/core/async.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/metrics.hpp"
#include "svc/store/runs/queue_store.hpp"

namespace svc::app {

/// Shows the queue as metrics: each instance reads the same rows, so take the maximum over instances, not the sum.
/// Worker-local; its dependencies must outlive it.
class queue_watch {
 public:
  queue_watch(postgres::pool& db, metrics& counters, loop_starter loops);
  queue_watch(queue_watch const&) = delete;
  queue_watch& operator=(queue_watch const&) = delete;

  /// Call before the thread runs. Ends with the `io_context`.
  void start();

 private:
  task<> look();

  store::queue_store queue_;
  loop_starter loops_;
  gauge queued_, limited_, running_, oldest_, runners_, slots_;
};

}  // namespace svc::app
