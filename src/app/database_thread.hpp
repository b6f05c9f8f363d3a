#pragma once

#include "app/configuration/configuration.hpp"
#include "app/watched_thread.hpp"
#include "svc/core/async.hpp"
#include "svc/core/thread_name.hpp"
#include "svc/core/turns.hpp"
#include "svc/postgres/pool.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <atomic>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace svc::app {

/// A thread of its own for work on the database, with its event loop and pool. Outlives what uses either. An
/// exception that a handler lets out does not end the loop: `run_turns`.
class database_thread {
 public:
  /// `name`: of the thread, as the system shows it. `connections`: of its pool.
  database_thread(configuration const& with, std::string name, int connections)
      : activity_(std::move(name)), db_(io_, settings_of(with, connections)) {}
  database_thread(database_thread const&) = delete;
  database_thread& operator=(database_thread const&) = delete;

  asio::io_context& io() { return io_; }
  postgres::pool& db() { return db_; }

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
  /// Any thread. Where the primary is: `postgres::pool::follow`.
  void follow(postgres::primary_place const& where) {
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
  static postgres::settings settings_of(configuration const& with, int connections) {
    auto out = with.to_postgres_settings();
    out.size = connections;
    return out;
  }

  loop_activity activity_;
  asio::io_context io_{1};
  postgres::pool db_;
  std::atomic<bool> finished_{false};
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace svc::app
