#pragma once

#include "svc/core/deadline.hpp"

#include <utility>

namespace svc::access {

/// Whether Redis is worth waiting for. Pure: times come from the caller. Worker-local.
///
/// Closed: every command counts; misses that fall within one command deadline are one event (a stall makes all
/// commands in flight late at once). Five events without an answer between them open it. Open: nobody waits; a
/// timer probes. It closes only by `close()`, when the way back was walked to its end on the connection of now.
class breaker {
 public:
  explicit breaker(milliseconds command_deadline, int threshold = 5)
      : grain_(command_deadline), threshold_(threshold) {}

  bool is_open() const { return open_; }

  /// True when this miss opened it.
  bool missed(steady::time_point now) {
    if (open_ || (misses_ > 0 && now - last_miss_ < grain_)) return false;
    last_miss_ = now;
    if (++misses_ < threshold_) return false;
    open_ = true;
    return true;
  }
  void answered() { misses_ = 0; }
  /// A connection ended, or there was none yet: what the next one says proves nothing until `close`. True when this
  /// opened it.
  bool lost() {
    ++losses_;
    return !std::exchange(open_, true);
  }
  int losses() const { return losses_; }
  /// The way back was begun when so many losses were known. True when that closed it; not if there was another one
  /// meanwhile.
  bool close(int losses) {
    if (losses != losses_ || !open_) return false;
    open_ = false;
    misses_ = 0;
    return true;
  }

 private:
  milliseconds grain_;
  int threshold_;
  int misses_ = 0, losses_ = 0;
  steady::time_point last_miss_{};
  bool open_ = false;
};

}  // namespace svc::access
