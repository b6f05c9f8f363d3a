#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"

#include <memory>

namespace svc::net {

class stream;

/// The one timer of a session. Setting a deadline is normally an assignment: the timer is armed for at most `tick`,
/// checks what is due when it fires, and arms itself again. Only a deadline earlier than the armed moment costs a
/// re-arm. On expiry the stream's wait is cancelled and `expired()` says why. Worker-local, owned by its session.
///
/// PostgreSQL's connections have a watchdog of their own (postgres/watchdog.hpp): their deadlines are all alike. So
/// their timer is armed for the deadline itself, and is not armed again while no answer is awaited. A session's
/// deadlines vary between a second and minutes, and would arm that timer again for each request.
class watchdog {
 public:
  watchdog(asio::io_context& io, stream& watched, steady::duration tick)
      : timer_(io.get_executor()), stream_(watched), tick_(tick) {}

  /// `owner` holds this object; the pending timer keeps it alive until `stop`.
  void start(std::weak_ptr<void> owner);
  void stop();

  void due_in(steady::duration d) { due_at(steady::now() + d); }
  void due_at(steady::time_point time);
  void nothing_due() {
    due_ = steady::time_point::max();
    expired_ = false;
  }
  /// Returns true if the latest deadline has passed.
  bool expired() const { return expired_; }

 private:
  void arm(steady::time_point time);
  void fired();

  steady_timer timer_;
  stream& stream_;
  steady::duration tick_;
  steady::time_point due_ = steady::time_point::max();
  steady::time_point armed_ = steady::time_point::max();
  std::weak_ptr<void> owner_;  ///< empty: stopped
  bool expired_ = false;
};

}  // namespace svc::net
