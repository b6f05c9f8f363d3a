#pragma once

#include "svc/core/account_book.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/core/metrics.hpp"
#include "svc/domain/audit.hpp"
#include "svc/monitoring/checks/check_function.hpp"
#include "svc/monitoring/checks/check_state.hpp"
#include "svc/monitoring/checks/engine.hpp"
#include "svc/postgres/database_thread.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace svc::scheduler {

/// The accounts of the resources that the checks of an instance share. Each worker has `in_flight` slots.
struct check_accounts {
  check_accounts(account_book& book, std::size_t workers, std::size_t in_flight);

  account &cpu, &in_flight, &unsaved, &connections, &plan_bytes;
};

/// The parts of the instance that check workers use; they outlive the workers.
struct check_worker_parts {
  postgres::settings database;  ///< includes the size of one worker's pool
  master_keys const& master;
  metrics& counters;
  background_loops& loops;
  std::atomic<bool> const& accepting;
  checks::check_state& state;
  check_accounts& accounts;
  checks::engine_settings engine;
  std::size_t in_flight = 2000;         ///< concurrent checks of one worker
  std::size_t per_target_per_minute{};  ///< limit for one project and one target
  change_listener decided{};            ///< called on the worker's thread for changed verdicts, outages and alerts
};

/// A thread that checks monitors, separate from the threads that serve requests. It has its own PostgreSQL pool,
/// resolver and shards. Owned by `check_workers`.
class check_worker {
 public:
  /// Throws `std::runtime_error` if libcurl or c-ares cannot be set up.
  check_worker(check_worker_parts const& parts, int index);
  check_worker(check_worker const&) = delete;
  check_worker& operator=(check_worker const&) = delete;
  ~check_worker();

  /// Starts the thread. It runs no checks until the instance accepts traffic, because only then the schema exists.
  void start();
  /// Thread-safe. See `check_tests::run`.
  task<result<check_report>> test(check_order order, deadline until);
  /// Thread-safe. Sets the address of the primary: `postgres::pool::follow`.
  void follow(postgres::primary_server const& where) { thread_->follow(where); }
  /// Thread-safe. Stores the results, releases the shards, and ends the thread, within two seconds.
  void drain();
  /// Thread-safe. True when this worker has no running task left.
  bool finished() const { return thread_->finished(); }
  void join() { thread_->join(); }
  /// Returns the thread that runs checks and the one that evaluates. Valid as long as this object.
  std::vector<watched_thread> watched();

 private:
  struct inside;

  task<> finish();
  task<> show_state();

  int index_;
  bool stopping_ = false;
  bool abandons_ = false;  ///< true: some checks did not end after their cancellation
  std::unique_ptr<postgres::database_thread> thread_;
  std::unique_ptr<inside> inside_;
};

}  // namespace svc::scheduler
