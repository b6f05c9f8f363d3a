#pragma once

#include "app/configuration/configuration.hpp"
#include "app/process/redis_servers.hpp"
#include "svc/access/epoch_publisher.hpp"
#include "svc/access/instance_list.hpp"
#include "svc/core/async.hpp"
#include "svc/core/metrics.hpp"
#include "svc/live/feed/publisher.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/redis/client.hpp"
#include "svc/store/accounts/organization_store.hpp"
#include "svc/store/accounts/session_store.hpp"
#include "svc/store/accounts/sign_in_store.hpp"
#include "svc/store/directory/audit_store.hpp"
#include "svc/store/directory/directory_list.hpp"
#include "svc/store/directory/directory_store.hpp"
#include "svc/store/directory/instance_store.hpp"
#include "svc/store/directory/partition_store.hpp"
#include "svc/store/jobs/job_store.hpp"
#include "svc/store/pages/page_maintenance_store.hpp"
#include "svc/store/runners/runner_token_store.hpp"
#include "svc/store/runs/queue_store.hpp"
#include "svc/store/tokens/outbox_store.hpp"
#include "svc/store/tokens/token_store.hpp"

#include <boost/json.hpp>

#include <memory>
#include <string>
#include <vector>

namespace svc::app::admin {

using answer = result<boost::json::value>;

/// The connections and repositories of one command, for one thread. Changes follow the same protocol as changes by
/// the API: commit, then advance the epochs in Redis, then announce the change to open pages, then report.
class session {
 public:
  explicit session(configuration const& config);
  ~session();
  session(session const&) = delete;

  /// Runs the io_context until the task has ended, and rethrows the task's exception. When the database is
  /// unavailable, adds the duration of the attempts to the message. When the database refuses a statement because it
  /// lacks migrations or rights, throws `database_error` with advice.
  answer run_blocking(task<answer> content);

  /// Advances the epochs in Redis before the change is reported. Warns when Redis does not accept them.
  task<> publish(std::vector<subject_epoch> touched);
  task<> announce(std::vector<sha256_digest> created);
  /// Returns the instances that Redis knows, or `std::nullopt` with a warning when it does not answer.
  task<std::optional<std::vector<instance_identity>>> instances_in_redis();

  /// The deadline of a statement, including the wait for its connection.
  static constexpr std::chrono::seconds longest_wait{10};
  static deadline patience() { return deadline::after(longest_wait); }

  asio::io_context io{1};
  postgres::pool db;
  redis_servers servers;
  redis::client redis;
  redis::client output_redis;  ///< started only for announcements
  metrics counters{};
  store::outbox_store outbox{db};
  access::epoch_publisher changes;
  store::directory_store directory{db};
  store::directory_list listing{db};
  store::token_store tokens{db};
  store::runner_token_store runners{db};
  store::audit_store audit{db};
  store::session_store sessions;
  store::sign_in_store sign_ins{db};
  store::organization_store organizations{db};
  store::partition_store partitions{db};
  store::page_admin_store status_pages{db};
  store::queue_store queue{db};
  store::schedule_store schedules{db};
  store::instance_store instances{db};
  access::instance_list listed{redis};
  feed::publisher pages;  ///< sends what it has collected, and what `actor` has changed, once the command is over
  audit_actor const actor{.audited = std::make_shared<std::vector<changed_thing>>()};  ///< the operator
  std::string const master_key_file;
  std::string const public_url;              ///< empty: links are shown without their host
  std::vector<std::string> const providers;  ///< ids of the configured identity providers

 private:
  task<answer> announced(task<answer> content);

  secret_string const database_url_;
};

}  // namespace svc::app::admin
