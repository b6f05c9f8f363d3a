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

/// What is done with results beside finding them: packs each hour, deletes what is too old, and looks whether
/// monitors are checked at all. On a thread of its own, because an hour's results keep one busy. Every instance has
/// it; in the database one at a time packs. Owned by the application.
class check_upkeep {
 public:
  /// How long results and monitors are kept, and how often old ones are deleted.
  struct retention {
    milliseconds interval{}, results{}, days{}, failures{}, outages{}, deleted_monitors{};
  };
  /// What it uses of its instance, which outlives it.
  struct parts {
    postgres::settings database;
    metrics& counters;
    background_loops& loops;
    std::atomic<bool> const& accepting;
    checks::check_state& state;
    retention keep;
  };
  explicit check_upkeep(parts instance);

  /// Starts the thread. It does nothing until the instance accepts traffic.
  void start();
  void follow(postgres::primary_place const& where) { thread_.follow(where); }
  /// Any thread. What it does may be done again: it is not waited for.
  void drain();
  bool finished() const { return thread_.finished(); }
  void join() { thread_.join(); }
  /// As long as this exists.
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
  std::optional<steady::time_point> unheld_since_{};  ///< since when a shard has no holder
  gauge pack_lag_, open_outages_, overdue_;
};

}  // namespace svc::scheduler
