#pragma once

#include "app/process/service_manager.hpp"
#include "svc/core/async.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/metrics.hpp"
#include "svc/core/turns.hpp"
#include "svc/core/watched_thread.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace svc::app {

/// Checks each thread a few times a second, and logs when one turn takes more than a second, and when that turn is
/// over, with the project that the turn works for. Gives the service manager its signs of life, except while a vital
/// thread is stuck. Control thread only; owned by the application, whose threads outlive it.
class stall_watch {
 public:
  /// `mail`: without a function if no mail is sent.
  stall_watch(asio::io_context& control, metrics& counters, background_loops& loops,
              std::vector<watched_thread> const& threads, watched_attempts mail, service_manager const& manager);

  void start();

 private:
  struct watched_loop {
    watched_thread thread;
    counter stalls{}, failures{};
    gauge longest{};
    turn_watch watch{};
    bool stuck = false;
    uuid project{};  ///< of the turn that is stuck
  };
  task<> look_again();
  void show_life(steady::time_point now);
  static void look(watched_loop& thread, steady::time_point now);
  void look_at_mail(steady::time_point now);

  asio::io_context& control_;
  service_manager const& manager_;
  steady::time_point shown_life_{};
  background_loop_ptr looks_;
  std::vector<watched_loop> all_{};
  watched_attempts mail_;
  counter mail_stalls_{};
  bool mail_stuck_ = false;
  uuid mail_project_{};  ///< of the attempt that was most overdue when the stall was logged
};

}  // namespace svc::app
