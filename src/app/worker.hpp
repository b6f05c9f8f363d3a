#pragma once

#include "app/maintenance/change_maintenance.hpp"
#include "app/maintenance/domain_maintenance.hpp"
#include "app/maintenance/heartbeat_maintenance.hpp"
#include "app/maintenance/instance_maintenance.hpp"
#include "app/maintenance/master_key_check.hpp"
#include "app/maintenance/output_maintenance.hpp"
#include "app/maintenance/page_maintenance.hpp"
#include "app/maintenance/queue_probe.hpp"
#include "app/maintenance/run_maintenance.hpp"
#include "app/maintenance/store_maintenance.hpp"
#include "app/maintenance/window_maintenance.hpp"
#include "app/process/page_serving.hpp"
#include "app/process/startup_wait.hpp"
#include "app/shared.hpp"
#include "svc/access/admission.hpp"
#include "svc/access/authenticator.hpp"
#include "svc/access/epoch_publisher.hpp"
#include "svc/access/fallback.hpp"
#include "svc/access/use_recorder.hpp"
#include "svc/access/window_reader.hpp"
#include "svc/api/limit_views.hpp"
#include "svc/api/pipeline.hpp"
#include "svc/api/project_views.hpp"
#include "svc/api/services.hpp"
#include "svc/api/sign_in_services.hpp"
#include "svc/core/shared_texts.hpp"
#include "svc/core/turns.hpp"
#include "svc/core/watched_thread.hpp"
#include "svc/http/site/pages.hpp"
#include "svc/live/dispatch/dispatcher.hpp"
#include "svc/live/feed/project_feeds.hpp"
#include "svc/live/feed/publisher.hpp"
#include "svc/live/output/archive.hpp"
#include "svc/live/output/output_budget.hpp"
#include "svc/live/output/output_writer.hpp"
#include "svc/live/output/run_streams.hpp"
#include "svc/live/output/run_watch.hpp"
#include "svc/live/output/subscriptions.hpp"
#include "svc/monitoring/scheduler/check_answers.hpp"
#include "svc/net/tls_context.hpp"
#include "svc/net/worker_connections.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/redis/client.hpp"
#include "svc/runner_api/runner_api.hpp"
#include "svc/store/repositories.hpp"
#include "svc/store/tokens/auth_reader.hpp"

