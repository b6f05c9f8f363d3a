#include "svc/monitoring/scheduler/check_worker.hpp"

#include "monitoring/checks/check_meter.hpp"
#include "monitoring/checks/check_runner.hpp"
#include "monitoring/checks/check_types.hpp"
#include "monitoring/scheduler/scheduler_meter.hpp"
#include "svc/core/log.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/monitoring/scheduler/check_tests.hpp"
#include "svc/monitoring/scheduler/suppression_meter.hpp"
#include "svc/store/monitors/monitor_secrets.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace svc::scheduler {
namespace {

constexpr std::chrono::seconds longest_end{2}, show_interval{1};

}  // namespace

/// Each member uses those above it.
struct check_worker::inside {
  inside(check_worker_parts const& parts, postgres::database_thread& thread, int index, bool const& stopping)
      : shares(thread.io(), parts.accounts.cpu, "assertions-" + std::to_string(index)),
        results(parts.counters, parts.state),
        meter(parts.counters, parts.state, index),
        master(parts.master),
        variables(thread.db(), master),
        secrets(thread.db(), master),
        engine(thread.io(), parts.engine, &shares),
        runner(engine, {variables, secrets}, results, {.per_minute = parts.per_target_per_minute}, {},
               checks::plan_cache::usual_most_bytes, &shares, &parts.accounts.plan_bytes,
               &parts.accounts.connections),
        loops{parts.loops, thread.io(), "checks-" + std::to_string(index),
              [&accepting = parts.accepting, &stopping] { return accepting && !stopping; }},
        scheduler({.io = thread.io(),
                   .db = thread.db(),
                   .run_check = [this](check_order order) { return runner.run(std::move(order)); },
                   .loops = loops,
                   .in_flight = parts.in_flight,
                   .observed = meter.times(),
                   .on_drop = [this](uuid const& monitor) { runner.remove(monitor); },
                   .may_start = [this](uuid const& project) { return !shares.is_over(project); },
                   .book = &parts.accounts.in_flight,
                   .decided = parts.decided,
                   .suppressed = count_suppressed(parts.counters)}),
        tests(
            thread.io(), [this](check_order order) { return runner.test(std::move(order)); },
            &parts.accounts.unsaved) {}

  work_scheduler shares;
  checks::check_meter results;
  scheduler_meter meter;
  master_keys master;  ///< its own copy, as every worker
  store::check_variables variables;
  store::monitor_secrets secrets;
  checks::engine engine;
  checks::check_runner runner;
  loop_starter loops;
  check_scheduler scheduler;
  check_tests tests;
};

check_accounts::check_accounts(account_book& book, std::size_t workers, std::size_t in_flight_of_one)
    : cpu(book.open(work_scheduler::terms("check_cpu", workers))),
      in_flight(book.open(check_scheduler::in_flight_terms(in_flight_of_one, workers))),
      unsaved(book.open(check_tests::terms(workers))),
      connections(book.open(check_scheduler::connection_terms(in_flight_of_one, workers))),
      plan_bytes(book.open(checks::plan_cache::terms(workers))) {}

check_worker::check_worker(check_worker_parts const& parts, int index)
    : index_(index),
      thread_(std::make_unique<postgres::database_thread>("checks-" + std::to_string(index), parts.database)),
      inside_(std::make_unique<inside>(parts, *thread_, index, stopping_)) {
  inside_->shares.observe(thread_->activity());
  if (index != 0) return;
  for (auto const& type : checks::check_types)
    if (!inside_->engine.can(type))
      log::warn("monitors of type " + std::string(type.name) +
                " cannot be checked here: the group of this process is not in net.ipv4.ping_group_range, and it has "
                "no CAP_NET_RAW");
}

/// Checks that did not end refer to these objects, and the process ends anyway.
check_worker::~check_worker() {
  if (!abandons_) return;
  static_cast<void>(inside_.release());
  static_cast<void>(thread_.release());
}

void check_worker::start() {
  inside_->scheduler.start();
  inside_->loops.start("check_state", show_interval, this, &check_worker::show_state);
  thread_->start();
}

task<> check_worker::show_state() {
  inside_->meter.show(inside_->scheduler.stats(), inside_->runner.plans().bytes());
  co_return;
}

task<result<check_report>> check_worker::test(check_order order, deadline until) {
  return inside_->tests.run(std::move(order), until);
}

std::vector<watched_thread> check_worker::watched() {
  return {thread_->watched("check_cpu", index_), watched_thread_of(inside_->shares, "check_cpu", index_)};
}

void check_worker::drain() {
  asio::post(thread_->io(), [this] { spawn_task(thread_->io(), finish()); });
}

task<> check_worker::finish() {
  stopping_ = true;
  deadline const until = deadline::after(longest_end);
  // Their users wait, and the scheduler may need all the time.
  inside_->tests.give_up();
  inside_->shares.stop();
  auto const ended = co_await inside_->scheduler.stop(until);
  auto const tested = co_await inside_->tests.stop(until);
  inside_->meter.show(inside_->scheduler.stats(), inside_->runner.plans().bytes());
  if (!ended.brought_in) log::warn("the results of the last checks were not stored in time", {{"worker", index_}});
  if (!ended.released)
    log::warn("other instances take over in ten seconds: PostgreSQL did not answer", {{"worker", index_}});
  abandons_ = !ended.all_ended || !tested;
  if (abandons_) log::error("checks did not end when they were cancelled", {{"worker", index_}});
  thread_->end();
}

}  // namespace svc::scheduler
