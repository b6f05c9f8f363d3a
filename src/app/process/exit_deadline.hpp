#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"

#include <boost/asio/signal_set.hpp>

#include <thread>

namespace svc::app {

/// Ends the process when it has not ended by itself in time after SIGTERM or SIGINT, regardless of its other threads.
/// A busy thread cannot be joined, and the control thread may be the busy one. Therefore the object has its own
/// thread and event loop. It is created before the application and destroyed after it.
class exit_deadline {
 public:
  /// The time that is added to the longest drain.
  static constexpr std::chrono::seconds slack{5};
  /// The process's exit code after a missed deadline.
  static constexpr int exit_code = 1;

  /// `patience` starts at the first signal.
  explicit exit_deadline(milliseconds patience);
  exit_deadline(exit_deadline const&) = delete;
  exit_deadline& operator=(exit_deadline const&) = delete;
  ~exit_deadline();

 private:
  [[noreturn]] void end_process() const;

  milliseconds const patience_;
  asio::io_context io_{1};
  asio::basic_signal_set<executor> signals_;
  steady_timer over_;
  std::thread thread_;
};

}  // namespace svc::app
