#pragma once

#include "svc/checks/result.hpp"
#include "svc/core/async.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/database_clock.hpp"
#include "svc/core/turnstile.hpp"
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
#include <optional>
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
    /// How long it has checked before it decides on monitors without a result: until then silence may be its start's.
    steady::duration settling = std::chrono::seconds(20);
  };
  explicit check_holder(parts of);
  check_holder(check_holder const&) = delete;
  check_holder& operator=(check_holder const&) = delete;

  /// Call before the thread runs.
  void start();
  /// Starts no more checks, brings in what was found, and gives its shards back, which takes at most two seconds,
  /// also when the results do not get in (throws `unavailable`); then waits until the checks that it gave up have
  /// ended.
  task<> stop();

  struct statistics {
    std::uint64_t started = 0, counted = 0, refused = 0, given_up = 0, flushes = 0;
    std::uint64_t dropped = 0;  ///< the database refuses them
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
  task<> take_in(std::vector<uuid> changed);
  task<> give_back(std::vector<std::int64_t> shards);
  void drop(std::int64_t shard);
  void begin(due_check const& due);
  task<> run(check_order what, std::int64_t check_version, std::int64_t slot, signal_ptr mine);
  void ends(check_order const& what, std::int64_t check_version, std::int64_t slot, std::int64_t began,
            performed_check found);
  void cancel(uuid monitor);
  /// Whether what is not in the database was not found: this holder has checked for a while, and nothing waits.
  bool knows_what_was_found() const;
  /// Counts these, or says that it is not known whether they counted by throwing `unavailable`. One that the database
  /// refuses costs no other.
  task<> bring_in(std::vector<store::arrived_result> const& all);
  /// What does not count needs a decision: it goes to `slow`.
  task<> count(std::vector<store::voted_result> fast, std::vector<store::arrived_result>& slow);
  task<> decide_each(std::vector<store::arrived_result> all);
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
  /// Held by each check until its coroutine has ended, also when it was given up.
  std::shared_ptr<void const> under_way_ = std::make_shared<char>();
  bool stopping_ = false;
  turnstile flushes_{1};
  std::optional<steady::time_point> watches_since_{};
  steady::duration patience_ = std::chrono::seconds(5);  ///< for a statement
  statistics seen_{};
};

}  // namespace svc::watch
