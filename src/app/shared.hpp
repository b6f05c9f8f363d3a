#pragma once

#include "app/configuration/configuration.hpp"
#include "app/maintenance/instance_view.hpp"
#include "app/process/redis_servers.hpp"
#include "svc/api/response_account.hpp"
#include "svc/api/services.hpp"
#include "svc/core/account_book.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/core/metrics.hpp"
#include "svc/core/shared_counts.hpp"
#include "svc/core/text_exchange.hpp"
#include "svc/core/work_scheduler.hpp"
#include "svc/domain/audit.hpp"
#include "svc/domain/instance.hpp"
#include "svc/domain/principal.hpp"
#include "svc/http/body_budget.hpp"
#include "svc/http/contract.hpp"
#include "svc/http/public_pages/rebuild_slots.hpp"
#include "svc/http/public_pages/site.hpp"
#include "svc/http/site/page_bundle.hpp"
#include "svc/live/dispatch/claim_hub.hpp"
#include "svc/live/feed/feed_hub.hpp"
#include "svc/live/output/archive.hpp"
#include "svc/live/output/run_event_hub.hpp"
#include "svc/live/output/run_streams.hpp"
#include "svc/monitoring/notifications/delivery_worker.hpp"
#include "svc/monitoring/scheduler/check_workers.hpp"
#include "svc/net/session_settings.hpp"
#include "svc/sign_in/oidc/oidc_client.hpp"
#include "svc/sign_in/password_hasher.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace svc::app {

/// The objects that all workers share. The struct is created before the first worker and outlives the last one. It is
/// constant while they run except for `schema_fits`, `opened`, `accepting`, `relayed`, `sharing` and the values of
/// `counters`, `streams`, `loops` and the counts of connections, which are atomic.
struct shared_parts {
  configuration const& config;
  std::shared_ptr<http::contract const> contract;
  master_keys const& master;            ///< the keys as read at the start; each worker has its own copy
  metrics& counters;                    ///< its values are atomic
  redis_servers const& redis;           ///< the settings with which workers reach Redis
  std::string public_url{};             ///< set once, when the listener's port is known
  api::contract_documents documents{};  ///< made from `public_url`
  api::client_files client{};           ///< the same
  site::bundle_ptr embedded_pages{};    ///< set before the workers are made; null if they are not served
  api::monitor_rules const monitor_rules{config.to_monitor_rules()};
  /// Calls `worker::invalidate` on every worker of this instance; set before the workers start.
  std::function<void(std::vector<subject_epoch> const&)> invalidate{};
  /// Calls `worker::set_minimum_epoch` on every worker of this instance; set before the workers start.
  std::function<void(std::int64_t)> set_minimum_epoch{};
  output::run_event_hub* run_events =
      nullptr;                     ///< publishes events of runs in the instance; set before the workers are made
  feed::feed_hub* feed = nullptr;  ///< hears the changes of watched projects; set before the workers are made
  /// Announces committed changes of any thread to open pages. Thread-safe; set before the workers start.
  change_listener publish{};
  dispatch::claim_hub* dispatch =
      nullptr;  ///< publishes work for runners in the instance; set before the workers are made
  std::shared_ptr<http::contract const> internal_contract{};  ///< the runners' contract
  /// False while the database has not shown its schema. No statement is sent then.
  std::atomic<bool> schema_fits{false};
  /// False until the instance serves its API for the first time. Only pages are served before.
  std::atomic<bool> opened{false};
  std::atomic<bool> accepting{false};       ///< may take traffic: neither starting nor draining
  net::session_settings session{};          ///< for clients; the number of connections fits the
                                            ///< limit of open files
  output::stream_slots* streams = nullptr;  ///< the instance's; set before the workers are made
  /// The holders of connections of either kind, over all workers.
  std::shared_ptr<shared_counts> connections = std::make_shared<shared_counts>(),
                                 internal_connections = std::make_shared<shared_counts>();
  /// The start of the last relay pass that delivered everything to Redis, by the steady clock.
  std::atomic<steady::rep> relayed{steady::time_point::min().time_since_epoch().count()};
  background_loops loops{counters};  ///< of all threads; complete when the threads have started
  account_book accounts{counters};   ///< of the resources that tenants share; complete before the control thread runs
  account& database =
      accounts.open(postgres::terms_of_connections(config.to_postgres_settings(), config.worker_count()));
  scheduler::check_accounts check_accounts{accounts, static_cast<std::size_t>(config.checks.workers),
                                           static_cast<std::size_t>(config.checks.in_flight)};
  notifications::notification_accounts notification_accounts{accounts};
  account& request_bytes = accounts.open(http::terms_of(config.http.bodies));
  account& streams_open = accounts.open(output::terms_of(config.http.streams));
  account& outside_waits = accounts.open(
      api::outside_waits::terms(config.http.outside_waits, static_cast<std::size_t>(config.worker_count())));
  account& output_texts = accounts.open(output::archive_terms(config.output.limits));
  account& password_hashes = accounts.open(sign_in::password_hasher::memory_terms(config.passwords.hashing));
  account& responses = accounts.open(api::response_terms(config.http.responses));
  account& page_bytes =
      accounts.open(public_pages::memory_terms(config.pages.memory, static_cast<std::size_t>(config.worker_count())));
  account& page_time = accounts.open(public_pages::time_terms(static_cast<std::size_t>(config.worker_count())));
  public_pages::rebuild_slots page_rebuilds{};  ///< of status pages that are built from the database
  text_exchange script_texts{};                 ///< of tests with large scripts whose responses are being sent
  checks::check_state checks{config.checks.workers};
  instance_identity self{};  ///< set before the workers start
  /// The value of `access::instance_count::divisor`, written by one worker.
  std::atomic<int> sharing{config.instances};
  scheduler::check_workers* check_workers = nullptr;        ///< set before the workers are made
  notifications::provider_tests* provider_tests = nullptr;  ///< the same
  notifications::recovery_queue* recoveries = nullptr;      ///< the same; any worker may call it
  store::subscription_queue* subscriptions = nullptr;       ///< the same; any worker may call it
  /// The hasher of passwords. Null if nobody signs in with a password. Worker-independent: any worker may call it.
  sign_in::password_hasher* passwords = nullptr;
  sign_in::oidc_client* identity_providers = nullptr;  ///< set before the workers are made; any worker may call it
  /// Starts a heartbeat at once. Thread-safe; set before the workers start.
  std::function<void()> count_instances{};
  /// Receives the view of the last heartbeat. Thread-safe; set before the workers start.
  std::function<void(instance_view)> show_instances{};
  /// Receives the result of `master_key_check`. Thread-safe; set before the workers start.
  std::function<void(std::string)> show_master_key{};
};

}  // namespace svc::app
