#pragma once

#include "monitoring/scheduler/check_schedule.hpp"
#include "monitoring/scheduler/result_flusher.hpp"
#include "svc/core/async.hpp"
#include "svc/core/async_semaphore.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/database_clock.hpp"
#include "svc/core/metrics.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/audit.hpp"
#include "svc/monitoring/checks/check_function.hpp"
#include "svc/store/monitors/check_requests.hpp"
#include "svc/store/monitors/check_store.hpp"
#include "svc/store/monitors/shard_store.hpp"

#include <boost/asio/cancellation_signal.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>

namespace svc::scheduler {

/// Checks the monitors of the shards that it holds when they are due, and stores the results in the database. Belongs
/// to one worker and uses a pool of its own. Its parts outlive it. While the database is away it continues to check;
/// results wait in its `result_flusher`.
class check_scheduler {
 public:
  /// Observations of its own times; by default nobody observes them.
  struct times {
    histogram lag{};    ///< from the due time of a check to its start
    histogram flush{};  ///< time of a flush of the waiting results
  };
  struct parts {
    asio::io_context& io;
    postgres::pool& db;
    check_function run_check;
    loop_starter loops;
    std::size_t in_flight = 2000;
    uuid location = store::own_location;
    times observed{};
    /// Time for which the scheduler checks before it decides on monitors without a result. Until then its own start
    /// may have caused the silence.
    steady::duration settling = std::chrono::seconds(20);
    /// Called when this scheduler drops a monitor: somebody deleted, paused or archived the monitor, or another
    /// scheduler gets its shard.
    std::function<void(uuid const&)> on_drop{};
    std::function<bool(uuid const& project)> may_start{};  ///< as in `check_limits`
    account* book = nullptr;                               ///< with the terms of `in_flight_terms`; null for none
    change_listener decided{};                             ///< as in `check_store::when_decided`
    store::suppression_listener suppressed{};              ///< as in `check_store::when_suppressed`
  };
  explicit check_scheduler(parts parts);
  /// Returns the terms of the account of the checks in progress that `schedulers` share, each with `in_flight`
  /// checks.
  static account_terms in_flight_terms(std::size_t in_flight, std::size_t schedulers);
  /// Returns the same for connections to targets. A check in progress has one connection.
  static account_terms connection_terms(std::size_t in_flight, std::size_t schedulers);
  check_scheduler(check_scheduler const&) = delete;
  check_scheduler& operator=(check_scheduler const&) = delete;

  /// Requires that the thread does not run yet.
  void start();
  /// Starts no more checks, stores the results, gives the shards back also if that fails, and waits for the checks
  /// that it gave up. Returns by the deadline, and reports which steps it completed. Throws nothing.
  struct ending {
    bool brought_in = false, released = false;
    bool all_ended = false;  ///< false: remaining checks still use the parts of this scheduler
  };
  task<ending> stop(deadline until);

  struct statistics {
    std::uint64_t started = 0, counted = 0, refused = 0, given_up = 0, flushes = 0;
    std::uint64_t dropped = 0;  ///< results that the database refuses
    std::size_t shards = 0, monitors = 0, running = 0, waiting = 0;
    milliseconds overdue{0};
    std::uint64_t missed[missed_count] = {};
  };
  statistics stats() const;

  // The steps that `start` repeats. Each throws `unavailable` if the database is away.
  task<> hold_shards();
  task<> take_news();
  task<> flush() { return flusher_.flush(); }
  task<> look();
  task<> begin_due();
  task<> begin_requested();

 private:
  using signal_ptr = std::shared_ptr<asio::cancellation_signal>;

  std::int64_t now_ms() const;
  deadline patience() const { return deadlines_.next(); }  ///< deadline of a statement
  task<> take_over(std::vector<std::int64_t> shards);
  task<> take_in(std::vector<uuid> changed);
  /// Reads the maintenance of monitors whose known occurrences will not last for another check.
  task<> take_maintenance();
  task<> give_back(std::vector<std::int64_t> shards);
  void drop(std::int64_t shard);
  /// The reason of a check that starts now: its slot, or a request.
  struct occasion {
    due_check due{};
    std::optional<store::check_request> request{};
  };
  void begin(occasion occasion);
  task<> run(check_order order, occasion occasion, signal_ptr mine);
  void cancel(uuid monitor);
  /// True once the scheduler has checked long enough that its own start cannot cause the silence.
  bool has_settled() const;

  parts parts_;
  uuid id_ = uuid::generate_v7();
  store::shard_store shards_;
  store::check_store checks_;
  store::check_requests requests_;
  check_schedule schedule_;
  statement_deadlines deadlines_{};
  result_flusher flusher_;
  database_clock clock_{};
  std::set<std::int64_t> held_{};
  std::unordered_map<uuid, signal_ptr, uuid_hash> running_{};
  std::set<uuid> outdated_{};   ///< monitors whose maintenance must be read again
  std::set<uuid> answering_{};  ///< requests whose checks have started
  /// Each check holds it until its coroutine has ended, also after the scheduler gave the check up.
  std::shared_ptr<void const> under_way_ = std::make_shared<char>();
  bool stopping_ = false;
  async_semaphore holds_{1};
  std::optional<steady::time_point> watches_since_{};
  statistics seen_{};
};

}  // namespace svc::scheduler
