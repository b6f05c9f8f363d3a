#pragma once

#include "app/maintenance/change_maintenance.hpp"
#include "app/maintenance/heartbeat_maintenance.hpp"
#include "app/maintenance/instance_maintenance.hpp"
#include "app/maintenance/master_key_check.hpp"
#include "app/maintenance/output_maintenance.hpp"
#include "app/maintenance/queue_probe.hpp"
#include "app/maintenance/run_maintenance.hpp"
#include "app/process/startup_wait.hpp"
#include "app/shared.hpp"
#include "svc/access/admission.hpp"
#include "svc/access/authenticator.hpp"
#include "svc/access/epoch_publisher.hpp"
#include "svc/access/fallback.hpp"
#include "svc/access/use_recorder.hpp"
#include "svc/api/pipeline.hpp"
#include "svc/api/services.hpp"
#include "svc/api/sign_in_services.hpp"
#include "svc/core/shared_texts.hpp"
#include "svc/core/turns.hpp"
#include "svc/core/watched_thread.hpp"
#include "svc/dispatch/dispatcher.hpp"
#include "svc/monitoring/scheduler/check_answers.hpp"
#include "svc/net/tls_context.hpp"
#include "svc/net/worker_connections.hpp"
#include "svc/output/archive.hpp"
#include "svc/output/output_budget.hpp"
#include "svc/output/output_writer.hpp"
#include "svc/output/run_streams.hpp"
#include "svc/output/run_watch.hpp"
#include "svc/output/subscriptions.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/redis/client.hpp"
#include "svc/runner_api/runner_api.hpp"
#include "svc/store/repositories.hpp"
#include "svc/store/tokens/auth_reader.hpp"

#include <atomic>
#include <functional>
#include <thread>

namespace svc::app {

struct worker_gauges;

/// One thread with everything it needs to serve; it shares nothing that changes. Owned by the application.
/// Each member uses those above it.
class worker {
 public:
  worker(shared_parts& shared, net::tls_context tls, int index);
  worker(worker const&) = delete;
  worker& operator=(worker const&) = delete;
  ~worker();

  /// Starts the thread and connects to both stores.
  void start();
  /// Any thread. Whether the store was connected when last checked.
  bool redis_up() const { return redis_up_; }
  bool postgres_up() const { return postgres_up_; }
  bool redis_trusted() const { return change_maintenance_.redis_trusted(); }
  /// Thread-safe. The error that Redis answers instead of decisions; empty if there is none.
  std::string redis_refusal() const { return change_maintenance_.redis_refusal(); }
  /// Thread-safe. What this worker still needs before it can serve: a connection to PostgreSQL, and one check whether
  /// Redis can be trusted.
  missing_stores missing() const {
    return {.redis = !change_maintenance_.redis_evaluated(),
            .postgres = !postgres_up_,
            .redis_fault = change_maintenance_.redis_fault()};
  }
  /// Any thread. The state of live output.
  output::output_state output() const { return output_maintenance_.state(); }
  /// The connections that listeners of that kind feed.
  net::worker_connections& connections(listener_kind kind);
  /// Any thread. Connections of both kinds.
  std::size_t load() const { return connections_.load() + internal_connections_.load(); }
  /// Any thread. For new connections of both kinds.
  void replace_tls(net::tls_context tls);
  /// Any thread. For requests that arrive from now on; calls `taken` on the worker's thread once they hold.
  void take(limit_table limits, http::forwarding forwarding, std::function<void()> taken);
  /// Any thread. Where the primary is: `postgres::pool::follow`.
  void follow(postgres::primary_server where);
  access::fallback& fallback() { return fallback_; }
  /// Any thread. The schema is there and the stores are connected: this worker says that the instance is there.
  void enroll();
  /// Any thread. It has said so once, as far as the stores answered. Without Redis, where others divide limits by
  /// those that they know: and they have had the time to count it.
  bool enrolled() const { return instances_.enrolled() && (redis_trusted() || instances_.counted()); }
  /// Any thread. Counts the instances now.
  void count_instances();
  /// Any thread. Drops cached records older than these epochs, and makes streams check again whether their token
  /// still allows them.
  void invalidate(std::vector<subject_epoch> touched);
  /// Any thread. Records below this epoch are not believed any more.
  void set_minimum_epoch(std::int64_t lowest_epoch);
  /// Any thread. Only the second half of `forget`: each admission checks its record anyway, and searching all of them
  /// for each change of the whole fleet would cost too much.
  void revalidate(std::vector<subject_epoch> bumped);

