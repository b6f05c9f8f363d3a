#include "svc/monitoring/scheduler/check_maintenance.hpp"

#include <algorithm>
#include <utility>

namespace svc::scheduler {
namespace {

constexpr std::chrono::seconds pack_interval{15}, shard_look_interval{5}, maintenance_patience{5};
constexpr std::chrono::minutes bound_interval{10};
constexpr std::chrono::seconds an_hour{3600};

/// Converts to days, rounded up so that nothing is deleted too early.
std::int64_t days_of(milliseconds value) {
  return std::chrono::ceil<std::chrono::days>(value).count();
}

}  // namespace

check_maintenance::check_maintenance(parts instance)
    : state_(instance.state),
      keep_(instance.keep),
      thread_("packing", std::move(instance.database)),
      loops_{instance.loops, thread_.io(), "packing",
             [this, &accepting = instance.accepting] { return accepting && !stopping_; }},
      packing_(thread_.db()),
      ends_(thread_.db()),
      outages_(thread_.db()),
      shards_(thread_.db()),
      pack_lag_(instance.counters.make_gauge("svc_check_pack_lag_seconds",
                                             "Age of the oldest hour of results whose packing is overdue")),
      open_outages_(instance.counters.make_gauge("svc_outages_open", "Outages of monitors that have not ended")),
      overdue_(instance.counters.make_gauge(
          "svc_checks_overdue_seconds",
          "Delay of the most overdue check, or the time that a part of all monitors has had no instance")) {
  ends_.when_deleted(std::move(instance.deleted));
}

void check_maintenance::start() {
  pack_loop_ = loops_.start("check_packing", pack_interval, this, &check_maintenance::pack);
  drop_loop_ = loops_.start("check_retention", keep_.interval, this, &check_maintenance::drop_old);
  bound_loop_ = loops_.start("check_failures", bound_interval, this, &check_maintenance::bound_failures);
  loops_.start("check_watch", shard_look_interval, this, &check_maintenance::look);
  thread_.start();
}

void check_maintenance::drain() {
  asio::post(thread_.io(), [this] {
    stopping_ = true;
    thread_.end();
  });
}

task<> check_maintenance::pack() {
  for (bool more = true; more && loops_.goes_on();) {
    auto const done = co_await packing_.pack(deadline::after(maintenance_patience));
    pack_lag_.set(static_cast<double>(done.lag_hours * an_hour.count()));
    more = done.more;
    if (more) co_await between_batches(*pack_loop_);
  }
}

task<> check_maintenance::drop_old() {
  store::check_retention const checks{.result_days = days_of(keep_.results),
                                      .summary_days = days_of(keep_.days),
                                      .failure_days = days_of(keep_.failures)};
  while (loops_.goes_on() && co_await packing_.drop_old(checks, deadline::after(maintenance_patience))) {
    co_await between_batches(*drop_loop_);
  }
  store::monitor_retention const monitors{.outage_days = days_of(keep_.outages),
                                          .deleted_days = days_of(keep_.deleted_monitors)};
  while (loops_.goes_on() && co_await ends_.drop_old(monitors, deadline::after(maintenance_patience))) {
    co_await between_batches(*drop_loop_);
  }
}

task<> check_maintenance::bound_failures() {
  for (std::optional<uuid> after; loops_.goes_on();) {
    after = co_await ends_.bound_failures(after, deadline::after(maintenance_patience));
    if (!after) break;
    co_await between_batches(*bound_loop_);
  }
  for (std::optional<uuid> after; loops_.goes_on();) {
    after = co_await ends_.bound_outages(after, deadline::after(maintenance_patience));
    if (!after) break;
    co_await between_batches(*bound_loop_);
  }
  for (std::optional<uuid> after; loops_.goes_on();) {
    after =
        co_await ends_.bound_alerts(after, store::monitor_ends::most_alerts, deadline::after(maintenance_patience));
    if (!after) co_return;
    co_await between_batches(*bound_loop_);
  }
}

/// Observes the delay of checks. This process knows the delays of its own workers; the database knows shards without
/// a scheduler.
task<> check_maintenance::look() {
  auto const seen = co_await shards_.look(deadline::after(maintenance_patience));
  auto const now = steady::now();
  if (seen.unheld == 0) unheld_since_.reset();
  if (seen.unheld > 0 && !unheld_since_) unheld_since_ = now;
  std::int64_t overdue = 0;
  for (auto const& each : state_.overdue_ms) overdue = std::max<std::int64_t>(overdue, each / 1000);
  if (unheld_since_)
    overdue = std::max<std::int64_t>(overdue,
                                     std::chrono::duration_cast<std::chrono::seconds>(now - *unheld_since_).count());
  state_.lag_seconds = overdue;
  state_.anybody = seen.holders > 0;
  overdue_.set(static_cast<double>(overdue));
  open_outages_.set(static_cast<double>(co_await outages_.count_open(deadline::after(maintenance_patience))));
}

}  // namespace svc::scheduler
