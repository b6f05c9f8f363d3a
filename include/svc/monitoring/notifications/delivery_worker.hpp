#pragma once

#include "svc/core/account_book.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/core/metrics.hpp"
#include "svc/domain/audit.hpp"
#include "svc/egress/address_policy.hpp"
#include "svc/egress/dns/resolver.hpp"
#include "svc/egress/mail/mail_client.hpp"
#include "svc/egress/trust.hpp"
#include "svc/monitoring/notifications/mail_admission.hpp"
#include "svc/monitoring/notifications/message.hpp"
#include "svc/monitoring/notifications/provider_tests.hpp"
#include "svc/monitoring/notifications/recipient_policy.hpp"
#include "svc/monitoring/notifications/request.hpp"
#include "svc/postgres/database_thread.hpp"
#include "svc/store/pages/subscriber_store.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace svc::notifications {

class recovery_queue;

/// The accounts of the resources that the notifications of an instance share.
struct notification_accounts {
  explicit notification_accounts(account_book& book);

  account &cpu, &messages_in_flight, &provider_tests;
};

/// The operator's mail server.
struct mail_parts {
  egress::mail_settings server;
  std::shared_ptr<egress::trust_store const> trust;
};

/// A thread that sends alerts to their providers, and mails of the service and of status pages, separate from the
/// threads that serve requests and run checks. It has its own PostgreSQL pool, resolver and clients. Every instance
/// has one; the queue in PostgreSQL divides the work. Owned by the application.
class delivery_worker {
 public:
  /// The parts of the instance that the worker uses. The references outlive it.
  struct parts {
    postgres::settings database;
    master_keys const& master;
    metrics& counters;
    background_loops& loops;
    std::atomic<bool> const& accepting;
    notification_accounts& accounts;
    egress::resolver_settings names;
    std::shared_ptr<egress::address_policy const> policy,
        http_policy;  ///< which addresses `https` and `http` may reach
    std::shared_ptr<egress::trust_store const> trust;
    std::optional<mail_parts> mail;  ///< empty: no mail is sent
    text_settings texts;
    store::mail_limits most_mails;
    recipient_policy recipients;
    std::chrono::hours alerts_age;
    std::int64_t mails_per_second;
    store::subscriber_store::limits subscriptions;
    std::string const& public_url;  ///< for links in mails; set before the worker sends
    change_listener settled{};      ///< as in `notifier::parts`; called on this thread
  };
  /// Throws `std::runtime_error` if libcurl or c-ares cannot be set up.
  explicit delivery_worker(parts const& instance);
  delivery_worker(delivery_worker const&) = delete;
  delivery_worker& operator=(delivery_worker const&) = delete;
  ~delivery_worker();

  /// Starts the thread. It sends nothing until the instance accepts traffic, because only then the schema exists.
  void start();
  /// Thread-safe. Sets the address of the primary: `postgres::pool::follow`.
  void follow(postgres::primary_server const& where) { thread_.follow(where); }
  /// The reference is valid as long as this object.
  provider_tests& tests();
  /// Thread-safe; valid as long as this object.
  recovery_queue& recoveries();
  /// Thread-safe; valid as long as this object.
  store::subscription_queue& subscriptions();
  /// The loop and the resolver of this thread, for other clients that send from it. They are destroyed before this
  /// object and after the thread's end.
  asio::io_context& io() { return thread_.io(); }
  egress::resolver& names();
  /// Thread-safe. Stops starting attempts, lets running ones finish until the deadline, and ends the thread.
  void drain(deadline until);
  /// Thread-safe. True when this worker has no running task left.
  bool finished() const { return thread_.finished(); }
  void join() { thread_.join(); }
  /// The result is valid as long as this object.
  std::vector<watched_thread> watched() { return {thread_.watched("notification_cpu")}; }
  /// Watches the threads that send mails. `overdue` is empty if there are none.
  watched_attempts watched_mail() const;

 private:
  struct inside;
  task<> finish(deadline until);

  bool stopping_ = false;
  postgres::database_thread thread_;
  std::unique_ptr<inside> inside_;
};

}  // namespace svc::notifications
