#pragma once

#include "monitoring/notifications/page_mail_text.hpp"
#include "svc/core/async.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/core/metrics.hpp"
#include "svc/domain/audit.hpp"
#include "svc/egress/mail/mail_client.hpp"
#include "svc/egress/mail/mail_turns.hpp"
#include "svc/monitoring/notifications/answer.hpp"
#include "svc/monitoring/notifications/recipient_policy.hpp"
#include "svc/store/delivery/mail_store.hpp"
#include "svc/store/pages/page_mail_store.hpp"
#include "svc/store/pages/subscriber_store.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace svc::notifications {

/// Sends the mails of status pages: confirmations of subscriptions, and posts. Also stores the requests of visitors,
/// and writes the alerts about posts to the providers of pages. Every instance runs one; leases in PostgreSQL divide
/// the work. A project has at most one batch under way, and projects take turns. Worker-local except for its queue;
/// the referenced objects outlive it.
class page_mailer {
 public:
  struct parts {
    asio::io_context& io;
    postgres::pool& db;
    master_keys& master;
    /// Null: no mail server is configured. Then mails wait for other instances, and are given up after a day.
    std::function<task<egress::mail_answer>(egress::mail mail, deadline until)> send;
    egress::mail_turns* turns = nullptr;  ///< the pace of the instance's mails; null: no pace
    std::string sender;                   ///< `smtp.from`
    std::string const& public_url;        ///< set once the listeners are open
    store::subscription_queue& requests;
    store::subscriber_store::limits most{};
    recipient_policy allowed{};
    metrics& counters;
    loop_starter loops;
    change_listener settled{};  ///< gets the alerts that were written
    /// The clock that decides if a lease is long enough for an attempt, and if a request is too old. Tests replace
    /// it.
    std::function<steady::time_point()> clock = &steady::now;
  };
  /// Concurrent attempts at confirmations, concurrent batches of posts, and concurrent mails of a batch.
  static constexpr std::size_t most_confirmations_under_way = 2, most_batches = 2, mails_of_batch = 3;
  /// Concurrent mails, the threads that the client needs.
  static constexpr std::size_t most_mails = most_confirmations_under_way + most_batches * mails_of_batch;

  explicit page_mailer(parts parts);
  ~page_mailer();
  page_mailer(page_mailer const&) = delete;
  page_mailer& operator=(page_mailer const&) = delete;

  /// Must be called before the thread runs.
  void start();
  /// Stores waiting requests, writes the alerts of new posts, then claims mails that are due, as far as there is
  /// room, and starts their attempts.
  task<> look();
  /// Updates the number of waiting mails.
  task<> count();
  /// Deletes what is over.
  task<> retain();
  /// Stores the requests that still wait, and returns when no attempt is running, or at the deadline. Interrupted
  /// mails are sent again, with the same ids, once their leases end.
  task<> emptied(deadline until);
  std::size_t under_way() const { return confirmations_ + batches_; }

 private:
  struct counted;
  struct sending;
  task<> take_requests();
  task<> take_due();
  task<store::subscription_outcome> subscribe(store::subscription_request request);
  task<> announce();
  task<> claim_confirmations();
  task<> claim_posts();
  task<> deliver(store::claimed_confirmation mail);
  task<> attempt_once(store::claimed_confirmation const& mail);
  task<> deliver_posts(store::claimed_post batch);
  task<> send_some(sending& batch);
  task<bool> send_one(sending& batch, std::size_t index);
  task<> settle(store::claimed_confirmation const& mail, std::optional<milliseconds> pause, bool counts,
                std::string_view outcome);
  task<> settle(sending const& batch);
  task<bool> take_turn(uuid project, steady::time_point claimed_at);
  task<std::vector<bool>> allowed(uuid project, std::vector<std::string> addresses);
  std::vector<uuid> served_projects() const;
  bool has_time(steady::time_point claimed_at) const;

  parts parts_;
  store::subscriber_store subscribers_;
  store::page_mail_store mails_;
  store::mail_store members_;
  std::unique_ptr<counted> counted_;
  background_loop_ptr retention_loop_{};
  std::set<uuid> busy_{};      ///< projects with a batch under way
  std::set<uuid> had_turn_{};  ///< projects that have sent a batch in this round
  std::size_t confirmations_ = 0, batches_ = 0;
};

}  // namespace svc::notifications
