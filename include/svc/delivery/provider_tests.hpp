#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/core/uuid.hpp"
#include "svc/delivery/deliverer.hpp"
#include "svc/notify/answer.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>

namespace svc::delivery {

/// Messages by which users test a provider: one attempt each, beside the queue. They are performed on the thread that
/// delivers, so that no thread that serves requests works for a target. Belongs to that thread; what it uses outlives
/// it.
class provider_tests {
 public:
  /// At the same time, in an instance: so many more attempts than those at messages of the queue.
  static constexpr std::size_t most = 16, most_of_project = 4;
  /// Of mail: the queue sends by the same threads, of which a slow server holds one for each.
  static constexpr std::size_t most_mails = 2;

  /// `goes_on`: asked before each attempt whether to begin it.
  provider_tests(asio::io_context& io, performer perform, std::function<bool()> goes_on)
      : io_(io), perform_(std::move(perform)), goes_on_(std::move(goes_on)) {}
  provider_tests(provider_tests const&) = delete;
  provider_tests& operator=(provider_tests const&) = delete;

  /// Any thread: one attempt, whose outcome comes back to the caller's. Mail goes to the first recipient alone.
  /// rate_limited: the project has as many under way as it may; overloaded: so has the instance, or it stops. Throws `unavailable` if no answer came until the
  /// deadline, which is to be later than the attempt's own.
  task<result<notify::outcome>> run(notify::provider_config to, notify::message what, deadline until);

  /// On its own thread. Returns when no attempt is under way, or at the deadline.
  task<> emptied(deadline until);

 private:
  struct waiting;
  using waiting_ptr = std::shared_ptr<waiting>;

  result<> take_place(uuid project, bool mail);
  void leave_place(uuid project, bool mail);
  void begin(waiting_ptr whose, notify::provider_config to, notify::message what);
  task<> attempt_once(waiting_ptr whose, notify::provider_config to, notify::message what);

  asio::io_context& io_;
  performer perform_;
  std::function<bool()> goes_on_;
  std::size_t under_way_ = 0, mails_ = 0;
  std::map<uuid, std::size_t> of_project_{};
};

}  // namespace svc::delivery
