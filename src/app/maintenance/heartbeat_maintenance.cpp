#include "app/maintenance/heartbeat_maintenance.hpp"

#include "svc/core/log.hpp"

#include <utility>

namespace svc::app {
namespace {

constexpr std::chrono::seconds evaluation_interval{1};
constexpr std::chrono::seconds maintenance_patience{2};

}  // namespace

heartbeat_maintenance::heartbeat_maintenance(parts parts)
    : parts_(std::move(parts)),
      blind_windows_(parts_.counters.make_counter("svc_heartbeats_deaf_seconds_total",
                                                  "Time in which no instance could receive heartbeats, counted by "
                                                  "the instance that ended it; their deadlines were postponed")) {
  using heartbeats::signal_kind;
  for (auto const kind : {signal_kind::success, signal_kind::failure, signal_kind::start, signal_kind::log}) {
    taken_[static_cast<std::size_t>(kind)] = parts_.counters.make_counter(
        "svc_heartbeats_total", "Signals of heartbeats that were counted", {{"signal", std::string(name_of(kind))}});
  }
  parts_.hearts.when_taken([this](signal_kind kind) { taken_[static_cast<std::size_t>(kind)].add(); });
}

void heartbeat_maintenance::start() {
  parts_.loops.start("heartbeats_listen", store::listening_interval, this, &heartbeat_maintenance::listen);
  evaluation_loop_ = parts_.loops.start("heartbeats", evaluation_interval, this, &heartbeat_maintenance::evaluate);
}

bool heartbeat_maintenance::has_listened_lately(steady::time_point now) const {
  return listened_at_ && now - *listened_at_ <= store::listening_age;
}

/// A failed attempt may be committed nevertheless, and a process that was frozen has received nothing, although
/// others may have. So after either, the time since this instance's last confirmed record counts as a blind window,
/// whatever the database says. The time of a record is the start of its attempt, because the process may freeze while
/// it waits for the answer.
task<> heartbeat_maintenance::listen() {
  auto const began = steady::now();
  bool const failed = std::exchange(attempted_, true);
  auto const heard = co_await parts_.hearts.listen(failed || !has_listened_lately(began) ? heard_at_ : std::nullopt,
                                                   deadline::after(maintenance_patience));
  attempted_ = false;
  heard_at_ = heard.heard_at;
  listened_at_ = began;
  if (!heard.blind_window) co_return;
  blind_windows_.add(static_cast<double>(heard.blind_window->count()));
  log::warn("no instance listened for heartbeats; their deadlines are postponed",
            {{"seconds", heard.blind_window->count()}});
}

/// Waits for this instance's own record, because a blind window that it has not reported yet is in no row.
task<> heartbeat_maintenance::evaluate() {
  if (!has_listened_lately(steady::now())) co_return;
  while (parts_.loops.goes_on() && co_await parts_.hearts.evaluate(deadline::after(maintenance_patience)) ==
                                       store::heartbeat_store::most_evaluated) {
    co_await between_batches(*evaluation_loop_);
  }
}

}  // namespace svc::app
