#pragma once

#include "svc/core/account_window.hpp"
#include "svc/core/async.hpp"
#include "svc/core/loop_activity.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>

namespace svc {

/// Shares the processor time of one event loop among projects, and keeps long work out of its turns.
///
/// The time of each turn is charged to the project that it works for. A project that has spent more than its
/// share of the last two seconds waits in a line before its next piece of work. In each turn the line
/// releases one piece, that of the project which has spent the least. All other ready handlers run in
/// between, so one piece at most delays them. A project without competitors has the whole thread.
///
/// Work whose cost a tenant chooses goes to a second thread (`away`), one piece at a time in the same order.
///
/// Worker-local except for `away_finished` and `ask_away_turn`; the account, the loop and its activity
/// outlive it. Destroyed on the loop's thread, or after the loop has ended.
class work_scheduler {
 public:
  using nanoseconds = std::chrono::nanoseconds;
  static constexpr std::chrono::seconds window{2};
  /// A project's part of a thread while others want it: one quarter.
  static constexpr std::size_t share_divisor = 4;
  /// Terms of the account that `threads` schedulers share.
  static account_terms terms(std::string_view name, std::size_t threads);

  /// `name` is the second thread's name.
  work_scheduler(asio::io_context& io, account& time, std::string name);
  work_scheduler(work_scheduler const&) = delete;
  work_scheduler& operator=(work_scheduler const&) = delete;
  ~work_scheduler();

  /// Charges the loop's turns from now on. Call before the loop runs.
  void observe(loop_activity& loop);
  void spend(account_owner const& owner, nanoseconds spent, steady::time_point now);

  /// Returns true if the project has spent its share, so that its next piece of work goes through the line.
  /// Counts this as a refusal if others want the thread.
  bool must_wait(account_owner const& owner);
  /// Returns true if the project has spent its share and others have spent something, too, so that no new
  /// work should start.
  bool is_over(uuid const& project);
  /// Calls `run` in a later turn, when the line releases it. Calls `work_for` before it.
  void later(account_owner const& owner, std::function<void()> run);
  /// Returns at once if the project is within its share, otherwise when the line releases it. Ignores
  /// cancellation.
  task<> turn(account_owner owner);
  /// Runs `job` on the second thread and returns when it has ended; throws what it throws. The job may use what the
  /// awaiting coroutine holds, so cancellation is ignored. The thread starts with the first job.
  task<> away(account_owner owner, std::function<void()> job);

  /// Runs no further job of `away`; waiting jobs end with `unavailable`.
  void stop() { stopped_ = true; }

  /// Returns the activity of the second thread's loop, for the stall watch.
  loop_activity& away_activity() { return away_activity_; }
  /// Any thread.
  bool away_finished() const { return !away_runs_; }
  void ask_away_turn();

 private:
  /// Pieces of work by project. The project that has spent the least goes first.
  class line {
   public:
    bool empty() const { return waiting_.empty(); }
    bool others_than(uuid const& project) const;
    void push(account_owner const& owner, std::function<void()> run);
    std::function<void()> take(account_window const& spent);

   private:
    struct pieces {
      account_owner owner;
      std::deque<std::function<void()>> all{};
    };
    std::unordered_map<uuid, pieces, uuid_hash> waiting_{};
  };

  void pump();
  void next_away();
  void run_away();

  asio::io_context& io_;
  account& time_;
  account_terms const share_;  ///< of one thread
  account_window spent_;
  line here_{}, there_{};
  bool pumping_ = false, away_busy_ = false;
  loop_activity away_activity_;
  asio::io_context away_io_{1};
  std::atomic<bool> away_runs_{false}, stopped_{false};
  std::thread away_thread_{};
};

}  // namespace svc
