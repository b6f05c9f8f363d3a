#pragma once

#include "app/database_thread.hpp"
#include "app/shared.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/metrics.hpp"
#include "svc/store/monitors/monitor_ends.hpp"
#include "svc/store/monitors/outage_store.hpp"
#include "svc/store/monitors/pack_store.hpp"
#include "svc/store/monitors/shard_store.hpp"

#include <optional>

namespace svc::app {

/// What is done with results beside finding them: packs each hour, deletes what is too old, and looks whether
/// monitors are checked at all. On a thread of its own, because an hour's results keep one busy. Every instance has
/// it; in the database one at a time packs. Owned by the application.
class check_upkeep {
 public:
  explicit check_upkeep(shared_parts& shared);

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

  shared_parts& shared_;
  bool stopping_ = false;
  database_thread thread_;
  loop_starter loops_;
  store::pack_store packing_;
  store::monitor_ends ends_;
  store::outage_store outages_;
  store::shard_store shards_;
  background_loop_ptr pack_loop_{}, drop_loop_{}, bound_loop_{};
  std::optional<steady::time_point> unheld_since_{};  ///< since when a shard has no holder
  gauge pack_lag_, open_outages_, overdue_;
};

}  // namespace svc::app
