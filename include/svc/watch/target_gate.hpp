#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"

#include <chrono>
#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

namespace svc::watch {

/// Keeps checks from being a weapon: so many at a time to one target, an address and a port, and so many a minute of
/// each project. Projects that wait for the same target are let through in turn. Worker-local; callers that wait or
/// are through may outlive it.
class target_gate {
  struct target;

 public:
  struct limits {
    std::size_t at_a_time = 8;
    std::size_t per_minute = 600;  ///< of one project
    /// Of one project; for more there is no hope in time, and they would keep places from other checks.
    std::size_t most_waiting = 64;
    steady::duration minute = std::chrono::seconds(60);  ///< how long a connection counts
  };
  explicit target_gate(limits of) : limits_(std::make_shared<limits const>(of)) {}

  /// Held while a check goes on; empty for one that was not let through.
  class place {
   public:
    place() = default;
    place(std::shared_ptr<target> of, uuid project);
    place(place&&) noexcept = default;
    place& operator=(place&&) noexcept = default;
    explicit operator bool() const { return in_ != nullptr; }
    /// It connected so many times more than once.
    void count(std::size_t more);
    /// Lets others in until it comes back.
    void leave();
    /// After `leave`: waits for a place, before all who have not been let through and whatever it adds to the
    /// minute's number, which it does. False: there was none by the deadline, or it was cancelled.
    task<bool> come_back(deadline until);

   private:
    struct held;
    std::shared_ptr<held> in_{};
  };

  /// Waits until the deadline, which may have passed: then only one that need not wait goes through.
  task<place> enter(std::string where, uuid project, deadline until);

 private:
  struct waiting;

  void forget_idle(steady::time_point now);

  std::shared_ptr<limits const> limits_;
  std::unordered_map<std::string, std::shared_ptr<target>> targets_{};
  steady::time_point forgot_at_ = steady::now();
};

}  // namespace svc::watch
