#pragma once

#include "svc/core/async.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/metrics.hpp"
#include "svc/domain/audit.hpp"
#include "svc/egress/mail/mail_client.hpp"
#include "svc/monitoring/notifications/answer.hpp"
#include "svc/store/delivery/system_mail_store.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace svc::notifications {

/// A request for a recovery mail, which has been answered.
struct recovery_request {
  std::string email;   ///< normalised
  audit_actor origin;  ///< without a user, because the account is not looked up yet
};

/// Requests for recovery mails that wait until their accounts are looked up. They are answered before, so that
/// neither the answer nor its time tells which accounts exist. Thread-safe.
class recovery_queue {
 public:
  static constexpr std::size_t most = 64;

  /// Returns false if the queue is full.
  bool push(recovery_request request);
  std::optional<recovery_request> pop();
  /// Puts back a request that could not be handled yet. It has its place even if the queue has become full.
  void put_back(recovery_request request);
  std::size_t size() const;

 private:
  mutable std::mutex mutex_{};
  std::deque<recovery_request> waiting_{};
};

/// The addresses in the mails of the service.
struct system_mail_settings {
  std::string sender;      ///< `smtp.from`: an address, or `Name <address>`
  std::string public_url;  ///< the address of the service
};

/// Returns the name on one line, with at most 100 bytes and without text that mail programs would turn into a link,
/// because somebody else has chosen the name. Total.
std::string harmless_name(std::string_view name);

/// Returns the mail in RFC 5322. Names change nothing but text. Pure and total.
std::string make_system_mail(store::claimed_system_mail const& mail, system_mail_settings const& settings,
                             timestamp now);

/// Sends the mails that carry the links of invitations and recoveries. Every instance runs one; leases in PostgreSQL
/// divide the work. It has four slots of its own, so that system mails and alert mails do not delay each other.
/// Worker-local except for its queue; the referenced objects outlive it.
class system_mailer {
 public:
  struct parts {
    asio::io_context& io;
    postgres::pool& db;
    /// Null: no mail server is configured. Then mails wait for other instances, until their links end.
    std::function<task<egress::mail_answer>(egress::mail mail, deadline until)> send;
    std::string sender;             ///< `smtp.from`
    std::string const& public_url;  ///< set once the listeners are open
    recovery_queue& recoveries;
    metrics& counters;
    loop_starter loops;
    /// The clock that decides if the lease of a mail is long enough for an attempt. Tests replace it.
    std::function<steady::time_point()> clock = &steady::now;
  };
  /// Concurrent attempts of an instance.
  static constexpr std::size_t most_under_way = 4;

  explicit system_mailer(parts parts);
  ~system_mailer();
  system_mailer(system_mailer const&) = delete;
  system_mailer& operator=(system_mailer const&) = delete;

  /// Must be called before the thread runs.
  void start();
  /// Looks up the accounts of waiting requests, then claims mails that are due, as far as there is room, and starts
  /// their attempts.
  task<> look();
  /// Takes the requests that still wait, and returns when no attempt is running, or at the deadline. An interrupted
  /// mail is sent again once its lease ends.
  task<> emptied(deadline until);
  std::size_t under_way() const { return under_way_; }

 private:
  struct counted;
  task<> take_recoveries();
  task<> claim_due();
  task<> deliver(store::claimed_system_mail mail);
  task<std::optional<outcome>> attempt_once(store::claimed_system_mail const& mail);
  task<> settle(store::claimed_system_mail const& mail, outcome came);

  parts parts_;
  store::system_mail_store mails_;
  std::unique_ptr<counted> counted_;
  std::size_t under_way_ = 0;
};

}  // namespace svc::notifications
