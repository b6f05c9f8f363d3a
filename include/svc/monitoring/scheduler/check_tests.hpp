#pragma once

#include "svc/core/account.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/handed_answer.hpp"
#include "svc/core/result.hpp"
#include "svc/core/uuid.hpp"
#include "svc/monitoring/checks/check_function.hpp"

#include <boost/asio/cancellation_signal.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>
#include <utility>

namespace svc::scheduler {

/// Checks monitors that are not saved, for users who wait for the result. The checks run on the thread of a
/// check worker, so that no thread that serves requests works for a target. Belongs to that thread; its
/// dependencies outlive it.
class check_tests {
 public:
  /// Concurrent checks of a check worker, in addition to those of its check_schedule.
  static constexpr std::size_t most = 32, most_of_organization = 8;

  /// Terms of the account in which `workers` objects of this kind book what they hold.
  static account_terms terms(std::size_t workers) {
    return {.name = "unsaved_checks",
            .total = most * std::max<std::size_t>(1, workers),
            .project_share = SIZE_MAX,
            .organisation_share = most_of_organization};
  }

  /// `book`: outlives this; null for none.
  check_tests(asio::io_context& io, check_function run_check, account* book = nullptr)
      : io_(io), run_check_(std::move(run_check)), book_(book) {}
  check_tests(check_tests const&) = delete;
  check_tests& operator=(check_tests const&) = delete;

  /// Thread-safe. Runs one check and returns its result on the caller's thread. Fails with rate_limited if the
  /// organization or the target has too many checks in progress, and with overloaded if the worker has too many or
  /// stops. Throws `unavailable` if the variables cannot be read, or there is no answer before the deadline.
  task<result<check_report>> run(check_order order, deadline until);

  /// Must be called on its own thread. Cancels the checks in progress and starts no more.
  void give_up();
  /// Does the same, and waits for their coroutines until the deadline. Returns true if all have ended. Later
  /// requests get an answer even after the thread has ended.
  task<bool> stop(deadline until);

 private:
  using waiting = handed_answer<result<check_end>>;
  using waiting_ptr = std::shared_ptr<waiting>;
  using signal_ptr = std::shared_ptr<asio::cancellation_signal>;

  result<> take_slot(uuid const& organization);
  void leave_slot(uuid const& organization);
  void begin(waiting_ptr whose, check_order order);
  task<> check(waiting_ptr whose, check_order order);

  asio::io_context& io_;
  check_function run_check_;
  account* book_;
  std::atomic<bool> closed_{false};  ///< true: no check starts any more
  std::list<signal_ptr> under_way_{};
  std::unordered_map<uuid, std::size_t, uuid_hash> of_organization_{};
};

}  // namespace svc::scheduler
