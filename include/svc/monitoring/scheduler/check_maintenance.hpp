#pragma once

#include "svc/core/background_loops.hpp"
#include "svc/core/metrics.hpp"
#include "svc/monitoring/checks/check_state.hpp"
#include "svc/postgres/database_thread.hpp"
#include "svc/store/monitors/monitor_ends.hpp"
#include "svc/store/monitors/outage_store.hpp"
#include "svc/store/monitors/pack_store.hpp"
#include "svc/store/monitors/shard_store.hpp"

#include <atomic>
#include <chrono>
#include <optional>

namespace svc::scheduler {

/// The maintenance of results: packs each hour, deletes expired data, and detects monitors that no instance checks.
/// It has its own thread, because packing an hour's results keeps one busy. Every instance has one; the database lets
/// only one at a time pack. Owned by the application.
class check_maintenance {
 public:
  /// Retention of results and monitors, and the interval of the deletion.
  struct retention {
    milliseconds interval{}, results{}, days{}, failures{}, outages{}, deleted_monitors{};
  };
  /// The parts of the instance that it uses; they outlive it.
  struct parts {
    postgres::settings database;
    metrics& counters;
    background_loops& loops;
    std::atomic<bool> const& accepting;
    checks::check_state& state;
    retention keep;
    change_listener deleted{};  ///< thread-safe: gets the projects of deleted outages, alerts and monitors
  };
  explicit check_maintenance(parts instance);

  /// Starts the thread. It does nothing until the instance accepts traffic.
  void start();
  void follow(postgres::primary_server const& where) { thread_.follow(where); }
  /// Thread-safe. Stops without waiting for running work, because the work can be repeated.
  void drain();
  bool finished() const { return thread_.finished(); }
  void join() { thread_.join(); }
  /// The result is valid as long as this object.
  watched_thread watched() { return thread_.watched("packing"); }

 private:
  task<> pack();
  task<> drop_old();
  task<> bound_failures();
  task<> look();

  checks::check_state& state_;
  retention keep_;
  bool stopping_ = false;
  postgres::database_thread thread_;
  loop_starter loops_;
  store::pack_store packing_;
  store::monitor_ends ends_;
  store::outage_store outages_;
  store::shard_store shards_;
  background_loop_ptr pack_loop_{}, drop_loop_{}, bound_loop_{};
  std::optional<steady::time_point> unheld_since_{};  ///< time since which a shard has no scheduler
  gauge pack_lag_, open_outages_, overdue_;
};

}  // namespace svc::scheduler