#include <boost/asio/post.hpp>

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
  /// Thread-safe. True if the store was connected at the last check.
  bool redis_up() const { return redis_up_; }
  bool postgres_up() const { return postgres_up_; }
  bool redis_trusted() const { return change_maintenance_.redis_trusted(); }
  /// Thread-safe. The error that Redis answers instead of decisions; empty if there is none.
  std::string redis_refusal() const { return change_maintenance_.redis_refusal(); }
  /// Thread-safe. The needs of this worker before it can serve: a connection to PostgreSQL, and one check whether
  /// Redis can be trusted.
  missing_stores missing() const {
    return {.redis = !change_maintenance_.redis_evaluated(),
            .postgres = !postgres_up_,
            .redis_fault = change_maintenance_.redis_fault()};
  }
  /// Thread-safe. The state of live output.
  output::output_state output() const { return output_maintenance_.state(); }
  /// Returns the connections that listeners of that kind feed.
  net::worker_connections& connections(listener_kind kind);
  /// Thread-safe. Returns the number of connections of both kinds.
  std::size_t load() const { return connections_.load() + internal_connections_.load(); }
  /// Thread-safe. Applies to new connections of both kinds.
  void replace_tls(net::tls_context tls);
  /// Thread-safe. Applies to requests that arrive from now on; calls `taken` on the worker's thread once the
  /// values hold.
  void take(limit_table limits, http::forwarding forwarding, std::function<void()> taken);
  /// Thread-safe. Sets the address of the primary: `postgres::pool::follow`.
  void follow(postgres::primary_server where);
  access::fallback& fallback() { return fallback_; }
  /// Thread-safe. Makes this worker register the instance in both stores. Requires the schema and connected
  /// stores.
  void enroll();
  /// Thread-safe. True once this instance has registered itself in the stores that answer. Without Redis, the
  /// other instances must also have had time to count it, because they divide limits by the instances that
  /// they know.
  bool enrolled() const { return instances_.enrolled() && (redis_trusted() || instances_.counted()); }
  /// Thread-safe. Counts the instances now.
  void count_instances();
  /// Thread-safe. Drops cached records older than these epochs, and makes streams check again whether their
  /// token still allows them.
  void invalidate(std::vector<subject_epoch> touched);
  /// Thread-safe. Records below this epoch do not count any more.
  void set_minimum_epoch(std::int64_t lowest_epoch);
  /// Thread-safe. Does only the second half of `invalidate`. Each admission checks its record anyway, and a
  /// search for each change of all instances would cost too much.
  void revalidate(std::vector<subject_epoch> bumped);

  /// Thread-safe. Announces committed changes of other threads to open pages.
  void publish(std::vector<changed_thing> changes) {
    asio::post(io_, [this, changes = std::move(changes)] { feed_.note(changes); });
  }

  /// Thread-safe. Answers say `Connection: close` from now on; nothing else changes yet.
  void announce_drain();
  /// Thread-safe. Lets running requests finish, at most until the deadline. The thread continues until
  /// `stop`.
  void drain(deadline until);
  /// Thread-safe. True when this worker serves no request any more.
  bool drained() const { return drained_; }
  /// Thread-safe. Closes the connections to the stores and ends the thread. Call it only when all workers have
  /// drained, because a request of another worker may need this one: a window of `fallback` has one owner.
  void stop();
  /// Thread-safe. True when nothing of this worker runs any more.
  bool finished() const { return finished_; }
  void join();

  /// As long as this exists.
  watched_thread watched();

 private:
  task<> show_state();
  task<> record_uses();
  task<> finish(deadline until);
  task<> finish_connections(deadline until);
  void run();
  /// Returns the starter of work that ends once the instance accepts no more requests.
  loop_starter loops_of_service(shared_parts& shared);
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
  http::body_budget bodies_;    ///< of both APIs; outlives the work that waits in `io_`
  asio::io_context io_{1};      ///< only this worker's thread runs it
  queue_probe queue_;           ///< how long requests wait for their turn
  loop_starter loops_;          ///< its background work
  redis::client redis_;         ///< windows, epochs, records
  redis::client output_redis_;  ///< for output, so that it never delays a decision
  postgres::pool db_;           ///< the authoritative store
  master_keys master_;          ///< its own copy: it reads the file again when a key is missing
  store::repositories stores_;
  store::postgres_auth_reader auth_reader_;
  access::authenticator authenticator_;
  access::admission admission_;
  access::fallback fallback_;  ///< windows of this instance while Redis is lost
  store::epoch_advancer advancer_;
  change_maintenance change_maintenance_;  ///< trust in Redis, and changes that Redis still lacks
  instance_maintenance instances_;         ///< runs on one worker for the whole instance
  access::use_recorder uses_;
  access::epoch_publisher changes_;  ///< publishes committed changes to Redis before their answers
  output::output_budget output_budget_;
  output::output_writer writer_;         ///< the output of runs
  output::subscriptions subscriptions_;  ///< which runs are followed on this worker
  output::run_watch watch_;
  output::archive archive_;
  output::run_streams streams_;
  feed::publisher feed_;           ///< announces changes to open pages
  feed::project_feeds audiences_;  ///< the open pages of this worker
  output_maintenance output_maintenance_;
  dispatch::dispatcher dispatch_;          ///< claims and heartbeats that wait here
  run_maintenance maintenance_;            ///< runs on one worker for the whole instance
  heartbeat_maintenance heartbeats_;       ///< likewise
  store_maintenance store_maintenance_;    ///< likewise
  page_maintenance page_maintenance_;      ///< likewise
  window_maintenance window_maintenance_;  ///< likewise
  egress::resolver names_;                 ///< for the domains of status pages
  domain_maintenance domain_maintenance_;  ///< runs on one worker for the whole instance
  master_key_check key_check_;             ///< likewise
  api::health health_;
  limit_table limits_;  ///< its own, since they may change
  api::outside_waits outside_;
  scheduler::check_answers answers_;
  shared_texts scripts_;
  api::sign_in_services sign_in_;
  site::pages pages_;
  page_serving status_pages_;
  access::window_reader windows_;
  api::limit_views limit_views_;
  api::project_views views_;
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
