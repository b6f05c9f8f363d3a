#pragma once

#include "app/configuration/configuration.hpp"
#include "svc/core/async.hpp"
#include "svc/core/thread_name.hpp"
#include "svc/postgres/pool.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <atomic>
#include <string>
#include <thread>
#include <utility>

namespace svc::app {

/// A thread of its own for work on the database, with its event loop and pool. Outlives what uses either.
class database_thread {
 public:
  /// `name`: of the thread, as the system shows it. `connections`: of its pool.
  database_thread(configuration const& with, std::string name, int connections)
      : name_(std::move(name)), db_(io_, settings_of(with, connections)) {}
  database_thread(database_thread const&) = delete;
  database_thread& operator=(database_thread const&) = delete;

  asio::io_context& io() { return io_; }
  postgres::pool& db() { return db_; }

  void start() {
    thread_ = std::thread([this] {
      name_this_thread(name_);
      auto const guard = asio::make_work_guard(io_);
      db_.start();
      io_.run();
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

 private:
  static postgres::settings settings_of(configuration const& with, int connections) {
    auto out = with.to_postgres_settings();
    out.size = connections;
    return out;
  }

  std::string const name_;
  asio::io_context io_{1};
  postgres::pool db_;
  std::atomic<bool> finished_{false};
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace svc::app
