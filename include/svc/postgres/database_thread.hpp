#pragma once

#include "svc/core/async.hpp"
#include "svc/core/thread_name.hpp"
#include "svc/core/turns.hpp"
#include "svc/core/watched_thread.hpp"
#include "svc/postgres/pool.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <atomic>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace svc::postgres {

/// Runs database work on its own thread, with its own event loop and pool. Outlives the users of both. An exception
/// that a handler lets out does not end the loop: see `run_turns`.
class database_thread {
 public:
  /// `name` is the name of the thread in the system. `pool_settings` configures its pool.
  database_thread(std::string name, settings pool_settings)
      : activity_(std::move(name)), db_(io_, std::move(pool_settings)) {}
  database_thread(database_thread const&) = delete;
  database_thread& operator=(database_thread const&) = delete;

  asio::io_context& io() { return io_; }
  pool& db() { return db_; }

  void start() {
    thread_ = std::thread([this] {
      name_this_thread(activity_.name());
      auto const guard = asio::make_work_guard(io_);
      db_.start();
      turn_meter turns(steady::now(), {});
      run_turns(io_, turns, activity_);
      finished_ = true;
    });
  }
  /// Thread-safe. Makes the pool use this primary: see `pool::follow`.
  void follow(primary_server const& where) {
    asio::post(io_, [this, where] {
      if (!ending_) db_.follow(where);
    });
  }
  /// Requires the database thread. Closes the connections and ends the thread.
  void end() {
    ending_ = true;
    db_.stop();
    asio::post(io_, [this] { io_.stop(); });
  }
  /// Thread-safe. True once the thread has ended.
  bool finished() const { return finished_; }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

  /// Returns the activity that the turns are charged to. Call this before the thread starts.
  loop_activity& activity() { return activity_; }
  /// Returns a view that is valid as long as this object exists. `resource` must be a constant.
  watched_thread watched(std::string_view resource, int index = 0) {
    return {.activity = &activity_,
            .resource = resource,
            .finished = [this] { return finished(); },
            .ask_turn = [this] { asio::post(io_, [] {}); },
            .index = index};
  }

 private:
  loop_activity activity_;
  asio::io_context io_{1};
  pool db_;
  std::atomic<bool> finished_{false};
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace svc::postgres
