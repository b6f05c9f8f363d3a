#include "app/check_worker.hpp"

#include "monitoring/checks/check_meter.hpp"
#include "monitoring/checks/check_performer.hpp"
#include "svc/core/log.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/monitoring/scheduler/check_tests.hpp"
#include "svc/store/monitors/check_variables.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace svc::app {
namespace {

constexpr std::chrono::seconds longest_end{2}, show_interval{1};

}  // namespace

/// Each member uses those above it.
struct check_worker::inside {
  inside(shared_parts& shared, database_thread& on, probes::engine_settings how, std::size_t in_flight, int index,
         bool const& stopping)
      : shares(on.io(), shared.check_cpu, "judging-" + std::to_string(index)),
        meter(shared.counters, shared.checks, index),
        master(shared.master),
        variables(on.db(), master),
        secrets(on.db(), master),
        engine(on.io(), std::move(how), &shares),
        performer(engine, {variables, secrets}, meter,
                  {.per_minute = static_cast<std::size_t>(shared.with.checks.per_target_per_minute)}, {},
                  plan_cache::usual_most_bytes, &shares, &shared.plan_bytes, &shared.target_connections),
        loops{shared.loops, on.io(), "checks-" + std::to_string(index),
              [&shared, &stopping] { return shared.accepting && !stopping; }},
        holder({.io = on.io(),
                .db = on.db(),
                .perform = [this](watch::check_order what) { return performer.perform(std::move(what)); },
                .loops = loops,
                .in_flight = in_flight,
                .observed = meter.times(),
                .forget = [this](uuid const& monitor) { performer.forget(monitor); },
                .may_start = [this](uuid const& project) { return !shares.is_over(project); },
                .book = &shared.checks_in_flight}),
        tests(
            on.io(), [this](watch::check_order what) { return performer.test(std::move(what)); },
            &shared.unsaved_checks) {}

  work_scheduler shares;
  check_meter meter;
  master_keys master;  ///< its own copy, as every worker
  store::check_variables variables;
  store::monitor_secrets secrets;
  probes::engine engine;
  check_performer performer;
  loop_starter loops;
  watch::check_holder holder;
  watch::check_tests tests;
};

check_worker::check_worker(shared_parts& shared, probes::engine_settings const& how, std::size_t in_flight, int index)
    : index_(index),
      thread_(std::make_unique<database_thread>(shared.with, "checks-" + std::to_string(index), pool_of_checks)),
      in_(std::make_unique<inside>(shared, *thread_, how, in_flight, index, stopping_)) {
  in_->shares.observe(thread_->activity());
  if (index == 0 && !in_->engine.can(probes::check_type::ping_host))
    log::warn(
        "monitors of type ping_host cannot be checked here: the group of this process is not in "
        "net.ipv4.ping_group_range, and it has no CAP_NET_RAW");
}

/// Checks that did not end refer to what is in there, and the process ends anyway.
check_worker::~check_worker() {
  if (!abandons_) return;
  static_cast<void>(in_.release());
  static_cast<void>(thread_.release());
}

void check_worker::start() {
  in_->holder.start();
  in_->loops.start("check_state", show_interval, this, &check_worker::show_state);
  thread_->start();
}

task<> check_worker::show_state() {
  in_->meter.show(in_->holder.stats(), in_->performer.plans().bytes());
  co_return;
}

task<result<watch::performed_check>> check_worker::test(watch::check_order what, deadline until) {
  return in_->tests.run(std::move(what), until);
}

std::vector<watched_thread> check_worker::watched() {
  return {thread_->watched("check_cpu", index_), watched_thread_of(in_->shares, "check_cpu", index_)};
}

void check_worker::drain() {
  asio::post(thread_->io(), [this] { spawn_task(thread_->io(), finish()); });
}

task<> check_worker::finish() {
  stopping_ = true;
  deadline const until = deadline::after(longest_end);
  // Their users wait, and the holder may need all the time.
  in_->tests.give_up();
  in_->shares.stop();
  auto const ended = co_await in_->holder.stop(until);
  auto const tested = co_await in_->tests.stop(until);
  in_->meter.show(in_->holder.stats(), in_->performer.plans().bytes());
  if (!ended.brought_in) log::warn("what the last checks found was not stored in time", {{"worker", index_}});
  if (!ended.released)
    log::warn("other instances take over in ten seconds: PostgreSQL did not answer", {{"worker", index_}});
  abandons_ = !ended.all_ended || !tested;
  if (abandons_) log::error("checks did not end when they were given up", {{"worker", index_}});
  thread_->end();
}

}  // namespace svc::app
