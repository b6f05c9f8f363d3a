#include "app/maintenance/output_maintenance.hpp"

#include "svc/core/background_loops.hpp"
#include "svc/core/log.hpp"
#include "svc/core/result.hpp"

namespace svc::app {
namespace {

constexpr milliseconds count_interval{100}, move_interval{500}, settle_interval{1000};
constexpr std::chrono::seconds settle_patience{5};

}  // namespace

output_maintenance::output_maintenance(parts parts)
    : parts_(std::move(parts)), mover_(parts_.redis, parts_.outputs, parts_.writer, parts_.budget, parts_.counters) {
  labels const mine{{"worker", std::to_string(parts_.worker)}};
  auto& m = parts_.counters;
  held_bytes_ = m.make_gauge("svc_output_held_bytes", "Live output that Redis holds, of all instances", mine);
  budget_bytes_ = m.make_gauge("svc_output_budget_bytes", "Live output that Redis may hold", mine);
  degraded_ = m.make_gauge("svc_output_degraded", "1 while output is dropped, or its Redis is unreachable", mine);
  dropped_ = m.make_counter("svc_dropped_output_bytes_total", "Stored output that was dropped for a project's quota");
}

void output_maintenance::start() {
  parts_.loops.start("output_books", count_interval, this, &output_maintenance::count);
  // One worker does this for the whole instance.
  if (parts_.worker != 0) return;
  parts_.loops.start("output_mover", move_interval, this, &output_maintenance::move);
  parts_.loops.start("output_quota", settle_interval, this, &output_maintenance::settle);
}

task<> output_maintenance::count() {
  co_await parts_.budget.keep(parts_.worker == 0);
  auto const now = parts_.budget.health();
  held_ = parts_.budget.held();
  budget_ = parts_.budget.budget();
  held_bytes_.set(static_cast<double>(held_));
  budget_bytes_.set(static_cast<double>(budget_));
  degraded_.set(now == output::output_health::whole ? 0 : 1);
  if (health_.exchange(now) != now && parts_.loops.goes_on()) say(now);
}

void output_maintenance::say(output::output_health now) {
  auto const said = now == output::output_health::whole ? "live output is complete again" : "live output is degraded";
  log::write(now == output::output_health::whole ? log::level::info : log::level::warn, said,
             {{"output", output::name_of(now)},
              {"held", held_.load()},
              {"budget", budget_.load()},
              {"worker", parts_.worker}});
}

task<> output_maintenance::move() {
  if (!parts_.redis.connected()) co_return;  // `count` reports it
  if (!co_await mover_.pass()) throw unavailable("a store is unreachable");
}

task<> output_maintenance::settle() {
  auto const quota = static_cast<std::int64_t>(parts_.config.quotas.output_bytes);
  for (auto const& output : co_await parts_.outputs.settle(quota, deadline::after(settle_patience))) {
    dropped_.add(static_cast<double>(output.bytes));
    log::warn("old output was dropped: the project has stored more than its quota",
              {{"project", output.project.to_string()}, {"runs", output.runs}, {"bytes", output.bytes}});
  }
}

}  // namespace svc::app
