#include "app/heartbeat_upkeep.hpp"

#include "svc/core/log.hpp"

namespace svc::app {
namespace {

constexpr std::chrono::seconds judge_interval{1};
constexpr std::chrono::seconds upkeep_patience{2};

}  // namespace

heartbeat_upkeep::heartbeat_upkeep(parts of)
    : of_(std::move(of)),
      deaf_(of_.counters.make_counter("svc_heartbeats_deaf_seconds_total",
                                      "Time in which no instance could have heard a heartbeat, by the one that ended "
                                      "it; deadlines in it were put off")) {
  using heartbeats::signal_kind;
  for (auto const kind : {signal_kind::success, signal_kind::failure, signal_kind::start, signal_kind::log}) {
    taken_[static_cast<std::size_t>(kind)] = of_.counters.make_counter(
        "svc_heartbeats_total", "Signals of heartbeats that were counted", {{"signal", std::string(name_of(kind))}});
  }
  of_.hearts.when_taken([this](signal_kind kind) { taken_[static_cast<std::size_t>(kind)].add(); });
}

void heartbeat_upkeep::start() {
  of_.loops.start("heartbeats_listen", store::listening_interval, this, &heartbeat_upkeep::listen);
  judging_ = of_.loops.start("heartbeats", judge_interval, this, &heartbeat_upkeep::judge);
}

task<> heartbeat_upkeep::listen() {
  auto const deaf = co_await of_.hearts.listen(deadline::after(upkeep_patience));
  listens_ = true;
  if (!deaf) co_return;
  deaf_.add(static_cast<double>(deaf->count()));
  log::warn("no instance listened for heartbeats; their deadlines are put off", {{"seconds", deaf->count()}});
}

/// Not before it has noted for how long nobody listened until it came.
task<> heartbeat_upkeep::judge() {
  if (!listens_) co_return;
  while (of_.loops.goes_on() &&
         co_await of_.hearts.judge(deadline::after(upkeep_patience)) == store::heartbeat_store::most_judged) {
    co_await between_batches(*judging_);
  }
}

}  // namespace svc::app
