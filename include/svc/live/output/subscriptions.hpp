#pragma once

#include "svc/core/async.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/uuid.hpp"
#include "svc/live/output/run_event_hub.hpp"

#include <memory>

namespace svc::store {
class run_store;
}

namespace svc::output {

/// One subscriber to a run. Worker-local.
class follower {
 public:
  virtual ~follower() = default;
  /// Must not call `follow` or `leave`.
  virtual void on_news(news const& news) = 0;
};

/// The followers of runs on this worker. Passes the hub's news on to them. Also asks the database which of their runs
/// have ended, with one statement for all runs: every 2 s while the hub's subscriptions are active, otherwise every
/// 250 ms. Worker-local; hub and store outlive it.
class subscriptions {
 public:
  static constexpr milliseconds interval{2000};  ///< the longest pause between two queries

  /// `asks` records the health of the queries, and rests while no run is followed.
  subscriptions(asio::io_context& io, run_event_hub& events, store::run_store& runs, background_loop_ptr asks);
  ~subscriptions();
  subscriptions(subscriptions const&) = delete;
  subscriptions& operator=(subscriptions const&) = delete;

  void follow(uuid run, follower& follower);
  void leave(uuid run, follower& follower);
  /// Notifies only the followers on this worker.
  void notify(uuid run, news const& news);

 private:
  struct impl;
  std::shared_ptr<impl> impl_;
};

}  // namespace svc::output
