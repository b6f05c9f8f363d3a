#include "app/maintenance/instance_maintenance.hpp"

#include "svc/core/log.hpp"
#include "svc/core/result.hpp"
#include "svc/core/spawn_task.hpp"

#include <exception>
#include <utility>

namespace svc::app {
namespace {

using access::instance_count;

/// Limit for both statements. It is so short that others have read the list within two intervals
/// (access/instance_count.hpp).
constexpr milliseconds heartbeat_patience{2000};
constexpr milliseconds between_looks{5};

gauge instances_by(metrics& counters, char const* source) {
  return counters.make_gauge("svc_instances",
                             "Running instances according to each store (0: it does not answer); `limits`: the "
                             "number by which limits are divided while Redis is lost",
                             {{"source", source}});
}

}  // namespace

instance_maintenance::instance_maintenance(parts parts)
    : parts_(std::move(parts)),
      stored_(parts_.db),
      listed_(parts_.redis),
      count_(parts_.shared.config.instances),
      by_postgres_(instances_by(parts_.shared.counters, "postgres")),
      by_redis_(instances_by(parts_.shared.counters, "redis")),
      by_limits_(instances_by(parts_.shared.counters, "limits")) {}

void instance_maintenance::start() {
  by_limits_.set(parts_.shared.sharing);
  loop_ = parts_.loops.start("instances", instance_interval, this, &instance_maintenance::renew);
}

void instance_maintenance::enroll() {
  enrolling_ = true;
  renew_now();
}

void instance_maintenance::hurry() {
  again_ = beating_;  // what is on its way may have read the list before
  if (enrolling_ && !beating_) renew_now();
}

void instance_maintenance::renew_now() {
  spawn_task(parts_.loops.io, attempt(loop_, renew()));
}

task<> instance_maintenance::renew() {
  if (!enrolling_ || beating_ || leaving_) co_return;
  beating_ = true;
  std::exception_ptr failed;
  try {
    do {
      again_ = false;
      co_await register_in_stores();
    } while (again_ && !leaving_);
  } catch (...) {
    failed = std::current_exception();
  }
  beating_ = false;
  notified_ = true;
  if (failed) std::rethrow_exception(failed);
}

/// Redis is not asked while it is lost, because it then gets only probes.
task<> instance_maintenance::register_in_stores() {
  bool const redis = parts_.trust.is_open() || co_await register_in_redis();
  if (!redis || parts_.trust.is_open()) {
    count_.missed(instance_count::registry::redis);
    in_redis_.clear();
  }
  std::vector<known_instance> rows;
  std::exception_ptr failed;
  try {
    auto const up = std::chrono::duration_cast<milliseconds>(steady::now() - started_);
    rows = known_of(co_await stored_.renew(parts_.shared.self, up, deadline::after(heartbeat_patience)));
    count_.heard(instance_count::registry::postgres, static_cast<int>(rows.size()), steady::now());
  } catch (...) {
    failed = std::current_exception();
    count_.missed(instance_count::registry::postgres);
  }
  show(std::move(rows), in_redis_);
  if (failed) std::rethrow_exception(failed);
  if (!redis) throw unavailable("Redis did not accept the heartbeat");
}

task<bool> instance_maintenance::register_in_redis() {
  auto found = co_await listed_.renew(parts_.shared.self, deadline::after(heartbeat_patience));
  if (!found) co_return false;
  count_.heard(instance_count::registry::redis, static_cast<int>(found->size()), steady::now());
  in_redis_ = std::move(*found);
  co_return true;
}

void instance_maintenance::show(std::vector<known_instance> postgres, std::vector<instance_identity> const& redis) {
  auto const now = steady::now();
  instance_view view{.count = count_.count(),
                     .divisor = count_.divisor(now),
                     .source = count_.origin(now),
                     .postgres = count_.said(instance_count::registry::postgres),
                     .redis = count_.said(instance_count::registry::redis),
                     .instances = merged(std::move(postgres), redis)};
  parts_.shared.sharing = view.divisor;
  counted_ = view.divisor == view.count;
  by_postgres_.set(view.postgres.value_or(0));
  by_redis_.set(view.redis.value_or(0));
  by_limits_.set(view.divisor);
  if (std::exchange(shown_, view.count) != view.count)
    log::info(
        "instances counted",
        {{"instances", view.count}, {"postgres", view.postgres.value_or(0)}, {"redis", view.redis.value_or(0)}});
  parts_.shared.show_instances(std::move(view));
}

task<> instance_maintenance::leave(deadline until) {
  leaving_ = true;
  if (!enrolling_) co_return;
  steady_timer pause(parts_.loops.io);
  // A heartbeat that is on its way would enter the instance again.
  while (beating_ && !until.passed()) {
    pause.expires_after(between_looks);
    co_await pause.async_wait(awaiting);
  }
  try {
    if (!parts_.trust.is_open()) co_await listed_.leave(parts_.shared.self, until);
    co_await stored_.leave(parts_.shared.self.id, until);
  } catch (std::exception const& e) {
    log::warn("the instance could not sign off; the others count it until its entry expires", {{"why", e.what()}});
  }
}

}  // namespace svc::app
