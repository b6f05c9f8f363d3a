#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"

#include <boost/asio/signal_set.hpp>

#include <thread>

namespace svc::app {

/// Ends the process when it has not ended by itself in time after SIGTERM or SIGINT, whatever its other threads do: a
/// thread that is busy cannot be joined, and the control thread may be the busy one. It has a thread and an event
/// loop of its own for that. Made before the application and destroyed after it.
class exit_deadline {
 public:
  /// Beyond what the drain may take.
  static constexpr std::chrono::seconds slack{5};
  /// How the process ends then.
  static constexpr int exit_code = 1;

  /// `patience`: from the first signal on.
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
