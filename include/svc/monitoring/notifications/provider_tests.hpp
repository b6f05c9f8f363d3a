#pragma once

#include "svc/core/account.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/handed_answer.hpp"
#include "svc/core/result.hpp"
#include "svc/core/uuid.hpp"
#include "svc/monitoring/notifications/answer.hpp"
#include "svc/monitoring/notifications/notifier.hpp"

#include <cstddef>
#include <functional>
#include <memory>

namespace svc::notifications {

/// Sends the messages with which users test a provider: one attempt each, outside the queue. The attempts run on the
/// notification thread, so that no thread that serves requests works for a target. Belongs to that thread; the
/// referenced objects outlive it.
class provider_tests {
 public:
  /// Concurrent tests of an instance, in addition to the attempts at queued messages.
  static constexpr std::size_t most = 16, most_of_project = 4;
  /// Concurrent tests by mail. The queue uses the same mail threads, and a slow server blocks one thread for each
  /// mail.
  static constexpr std::size_t most_mails = 2;

  /// Returns the terms of the account in which an instance books its tests.
  static account_terms terms() { return {.name = "provider_tests", .total = most, .project_share = most_of_project}; }

  /// `goes_on` is asked before each attempt if it may start. `book` outlives every slot; null for none.
  provider_tests(asio::io_context& io, message_sender send, std::function<bool()> goes_on, account* book = nullptr);
  provider_tests(provider_tests const&) = delete;
  provider_tests& operator=(provider_tests const&) = delete;

  /// A permit for one test. The caller holds it, and beyond the caller's deadline the attempt holds it.
  using slot = std::shared_ptr<void>;
  /// Thread-safe. Fails with rate_limited if the project's limit is reached, and with overloaded if the instance's
  /// limit is.
  result<slot> enter(uuid project, provider_type type);

  /// Thread-safe. Makes one attempt and returns its outcome on the caller's thread. Mail goes only to the first
  /// recipient. Fails with overloaded if the instance stops. Throws `unavailable` if there is no answer before the
  /// deadline, which must be later than the attempt's own.
  task<result<outcome>> run(slot held, provider_config config, message message, deadline until);

  /// Must be called on its own thread. Returns when no slot is held, or at the deadline.
  task<> emptied(deadline until);

 private:
  struct slots;
  using waiting = handed_answer<result<outcome>>;
  using waiting_ptr = std::shared_ptr<waiting>;

  void begin(waiting_ptr whose, slot held, provider_config config, message message);
  task<> attempt_once(waiting_ptr whose, slot held, provider_config config, message message);

  asio::io_context& io_;
  message_sender send_;
  std::function<bool()> goes_on_;
  std::shared_ptr<slots> slots_;
};

}  // namespace svc::notifications
