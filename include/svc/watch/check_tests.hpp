#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/core/uuid.hpp"
#include "svc/watch/performer.hpp"

#include <boost/asio/cancellation_signal.hpp>

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <unordered_map>
#include <utility>

namespace svc::watch {

/// Checks of monitors that are not saved, for users who wait for them. They are made on the thread of a check worker,
/// beside its agenda, so that no thread that serves requests works for a target. Belongs to that thread; what it uses
/// outlives it.
class check_tests {
 public:
  /// At the same time, in a check worker: beside the checks of its agenda.
  static constexpr std::size_t most = 32, most_of_project = 8;

  /// `goes_on`: asked before each whether to begin it.
  check_tests(asio::io_context& io, performer perform, std::function<bool()> goes_on)
      : io_(io), perform_(std::move(perform)), goes_on_(std::move(goes_on)) {}
  check_tests(check_tests const&) = delete;
  check_tests& operator=(check_tests const&) = delete;

  /// Any thread: one check, whose result comes back to the caller's. rate_limited: the project has as many under way
  /// as it may, or too many checks of the same target are; overloaded: so has the worker, or it stops. Throws
  /// `unavailable` if the variables cannot be had, or no answer came until the deadline.
  task<result<performed_check>> run(check_order what, deadline until);

  /// On its own thread: gives up those under way, and waits for their coroutines until the deadline. Whether all have
  /// ended.
  task<bool> stop(deadline until);

 private:
  struct waiting;
  using waiting_ptr = std::shared_ptr<waiting>;
  using signal_ptr = std::shared_ptr<asio::cancellation_signal>;

  result<> take_place(uuid const& project);
  void leave_place(uuid const& project);
  void begin(waiting_ptr whose, check_order what);
  task<> check(waiting_ptr whose, check_order what);

  asio::io_context& io_;
  performer perform_;
  std::function<bool()> goes_on_;
  std::list<signal_ptr> under_way_{};
  std::unordered_map<uuid, std::size_t, uuid_hash> of_project_{};
};

}  // namespace svc::watch
