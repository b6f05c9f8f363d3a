#pragma once

#include "svc/access/breaker.hpp"
#include "svc/access/local_window.hpp"
#include "svc/core/async.hpp"
#include "svc/core/time.hpp"
#include "svc/domain/limit.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace svc::access {

/// Windows of this instance for the time without Redis. Each subject is owned by one worker (by hash), so the
/// instance admits at most its share however many workers it has. One object per worker; `join` ties them together
/// before the workers start.
class fallback {
 public:
  /// `instances`: how many share each limit. An instance's share is at least 1.
  fallback(asio::io_context& io, int instances, milliseconds command_deadline)
      : io_(io), instances_(instances), breaker_(command_deadline) {}

  static void join(std::vector<fallback*> const& workers);

  breaker& redis() { return breaker_; }
  breaker const& redis() const { return breaker_; }
  /// A command was not answered in time; says so once when that opens the breaker.
  void redis_missed();
  /// Its connection ended; likewise.
  void redis_lost();

  /// Decides on the owning worker; the headers show this instance's share. `now` is what they count from: the
  /// database's time, as instances' own clocks differ.
  task<limit_decision> decide(std::string subject, rate_class which, window_limit window, timestamp now);

 private:
  limit_decision count(std::string const& subject, rate_class which, window_limit share, timestamp now);
  void say_lost() const;
  window_limit share_of(window_limit whole) const;

  asio::io_context& io_;
  int instances_;
  breaker breaker_;
  std::vector<fallback*> workers_{this};
  /// By class and share: an edited limit starts an empty window, which an outage may cost.
  std::map<std::pair<rate_class, std::pair<std::uint32_t, std::uint32_t>>, local_window> windows_;
};

}  // namespace svc::access
