#pragma once

#include "svc/core/account_book.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/core/metrics.hpp"
#include "svc/monitoring/checks/check_state.hpp"
#include "svc/monitoring/checks/engine.hpp"
#include "svc/monitoring/checks/performer.hpp"
#include "svc/postgres/database_thread.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace svc::scheduler {

/// The accounts of what the checks of an instance share. Each worker has `in_flight` places.
struct check_accounts {
  check_accounts(account_book& book, std::size_t workers, std::size_t in_flight);

  account &cpu, &in_flight, &unsaved, &connections, &plan_bytes;
};

/// What check workers use of their instance, which outlives them.
struct check_worker_parts {
  postgres::settings database;  ///< with the size of one worker's pool
  master_keys const& master;
  metrics& counters;
  background_loops& loops;
  std::atomic<bool> const& accepting;
  checks::check_state& state;
  check_accounts& accounts;
  checks::engine_settings engine;
  std::size_t in_flight = 2000;         ///< concurrent checks of one worker
  std::size_t per_target_per_minute{};  ///< of one project to one target
};

/// A thread that checks monitors, apart from those that serve requests: with its own pool of PostgreSQL, resolver
/// and shards. Owned by `check_workers`.
class check_worker {
 public:
  /// Throws `std::runtime_error` if libcurl or c-ares cannot be set up.
  check_worker(check_worker_parts const& parts, int index);
  check_worker(check_worker const&) = delete;
  check_worker& operator=(check_worker const&) = delete;
  ~check_worker();

  /// Starts the thread. It checks nothing until the instance accepts traffic: then the schema is there.
  void start();
  /// Any thread: `check_tests::run`.
  task<result<performed_check>> test(check_order order, deadline until);
  /// Any thread. Where the primary is: `postgres::pool::follow`.
  void follow(postgres::primary_place const& where) { thread_->follow(where); }
  /// Any thread. Stores what was found, gives its shards back, and ends the thread, within two seconds.
  void drain();
  /// Any thread. True when nothing of this worker runs any more.
  bool finished() const { return thread_->finished(); }
  void join() { thread_->join(); }
  /// The thread that checks and the one that judges; as long as this exists.
  std::vector<watched_thread> watched();

 private:
  struct inside;

  task<> finish();
  task<> show_state();

  int index_;
  bool stopping_ = false;
  bool abandons_ = false;  ///< checks that did not end when they were given up
  std::unique_ptr<postgres::database_thread> thread_;
  std::unique_ptr<inside> inside_;
};

}  // namespace svc::scheduler
