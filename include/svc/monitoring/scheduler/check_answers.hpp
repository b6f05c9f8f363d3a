#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"
#include "svc/store/monitors/check_requests.hpp"

#include <chrono>
#include <list>
#include <memory>

namespace svc::scheduler {

/// Waits for checks that were asked for out of turn, which any instance may make: one statement an interval for all
/// that wait in this worker, and none while nobody does. Worker-local; what it uses outlives it.
class check_answers {
 public:
  static constexpr std::chrono::milliseconds interval{250};

  check_answers(asio::io_context& io, store::check_requests& requests) : io_(io), requests_(requests) {}

  /// What has become of it when it is closed, the deadline has passed or the instance drains. Throws `unavailable`
  /// when the database is gone or late then.
  task<store::check_requests::state> until_closed(uuid request, deadline until);
  /// Call each interval. Throws `unavailable` when the database is gone or late.
  task<> look();
  /// Ends all waits now; later ones end at once.
  void drain();

 private:
  struct waiter {
    uuid request;
    steady_timer over;
  };
  asio::io_context& io_;
  store::check_requests& requests_;
  /// Outlives this while a request waits.
  std::shared_ptr<std::list<waiter>> waiters_ = std::make_shared<std::list<waiter>>();
  bool draining_ = false;
};

}  // namespace svc::scheduler
