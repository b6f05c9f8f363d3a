#pragma once

#include "app/configuration/configuration.hpp"
#include "app/maintenance/queue_watch.hpp"
#include "svc/core/async.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/metrics.hpp"
#include "svc/core/uuid.hpp"
#include "svc/live/dispatch/dispatcher.hpp"
#include "svc/live/feed/publisher.hpp"
#include "svc/live/output/output_writer.hpp"
#include "svc/live/output/run_watch.hpp"
#include "svc/store/jobs/job_store.hpp"
#include "svc/store/runners/runner_store.hpp"
#include "svc/store/runs/run_alert_store.hpp"
#include "svc/store/runs/run_store.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace svc::app {

/// Background work for runs: fires schedules, takes back runs of lost runners, writes alerts of ended runs,
/// and deletes old runs. Every instance does this; the database prevents doing it twice. Worker-local; its
/// dependencies outlive it.
class run_maintenance {
 public:
  struct parts {
    postgres::pool& db;
    output::output_writer& writer;
    output::run_watch& watch;
    dispatch::dispatcher& dispatch;
    feed::publisher& feed;
    store::queue_gate gate;
    configuration const& config;
    metrics& counters;
    loop_starter loops;  ///< asked between two batches whether to go on
  };
  explicit run_maintenance(parts parts);
  ~run_maintenance();
  run_maintenance(run_maintenance const&) = delete;
  run_maintenance& operator=(run_maintenance const&) = delete;

  /// Call before the thread runs. Starts to look about once a second for due schedules and lost runs, and less often
  /// for old rows. A failed step is retried in the next round. Ends with the `io_context`.
  void start();

 private:
  struct counted;
  task<> fire_due();
  void note(store::fired_schedule const& schedule);
  task<> mend_all();
  task<> reap_lost();
  void note(store::reaped_run const& run);
  void notify(std::vector<store::reaped_run> const& all);
  task<> notify_ends();
  task<> retain();
  task<> drop_old();
  task<> announce_dropped_runs();
  task<> delete_old();
  task<> delete_surplus();
  task<std::int64_t> delete_surplus(store::retention_store::run_owner kind);
  task<std::int64_t> delete_excess(store::retention_store::excess runs);
  task<> bound_projects();
  /// Calls `remove`, which deletes up to `deleted_at_once` rows and returns their number, until a call
  /// deletes fewer. Returns the total.
  task<std::int64_t> in_batches(std::function<task<std::int64_t>()> remove);
  task<> delete_audits(uuid project);
  task<> delete_runs_of_deleted_jobs(uuid project);
  task<> delete_tombstones(uuid project);
  task<> delete_runners();

  parts parts_;
  store::schedule_store schedules_;
  store::reaper_store reaper_;
  store::retention_store retention_;
  store::run_alert_store alerts_;
  queue_watch queue_;
  std::unique_ptr<counted> counted_;
  background_loop_ptr retention_loop_{};
  background_loop_ptr growth_loop_{};
  bool drop_is_unannounced_ = false;  ///< runs were dropped; stays set if the round fails before it announces them
};

}  // namespace svc::app
