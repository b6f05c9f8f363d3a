#pragma once

#include "app/database_thread.hpp"
#include "app/shared.hpp"
#include "svc/monitoring/checks/engine.hpp"
#include "svc/monitoring/scheduler/check_holder.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace svc::app {

/// One thread that checks monitors, apart from those that serve requests: with its own pool of PostgreSQL, resolver
/// and shards. Owned by the application.
class check_worker {
 public:
  /// Throws `std::runtime_error` if libcurl or c-ares cannot be set up.
  check_worker(shared_parts& shared, probes::engine_settings const& how, std::size_t in_flight, int index);
  check_worker(check_worker const&) = delete;
  check_worker& operator=(check_worker const&) = delete;
  ~check_worker();

  /// Starts the thread. It checks nothing until the instance accepts traffic: then the schema is there.
  void start();
  /// Any thread: `watch::check_tests::run`.
  task<result<watch::performed_check>> test(watch::check_order what, deadline until);
  /// Any thread. Where the primary is: `postgres::pool::follow`.
  void follow(postgres::primary_place const& where) { thread_->follow(where); }
  /// Any thread. Brings in what was found, gives its shards back, and ends the thread, within two seconds.
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
  std::unique_ptr<database_thread> thread_;
  std::unique_ptr<inside> in_;
};

}  // namespace svc::app
