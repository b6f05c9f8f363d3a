#include "app/maintenance/queue_watch.hpp"

namespace svc::app {
namespace {

constexpr std::chrono::seconds interval{5}, patience{5};
constexpr std::int64_t counted_at_most = 10'000;

gauge runs(metrics& m, std::string const& state) {
  return m.make_gauge("svc_queue_runs", "Queued and running runs, counted among the 10 000 oldest",
                      {{"state", state}});
}

}  // namespace

queue_watch::queue_watch(postgres::pool& db, metrics& counters, loop_starter loops)
    : queue_(db),
      loops_(std::move(loops)),
      queued_(runs(counters, "queued")),
      limited_(runs(counters, "limited")),
      running_(runs(counters, "running")),
      oldest_(counters.make_gauge("svc_queue_oldest_seconds", "Time that the oldest queued run has waited")),
      runners_(counters.make_gauge("svc_runners", "Runners seen in the last minute")),
      slots_(counters.make_gauge("svc_runner_slots", "Runs that these runners can execute at the same time")) {}

void queue_watch::start() {
  loops_.start("queue_watch", interval, this, &queue_watch::look);
}

task<> queue_watch::look() {
  auto const now = co_await queue_.look(counted_at_most, deadline::after(patience));
  queued_.set(static_cast<double>(now.queued));
  limited_.set(static_cast<double>(now.limited));
  running_.set(static_cast<double>(now.running));
  oldest_.set(std::chrono::duration<double>(now.oldest).count());
  runners_.set(static_cast<double>(now.runners));
  slots_.set(static_cast<double>(now.slots));
}

}  // namespace svc::app
