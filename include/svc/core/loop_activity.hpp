#pragma once

#include "svc/core/account.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace svc {

/// The present and past work of one thread's event loop, for other threads to see, and the tenant that each turn
/// works for. While `run_turns` runs the thread's loop, this object is the thread's current activity. The thread's
/// owner owns it, and it outlives the thread.
class loop_activity {
 public:
  using nanoseconds = std::chrono::nanoseconds;
  /// Takes the processor time that a turn has spent for an owner. Called on the loop's thread.
  using charge = std::function<void(account_owner const& owner, nanoseconds spent, steady::time_point now)>;

  /// `name` is the thread's name as the system shows it.
  explicit loop_activity(std::string name) : name_(std::move(name)) {}
  loop_activity(loop_activity const&) = delete;
  loop_activity& operator=(loop_activity const&) = delete;

  /// Sets the function. Call it before the thread runs.
  void charge_to(charge charge) { charge_ = std::move(charge); }
  std::string const& name() const { return name_; }

  /// A turn that exceeded the time allowed for a turn.
  struct long_turn {
    std::chrono::milliseconds lasted{0};  ///< zero: there was none
    uuid project{};
  };

  // Any thread.
  std::uint64_t turns_ended() const { return turns_ended_.load(std::memory_order_relaxed); }
  /// Exceptions that no handler caught.
  std::uint64_t failures() const { return failures_.load(std::memory_order_relaxed); }
  /// Returns the project that the current turn works for; nil if it works for none. While a turn ends, the id
  /// may mix the halves of two projects; during a long turn it does not.
  uuid project() const { return project_.load(); }
  nanoseconds longest() const { return nanoseconds(longest_.load(std::memory_order_relaxed)); }
  /// Returns the last long turn that ended since the previous call.
  long_turn take_long_turn();

  // The loop's thread.
  void work_for(account_owner const& owner, steady::time_point now);
  account_owner const& owner() const { return owner_; }
  /// Records the end of a turn with this cost.
  void end_turn(steady::time_point now, nanoseconds cost);
  /// Counts and logs an exception that a handler let out. Call it inside a `catch` block.
  void note_failure();

 private:
  /// An id that one thread writes and others read, in halves.
  class shared_id {
   public:
    void store(uuid const& id);
    uuid load() const;

   private:
    std::atomic<std::uint64_t> halves_[2] = {0, 0};
  };

  std::string const name_;
  charge charge_{};
  account_owner owner_{};       ///< of the current turn
  steady::time_point since_{};  ///< when work for it started
  bool owned_ = false;
  shared_id project_{}, long_project_{};
  std::atomic<std::uint64_t> turns_ended_ = 0, failures_ = 0;
  std::atomic<std::int64_t> longest_ = 0, long_turn_ms_ = 0;
};

/// Records that this thread works for `owner` from now until the end of the turn or the next call. A thread
/// whose loop has no activity ignores it. Costs one reading of the clock.
void work_for(account_owner const& owner);
/// Returns the owner that this thread works for now. A coroutine that continues in a later turn keeps the
/// owner and calls `work_for` again.
account_owner working_for();

/// Makes an activity the calling thread's own for the object's lifetime.
class activity_of_thread {
 public:
  explicit activity_of_thread(loop_activity& own);
  activity_of_thread(activity_of_thread const&) = delete;
  activity_of_thread& operator=(activity_of_thread const&) = delete;
  ~activity_of_thread();
};

}  // namespace svc
