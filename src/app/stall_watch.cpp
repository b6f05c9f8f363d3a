#include "app/stall_watch.hpp"

#include "app/worker.hpp"
#include "svc/core/log.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>

namespace svc::app {

stall_watch::stall_watch(asio::io_context& control, metrics& counters, background_loops& loops,
                         std::vector<worker*> const& workers, service_manager const& manager)
    : control_(control), manager_(manager), looks_(loops.add("watchdog", "control", turn_watch::interval)) {
  for (auto* of : workers) {
    all_.push_back(
        {of,
         {},
         counters.make_counter("svc_worker_stalls_total", "Turns that kept a worker for more than a second",
                               {{"worker", std::to_string(all_.size())}})});
  }
}

void stall_watch::start() {
  asio::co_spawn(control_, repeat(looks_, [] { return true; }, [this] { return look_again(); }), asio::detached);
}

task<> stall_watch::look_again() {
  for (std::size_t i = 0; i < all_.size(); ++i) look(all_[i], static_cast<int>(i));
  show_life(steady::now());
  co_return;
}

/// As soon as it is due again, also when the last one was held back: the manager's patience may be nearly over.
void stall_watch::show_life(steady::time_point now) {
  auto const interval = manager_.watchdog_interval();
  if (interval.count() == 0 || now - shown_life_ < interval) return;
  if (std::any_of(all_.begin(), all_.end(), [](watched const& one) { return one.stuck; })) return;
  shown_life_ = now;
  manager_.alive();
}

void stall_watch::look(watched& at, int index) {
  if (at.of->finished()) {
    at.stuck = false;
    return;
  }
  auto const seen = at.watch.at(steady::now(), at.of->turns_ended());
  if (seen.ask) at.of->ask_turn();
  if (seen.what == turn_watch::news::none) return;
  at.stuck = seen.what == turn_watch::news::stuck;
  std::initializer_list<log::field> const fields{{"worker", index}, {"forMs", seen.lasted.count()}};
  if (seen.what == turn_watch::news::stuck) {
    at.stalls.add();
    log::warn("one turn keeps a worker from serving anybody else", fields);
  } else {
    log::warn("a worker that was kept by one turn serves again", fields);
  }
}

}  // namespace svc::app
