#pragma once

#include "app/service_manager.hpp"
#include "svc/core/async.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/metrics.hpp"
#include "svc/core/turns.hpp"

#include <vector>

namespace svc::app {

class worker;

/// Checks each worker a few times a second, and logs when one turn takes more than a second, and when that turn is
/// over. Gives the service manager its signs of life, except while a worker is stuck. Control thread only; owned by
/// the application, whose workers outlive it.
class stall_watch {
 public:
  stall_watch(asio::io_context& control, metrics& counters, background_loops& loops,
              std::vector<worker*> const& workers, service_manager const& manager);

  void start();

 private:
  struct watched {
    worker* of = nullptr;
    turn_watch watch{};
    counter stalls{};
    bool stuck = false;
  };
  task<> look_again();
  void show_life(steady::time_point now);
  static void look(watched& at, int index);

  asio::io_context& control_;
  service_manager const& manager_;
  steady::time_point shown_life_{};
  background_loop_ptr looks_;
  std::vector<watched> all_{};
};

}  // namespace svc::app
