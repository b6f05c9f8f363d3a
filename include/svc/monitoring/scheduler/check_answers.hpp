#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"
#include "svc/store/monitors/check_requests.hpp"

#include <chrono>
#include <list>
#include <memory>

namespace svc::scheduler {

/// Waits for on-demand checks, which any instance may run. It sends one statement per interval for all waiting
/// requests of this worker, and none while there are no requests. Worker-local; the referenced objects outlive it.
class check_answers {
 public:
  static constexpr std::chrono::milliseconds interval{250};

  check_answers(asio::io_context& io, store::check_requests& requests) : io_(io), requests_(requests) {}

  /// Returns the state of the request once it is closed, the deadline has passed or the instance drains. Throws
  /// `unavailable` if the database is unreachable or late then.
  task<store::check_requests::state> until_closed(uuid request, deadline until);
  /// Must be called each interval. Throws `unavailable` if the database is unreachable or late.
  task<> look();
  /// Ends all current waits; later ones end at once.
  void drain();

 private:
  struct waiter {
    uuid request;
    steady_timer over;
  };
  asio::io_context& io_;
  store::check_requests& requests_;
  /// Outlives this object while a request waits.
  std::shared_ptr<std::list<waiter>> waiters_ = std::make_shared<std::list<waiter>>();
  bool draining_ = false;
};

}  // namespace svc::scheduler
