#pragma once

#include "svc/core/account.hpp"
#include "svc/core/async.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/metrics.hpp"
#include "svc/core/result.hpp"
#include "svc/core/secret.hpp"
#include "svc/monitoring/notifications/mail_pace.hpp"
#include "svc/monitoring/notifications/sender.hpp"
#include "svc/store/delivery/delivery_store.hpp"
#include "svc/store/delivery/mail_store.hpp"
#include "svc/store/delivery/provider_store.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace svc::notifications {

/// Performs one attempt, as `notifications::sender::send` does.
using performer = std::function<task<notifications::attempt>(notifications::provider_config config,
                                                             notifications::message message, unsigned number,
                                                             std::vector<notifications::settled_recipient> settled)>;

/// How long alerts for a provider of this type wait for others: the rule of the queue.
std::chrono::seconds group_of(std::string_view type, std::optional<std::chrono::seconds> chosen);

/// Brings alerts to their providers: claims messages, has each attempted, writes what came of it. Every instance does
/// this; the queue lets each provider have one message under way in all of them. Worker-local; what it uses outlives
/// it.
class deliverer {
 public:
  struct parts {
    asio::io_context& io;
    postgres::pool& db;
    store::provider_store& providers;
    performer perform;
    metrics& counters;
    loop_starter loops;  ///< asked before each claim whether to go on
    std::chrono::hours alerts_age{24L * 400};
    account* book = nullptr;             ///< with these terms; null for none
    std::int64_t mails_per_second = 10;  ///< of this instance, each to one recipient
    /// The clock that decides whether the lease of a message lasts for an attempt. Tests replace it.
    std::function<steady::time_point()> clock = &steady::now;
  };
  /// Terms of the account of attempts at messages in progress.
  static account_terms terms();
  explicit deliverer(parts parts);
  ~deliverer();
  deliverer(deliverer const&) = delete;
  deliverer& operator=(deliverer const&) = delete;

  /// Call before the thread runs. Looks twice a second for what is due, and sooner when a pause ends. Ends with the
  /// `io_context`.
  void start();
  /// Claims what is due, as far as there is room, and begins its attempts.
  task<> look();
  /// Returns when no attempt is under way and no look that may begin some, or at the deadline. What is cut off then
  /// is sent again, with its id, once its lease ends.
  task<> emptied(deadline until);
  std::size_t under_way() const { return under_way_; }
  /// Deletes what is too old.
  task<> retain();

 private:
  static constexpr std::int64_t most_at_once = 16;  ///< providers of one claim
  struct counted;
  task<> claim_due();
  task<store::delivery_store::claims> claim(std::int64_t room);
  task<> count();
  task<> deliver(store::claimed_message message);
  task<std::optional<result<store::revealed_config>>> reveal(store::claimed_message const& message);
  task<std::optional<store::attempt_end>> attempt_once(store::claimed_message const& message);
  task<std::optional<store::settled_message>> settle(store::claimed_message const& message, store::attempt_end end);
  void note(store::claimed_message const& message, store::attempt_end const& end, store::settled_message const& done);
  task<> look_after(milliseconds pause);
  void charge(notifications::provider_config const& config, store::claimed_message const& message);

  parts parts_;
  store::delivery_store queue_;
  store::mail_store mails_;
  mail_pace pace_;
  std::unique_ptr<counted> counted_;
  background_loop_ptr retention_loop_{};
  std::size_t under_way_ = 0;
  store::delivery_load load_{};
  std::int64_t at_once_ = most_at_once;
  bool looking_ = false, again_ = false, put_off_ = false;
};

}  // namespace svc::notifications
