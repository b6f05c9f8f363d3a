#pragma once

#include "svc/core/account.hpp"
#include "svc/core/async.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/metrics.hpp"
#include "svc/core/result.hpp"
#include "svc/core/secret.hpp"
#include "svc/domain/audit.hpp"
#include "svc/egress/mail/mail_pace.hpp"
#include "svc/monitoring/notifications/sender.hpp"
#include "svc/store/delivery/delivery_store.hpp"
#include "svc/store/delivery/mail_store.hpp"
#include "svc/store/delivery/provider_store.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace svc::notifications {

/// Performs one attempt, as `sender::send` does.
using message_sender = std::function<task<attempt>(provider_config config, message message, unsigned number,
                                                   std::vector<settled_recipient> settled)>;

/// Returns how long alerts for a provider of this type wait for others: the queue's rule.
std::chrono::seconds group_of(std::string_view type, std::optional<std::chrono::seconds> chosen);

/// Delivers queued notifications: claims messages, sends them, records the outcomes. Every instance runs one; the
/// queue allows each provider only one message in flight across all instances. Worker-local; the referenced objects
/// outlive it.
class notifier {
 public:
  struct parts {
    asio::io_context& io;
    postgres::pool& db;
    store::provider_store& providers;
    message_sender send;
    metrics& counters;
    loop_starter loops;  ///< asked before each claim if the loop may go on
    std::chrono::hours alerts_age{24L * 400};
    account* book = nullptr;             ///< account with `terms()`; null for none
    std::int64_t mails_per_second = 10;  ///< limit of this instance; each mail has one recipient
    /// The clock that decides if the lease of a message is long enough for an attempt. Tests replace it.
    std::function<steady::time_point()> clock = &steady::now;
    /// Called for the provider and the alerts of each attempt that counted, and for the projects of deleted alerts.
    change_listener settled{};
  };
  /// Returns the terms of the account of delivery attempts in progress.
  static account_terms terms();
  explicit notifier(parts parts);
  ~notifier();
  notifier(notifier const&) = delete;
  notifier& operator=(notifier const&) = delete;

  /// Must be called before the thread runs. Looks for due messages twice a second, and sooner when a pause ends. Ends
  /// with the `io_context`.
  void start();
  /// Claims due messages, as far as there is room, and starts their attempts.
  task<> look();
  /// Returns when no attempt, and no look that may start one, is running, or at the deadline. An interrupted message
  /// is sent again, with the same id, once its lease ends.
  task<> emptied(deadline until);
  std::size_t under_way() const { return under_way_; }
  /// Deletes expired alerts.
  task<> retain();

 private:
  static constexpr std::int64_t most_at_once = 16;  ///< maximum number of providers in one claim
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
  void charge(provider_config const& config, store::claimed_message const& message);

  parts parts_;
  store::delivery_store queue_;
  store::mail_store mails_;
  egress::mail_pace pace_;
  std::unique_ptr<counted> counted_;
  background_loop_ptr retention_loop_{};
  std::size_t under_way_ = 0;
  std::size_t next_looks_ = 0;  ///< looks that begin after a pause, because an attempt has ended
  store::delivery_load load_{};
  std::int64_t at_once_ = most_at_once;
  bool looking_ = false, again_ = false, put_off_ = false;
};

}  // namespace svc::notifications
