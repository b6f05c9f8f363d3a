#pragma once

#include "monitoring/scheduler/check_schedule.hpp"
#include "monitoring/scheduler/result_buffer.hpp"
#include "svc/core/async.hpp"
#include "svc/core/async_semaphore.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/metrics.hpp"
#include "svc/core/uuid.hpp"
#include "svc/store/monitors/check_store.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace svc::scheduler {

/// The deadlines of a scheduler's statements: five seconds each, and no later than the end of the scheduler, once
/// that end is known. Worker-local.
class statement_deadlines {
 public:
  deadline next() const;
  void end_by(deadline end) { end_ = end; }
  bool ended() const { return end_ && end_->passed(); }

 private:
  std::optional<deadline> end_{};
};

/// Stores the results of a scheduler's checks. A result that changes no verdict is only counted, together with up to
/// 500 others in one statement. The flusher decides on every other result, 50 in one transaction. While the database
/// is away results wait in a `result_buffer`, and the results of a failed statement are given again. A result that
/// the database refuses costs no other result: the flusher stores its batch one by one, and drops that result.
/// Worker-local; its parts outlive it.
class result_flusher {
 public:
  struct parts {
    store::check_store& checks;
    check_schedule& monitors;  ///< their state decides which results are only counted
    statement_deadlines const& deadlines;
    histogram flush{};  ///< seconds of each flush that stored anything
    /// Called for a requested check whose result did not count: the request needs another check.
    std::function<void(uuid const& request)> unanswered{};
  };
  explicit result_flusher(parts dependencies) : deps_(std::move(dependencies)) {}
  result_flusher(result_flusher const&) = delete;
  result_flusher& operator=(result_flusher const&) = delete;

  /// Keeps a result until a flush stores it, or until it is given up (`result_buffer`).
  void add(store::arrived_result found) { found_.put(std::move(found), steady::now()); }
  /// Stores the results that wait now. Waits for another flush first. Throws `unavailable` if the database is away,
  /// or if the other flush does not end in time; the results then wait for the next flush.
  task<> flush();
  /// Decides on monitors whose time has come without a result. Does nothing while results wait longer than a second:
  /// their monitors are not silent. Throws `unavailable`.
  task<> look();

  bool empty() const { return found_.empty(); }
  struct statistics {
    std::uint64_t counted = 0, refused = 0, flushes = 0;
    std::uint64_t dropped = 0;   ///< refused by the database itself
    std::uint64_t given_up = 0;  ///< too old, or too many
    std::size_t waiting = 0;
  };
  statistics stats() const;

 private:
  /// Throws `unavailable` if it is unknown whether the results counted.
  task<> store_batch(std::vector<store::arrived_result> const& batch);
  /// Adds the results that do not count to `decisions`.
  task<> count(std::vector<store::counted_result> results, std::vector<store::arrived_result>& decisions);
  task<> decide_each(std::vector<store::arrived_result> results);
  task<> decide(std::vector<store::arrived_result> results);
  /// Makes the next result of each monitor need a decision.
  void remove_results(std::vector<store::arrived_result> const& results);
  bool waits_long() const;

  parts deps_;
  result_buffer found_{};
  async_semaphore flushes_{1};
  statistics seen_{};
};

}  // namespace svc::scheduler
