#pragma once

#include "svc/core/account.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/handed_answer.hpp"
#include "svc/core/result.hpp"
#include "svc/core/uuid.hpp"
#include "svc/monitoring/notifications/answer.hpp"
#include "svc/monitoring/notifications/deliverer.hpp"

#include <cstddef>
#include <functional>
#include <memory>

namespace svc::notifications {

/// Messages by which users test a provider: one attempt each, beside the queue. They are performed on the thread that
/// delivers, so that no thread that serves requests works for a target. Belongs to that thread; what it uses outlives
/// it.
class provider_tests {
 public:
  /// At the same time, in an instance: so many more attempts than those at messages of the queue.
  static constexpr std::size_t most = 16, most_of_project = 4;
  /// Of mail: the queue sends by the same threads, of which a slow server holds one for each.
  static constexpr std::size_t most_mails = 2;

  /// Returns the terms of the account in which an instance books its tests.
  static account_terms terms() { return {.name = "provider_tests", .total = most, .project_share = most_of_project}; }

  /// `goes_on`: asked before each attempt whether to begin it. `book`: outlives every place; null for none.
  provider_tests(asio::io_context& io, performer perform, std::function<bool()> goes_on, account* book = nullptr);
  provider_tests(provider_tests const&) = delete;
  provider_tests& operator=(provider_tests const&) = delete;

  /// Held by who wants to test and, beyond his deadline, by the attempt.
  using place = std::shared_ptr<void>;
  /// Any thread. rate_limited: the project has as many as it may; overloaded: so has the instance.
  result<place> enter(uuid project, notifications::provider_type type);

  /// Any thread: one attempt, whose outcome comes back to the caller's. Mail goes to the first recipient alone.
  /// overloaded: the instance stops. Throws `unavailable` if no answer came until the deadline, which is to be later
  /// than the attempt's own.
  task<result<notifications::outcome>> run(place held, notifications::provider_config config,
                                           notifications::message message, deadline until);

  /// On its own thread. Returns when no place is held, or at the deadline.
  task<> emptied(deadline until);

 private:
  struct places;
  using waiting = handed_answer<result<notifications::outcome>>;
  using waiting_ptr = std::shared_ptr<waiting>;

  void begin(waiting_ptr whose, place held, notifications::provider_config config, notifications::message message);
  task<> attempt_once(waiting_ptr whose, place held, notifications::provider_config config,
                      notifications::message message);

  asio::io_context& io_;
  performer perform_;
  std::function<bool()> goes_on_;
  std::shared_ptr<places> places_;
};

}  // namespace svc::notifications
