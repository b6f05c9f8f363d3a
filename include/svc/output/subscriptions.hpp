#pragma once

#include "svc/core/async.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/uuid.hpp"
#include "svc/output/hub.hpp"

#include <memory>

namespace svc::store {
class run_store;
}

namespace svc::output {

/// One subscriber to a run. Worker-local.
class follower {
 public:
  virtual ~follower() = default;
  /// Neither follows nor leaves in here.
  virtual void on_news(news const& what) = 0;
};

/// Who follows which run on this worker. Tells them what the hub hears, and asks the database, by one statement for
/// all runs, which have ended: seldom while the hub hears, often while it does not. Worker-local; hub and store
/// outlive it.
class subscriptions {
 public:
  static constexpr milliseconds interval{2000};  ///< between two questions, at most

  /// `asks`: how the questions fare; rests while nobody follows a run.
  subscriptions(asio::io_context& io, hub& from, store::run_store& runs, background_loop_ptr asks);
  ~subscriptions();
  subscriptions(subscriptions const&) = delete;
  subscriptions& operator=(subscriptions const&) = delete;

  void follow(uuid run, follower& who);
  void leave(uuid run, follower& who);
  /// To the followers here alone.
  void tell(uuid run, news const& what);

 private:
  struct impl;
  std::shared_ptr<impl> impl_;
};

}  // namespace svc::output