  /// Any thread. Answers say `Connection: close` from now on; nothing else changes yet.
  void announce_drain();
  /// Any thread. Lets what runs finish, at most until the deadline. The thread goes on until `stop`.
  void drain(deadline until);
  /// Any thread. True when this worker serves no request any more.
  bool drained() const { return drained_; }
  /// Any thread. Closes the connections to the stores and ends the thread. Call it only when all workers have
  /// drained, because a request of another worker may need this one: a window of `fallback` has one owner.
  void stop();
  /// Any thread. True when nothing of this worker runs any more.
  bool finished() const { return finished_; }
  void join();

  /// As long as this exists.
  watched_thread watched();

 private:
  task<> show_state();
  task<> record_uses();
  task<> discard_keys();     ///< idempotency keys that have expired
  task<> sweep_accounts();   ///< sessions, links, invitations and mails that have been over for long enough
  task<> keep_partitions();  ///< of all tables that have partitions by time
  task<> finish(deadline until);
  task<> finish_connections(deadline until);
  void run();
  timestamp database_now() const;  ///< as far as it is known; otherwise our own clock's
  std::vector<redis::script const*> all_scripts() const;
  postgres::settings database(shared_parts const& shared);

  std::atomic<bool> redis_up_{false};
  std::atomic<bool> postgres_up_{false};
  std::atomic<bool> drained_{false};
  std::atomic<bool> finished_{false};
  bool stopping_ = false;  ///< it closes its connections to the stores
  turn_meter turns_;       ///< restarted when the thread starts
  loop_activity activity_;
  int index_;
  shared_parts const& shared_;
  http::body_budget bodies_;    ///< of both APIs; outlives what waits in `io_`
  asio::io_context io_{1};      ///< only this worker's thread runs it
  queue_probe queue_;           ///< how long requests wait for their turn
  loop_starter loops_;          ///< its background work
  redis::client redis_;         ///< windows, epochs, records
  redis::client output_redis_;  ///< for output, so that it never delays a decision
  postgres::pool db_;           ///< the authoritative store
  master_keys master_;          ///< its own copy: it reads the file again when a key is missing
  store::repositories stores_;
  std::chrono::days run_partition_width_;  ///< of those that it adds
  store::postgres_auth_reader auth_reader_;
  access::authenticator authenticator_;
  access::admission admission_;
  access::fallback fallback_;  ///< windows of this instance while Redis is lost
  store::epoch_advancer advancer_;
  change_maintenance change_maintenance_;  ///< trust in Redis, and what it must still learn
  instance_maintenance instances_;         ///< runs on one worker for the whole instance
  access::use_recorder uses_;
  access::epoch_publisher changes_;  ///< tells Redis of committed changes before they are answered
  output::output_budget output_budget_;
  output::output_writer writer_;         ///< what runs print
  output::subscriptions subscriptions_;  ///< which runs are followed on this worker
  output::run_watch watch_;
  output::archive archive_;
  output::run_streams streams_;
  output_maintenance output_maintenance_;
  dispatch::dispatcher dispatch_;     ///< claims and heartbeats that wait here
  run_maintenance maintenance_;       ///< runs on one worker for the whole instance
  heartbeat_maintenance heartbeats_;  ///< likewise
  master_key_check key_check_;        ///< likewise
  api::health health_;
  limit_table limits_;  ///< its own, since they may change
  api::outside_waits outside_;
  scheduler::check_answers answers_;
  shared_texts scripts_;
  api::sign_in_services sign_in_;
  api::services services_;
  runner_api::services internal_services_;
  std::unique_ptr<http::service> pipeline_;
  std::unique_ptr<http::service> internal_;
  net::worker_connections connections_;           ///< last: its sessions use all of the above
  net::worker_connections internal_connections_;  ///< of listeners that serve the runners' contract
  std::unique_ptr<worker_gauges> gauges_;
  std::thread thread_;
};

}  // namespace svc::app
