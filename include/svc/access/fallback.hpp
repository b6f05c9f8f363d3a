#pragma once

#include "svc/access/admission.hpp"
#include "svc/access/local_window.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/time.hpp"
#include "svc/domain/limit.hpp"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::access {

/// Decides whether requests wait for Redis. The class is pure: times are parameters. The object belongs to one
/// worker.
///
/// While the breaker is closed, every command counts. Misses that fall within one command deadline are one event,
/// because a stall delays all commands in flight at once. A decision waits for a late reply, and counts a miss only
/// while Redis is silent, so one slow reply is no event. Five events without an answer between them open the breaker.
///
/// While the breaker is open, no request waits for Redis; a timer probes it. Only `close()` closes the breaker, after
/// the whole recovery has succeeded on the current connection.
class breaker {
 public:
  explicit breaker(milliseconds command_deadline, int threshold = 5)
      : grain_(command_deadline), threshold_(threshold) {}

  bool is_open() const { return open_; }

  /// Returns true if this miss opened the breaker.
  bool missed(steady::time_point now) {
    if (open_ || (misses_ > 0 && now - last_miss_ < grain_)) return false;
    last_miss_ = now;
    if (++misses_ < threshold_) return false;
    open_ = true;
    return true;
  }
  void answered() { misses_ = 0; }
  /// Opens the breaker because the connection ended, or there was none yet. Answers on the next connection confirm
  /// nothing until `close`. Returns true if this call opened the breaker.
  bool lost() {
    ++losses_;
    return !std::exchange(open_, true);
  }
  int losses() const { return losses_; }
  /// Closes the breaker unless the connection was lost since the recovery started. `losses` is the number of losses
  /// at that start. Returns true if this call closed the breaker.
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

/// Returns true if this error reply says that Redis will refuse every decision until an operator changes its users or
/// our login: a missing right or wrong credentials. Other errors may concern one key or disappear by themselves.
/// Pure.
bool is_denial(std::string_view refusal);

/// Counts windows in this instance while Redis is lost. Each subject belongs to one worker (by hash), so the instance
/// admits at most its share whatever the number of workers. There is one object per worker; `join` connects them
/// before the workers start.
class fallback {
 public:
  /// `instances` is the number of instances that share each limit (`instance_count::divisor`); it changes while
  /// workers serve. An instance's share is at least 1.
  fallback(asio::io_context& io, std::atomic<int> const& instances, milliseconds command_deadline)
      : io_(io), instances_(instances), breaker_(command_deadline) {}

  static void join(std::vector<fallback*> const& workers);

  /// Sets the function that is called on this worker's thread each time the breaker opens.
  void when_lost(std::function<void()> lost) { lost_ = std::move(lost); }

  breaker& redis() { return breaker_; }
  breaker const& redis() const { return breaker_; }
  /// Reports a command without an answer in time, or a silence of Redis for a command deadline while a decision
  /// waited for its late reply. Logs once if the report opens the breaker.
  void redis_missed(steady::time_point now = steady::now());
  /// Reports that the connection to Redis ended or could not be opened. Logs once if the report opens the breaker,
  /// with the reason.
  void redis_lost(std::string_view reason = {});
  /// Reports that Redis answered a decision or a probe with this error. A denial (`is_denial`) opens the breaker at
  /// once; any other error counts like a missing answer.
  void redis_refused(std::string_view refusal, steady::time_point now = steady::now());
  /// The error text that Redis returns instead of decisions. Empty while Redis decides, or if it is only unreachable.
  std::string const& refusal() const { return refusal_; }
  std::uint64_t refusals() const { return refusals_; }
  /// Reports that the recovery has succeeded; see `breaker::close`.
  bool redis_back(int losses);

  /// Asks Redis unless it is lost, and counts whether it answered in time. Returns `std::nullopt` if it did not ask.
  /// The connection may have been lost and replaced since the request arrived, and the new connection is not trusted
  /// yet.
  task<std::optional<admission_reply>> ask(admission& redis, admission_request request, deadline until);

  /// Decides on the owning worker; the headers show this instance's share. The headers count from `now`, the time of
  /// the database, because the clocks of instances differ. `also` and `also_subject` are a second window, as in an
  /// `admission_request`.
  task<limit_decision> decide(std::string subject, class_window first, timestamp now,
                              std::optional<class_window> also = {}, std::string also_subject = {});

 private:
  task<limit_decision> decide_at_owner(std::string subject, class_window first, timestamp now,
                                       std::optional<class_window> also);
  fallback& owner_of(std::string const& subject) const;
  local_window& window_of(class_window const& whole);
  limit_decision count(std::string const& subject, class_window const& first, std::optional<class_window> const& also,
                       timestamp now);
  void opened(std::string_view reason) const;
  void explain(std::string_view reason, steady::time_point now);
  window_limit share_of(window_limit whole) const;

  asio::io_context& io_;
  std::atomic<int> const& instances_;
  breaker breaker_;
  std::function<void()> lost_{};
  std::string refusal_{};
  std::uint64_t refusals_ = 0;
  std::optional<steady::time_point> explained_{};  ///< when a denial was last logged
  std::vector<fallback*> workers_{this};
  /// Windows by class and whole limit. Another number of instances changes the share, and earlier counts stay. An
  /// edited limit starts an empty window, which is acceptable during an outage.
  std::map<std::pair<rate_class, std::pair<std::uint32_t, std::uint32_t>>, local_window> windows_;
};

}  // namespace svc::access
