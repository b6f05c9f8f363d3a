#pragma once

#include "app/configuration/configuration.hpp"
#include "svc/core/async.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/metrics.hpp"
#include "svc/live/output/mover.hpp"
#include "svc/live/output/output_budget.hpp"
#include "svc/store/runs/output_store.hpp"

#include <atomic>
#include <functional>

namespace svc::app {

/// Background work for output. Each worker keeps its share of the accounts. The first worker of an instance
/// also moves output of ended runs to PostgreSQL, and drops output beyond a project's quota. Worker-local;
/// its dependencies outlive it.
class output_maintenance {
 public:
  struct parts {
    redis::client& redis;  ///< the one for output
    store::output_store& outputs;
    output::output_writer& writer;
    output::output_budget& budget;
    configuration const& config;
    metrics& counters;
    int worker;
    loop_starter loops;
  };
  explicit output_maintenance(parts parts);
  output_maintenance(output_maintenance const&) = delete;
  output_maintenance& operator=(output_maintenance const&) = delete;

  /// Call before the thread runs. A failed step is retried in the next round. Ends with the `io_context`.
  void start();
  /// Thread-safe.
  output::output_state state() const { return {health_, held_, budget_}; }

 private:
  task<> count();
  task<> move();
  task<> settle();
  void say(output::output_health now);

  parts parts_;
  output::mover mover_;
  gauge held_bytes_, budget_bytes_, degraded_;
  counter dropped_;
  std::atomic<output::output_health> health_{output::output_health::whole};
  std::atomic<std::int64_t> held_{0}, budget_{0};
};

}  // namespace svc::app
