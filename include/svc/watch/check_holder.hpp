#pragma once

#include "svc/checks/result.hpp"
#include "svc/core/async.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/database_clock.hpp"
#include "svc/core/uuid.hpp"
#include "svc/store/check_store.hpp"
#include "svc/store/shard_store.hpp"
#include "svc/watch/agenda.hpp"
#include "svc/watch/result_buffer.hpp"

#include <boost/asio/cancellation_signal.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>

namespace svc::watch {

/// What to check, as plain values.
struct check_order {
  uuid monitor{}, project{};
  std::string type{}, target{};
  std::string config{};  ///< JSON
  std::chrono::seconds interval{300};
};

struct performed_check {
  checks::result_of_check result{};
  std::uint32_t attempts = 1;
};

/// Checks, with all retries. May be cancelled at any of its awaits (asio's cancellation, `terminal`): then nobody
/// wants its result. What it throws is a result that says nothing, `internal`.
using performer = std::function<task<performed_check>(check_order)>;

/// Checks the monitors of the shards that it holds, when they are due, and brings what it finds into the database.
/// Belongs to one worker and uses a pool of its own; what it is made of outlives it. While the database is away it
/// goes on checking; what it finds waits in a `result_buffer`.
class check_holder {
 public:
  struct parts {
    asio::io_context& io;
    postgres::pool& db;
    performer perform;
    loop_starter loops;
    std::size_t in_flight = 2000;
    uuid location = store::own_location;
  };
  explicit check_holder(parts of);
  check_holder(check_holder const&) = delete;
  check_holder& operator=(check_holder const&) = delete;

  /// Call before the thread runs.
  void start();
  /// Starts no more checks, brings in what was found, and gives its shards back. Takes at most two seconds.
  task<> stop();

  struct statistics {
    std::uint64_t started = 0, counted = 0, refused = 0, given_up = 0, flushes = 0;
    std::size_t shards = 0, monitors = 0, running = 0, waiting = 0;
    milliseconds overdue{0};
    std::uint64_t missed[missed_count] = {};
  };
  statistics stats() const;

  // The steps that `start` repeats; each throws `unavailable` when the database is away.
  task<> hold_shards();
  task<> take_news();
  task<> flush();
  task<> look();
  task<> begin_due();

 private:
  using signal_ptr = std::shared_ptr<asio::cancellation_signal>;

  std::int64_t now_ms() const;
  task<> take_over(std::vector<std::int64_t> shards);
  task<> give_back(std::vector<std::int64_t> shards);
  void drop(std::int64_t shard);
  void begin(due_check const& due);
  task<> run(check_order what, std::int64_t check_version, std::int64_t slot, signal_ptr mine);
  void ends(check_order const& what, std::int64_t check_version, std::int64_t slot, std::int64_t began,
            performed_check found);
  void cancel(uuid monitor);
  /// Counts these, or says that it is not known whether they counted by what it throws.
  task<> bring_in(std::vector<store::arrived_result> const& all);
  task<> decide(std::vector<store::arrived_result> all);
  void forget_votes(std::vector<store::arrived_result> const& of);

  parts of_;
  uuid id_ = uuid::generate_v7();
  store::shard_store shards_;
  store::check_store checks_;
  agenda agenda_;
  result_buffer found_{};
  database_clock clock_{};
  std::set<std::int64_t> held_{};
  std::unordered_map<uuid, signal_ptr, uuid_hash> running_{};
  bool stopping_ = false, flushing_ = false;
  steady::duration patience_ = std::chrono::seconds(5);  ///< for a statement
  statistics seen_{};
};

}  // namespace svc::watch
