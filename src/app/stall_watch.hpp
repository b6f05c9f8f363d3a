#pragma once

#include "svc/core/async.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/metrics.hpp"
#include "svc/core/turns.hpp"

#include <vector>

namespace svc::app {

class worker;

/// Checks each worker a few times a second, and logs when one turn takes more than a second, and when that turn is
/// over. Control thread only; owned by the application, whose workers outlive it.
class stall_watch {
 public:
  stall_watch(asio::io_context& control, metrics& counters, background_loops& loops,
              std::vector<worker*> const& workers);

  void start();

 private:
  struct watched {
    worker* of = nullptr;
    turn_watch watch{};
    counter stalls{};
  };
  task<> look_again();
  static void look(watched& at, int index);

  asio::io_context& control_;
  background_loop_ptr looks_;
  std::vector<watched> all_{};
};

}  // namespace svc::app
