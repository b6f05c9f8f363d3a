#pragma once

#include "svc/core/deadline.hpp"
#include "svc/core/loop_activity.hpp"
#include "svc/core/uuid.hpp"
#include "svc/core/work_scheduler.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace svc {

/// The thread of an event loop, as the watch for stalls sees it. The thread's owner outlives the watch.
struct watched_thread {
  loop_activity* activity = nullptr;
  std::string_view resource{};       ///< a constant: the resource that an endless turn keeps from others
  std::function<bool()> finished{};  ///< any thread
  std::function<void()> ask_turn{};  ///< any thread; gives the loop an empty turn
  int index = 0;                     ///< among threads of its kind
  /// True for a worker that serves requests. While it is stuck, the service manager gets no sign of life.
  bool vital = false;
};

/// An attempt that occupies a thread after its deadline.
struct overdue_attempt {
  milliseconds lasted{0};  ///< time since its deadline; zero: no attempt is overdue
  uuid project{};          ///< project of the attempt; nil if it has none
};

/// Threads that wait for the network in a library, so that only an attempt that outlives its deadline shows a stall.
struct watched_attempts {
  std::string_view name{}, resource{};
  /// Returns the attempt that is most overdue. Any thread.
  std::function<overdue_attempt(steady::time_point now)> overdue{};
};

/// Describes the second thread of a scheduler.
inline watched_thread watched_thread_of(work_scheduler& scheduler, std::string_view resource, int index = 0) {
  return {.activity = &scheduler.away_activity(),
          .resource = resource,
          .finished = [&scheduler] { return scheduler.away_finished(); },
          .ask_turn = [&scheduler] { scheduler.ask_away_turn(); },
          .index = index};
}

}  // namespace svc
