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

/// A thread of its own for work on the database, with its event loop and pool. Outlives what uses either. An
/// exception that a handler lets out does not end the loop: `run_turns`.
class database_thread {
 public:
  /// `name`: of the thread, as the system shows it. `pool_settings`: of its own pool.
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
  /// Any thread. Where the primary is: `pool::follow`.
  void follow(primary_place const& where) {
    asio::post(io_, [this, where] {
      if (!ending_) db_.follow(where);
    });
  }
  /// On the thread. Closes its connections, and ends it.
  void end() {
    ending_ = true;
    db_.stop();
    asio::post(io_, [this] { io_.stop(); });
  }
  /// Any thread. Whether it has ended.
  bool finished() const { return finished_; }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

  /// What its turns are charged to. Call before the thread starts.
  loop_activity& activity() { return activity_; }
  /// As long as this exists. `resource`: a constant.
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
