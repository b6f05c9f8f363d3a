#include "app/process/stall_watch.hpp"

#include "svc/core/log.hpp"
#include "svc/core/spawn_task.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace svc::app {
namespace {

constexpr char const* stalls_help = "Turns that blocked a thread for more than a second";

counter make_stalls(metrics& counters, watched_thread const& thread) {
  if (thread.vital)
    return counters.make_counter("svc_worker_stalls_total", "Turns that blocked a worker for more than a second",
                                 {{"worker", std::to_string(thread.index)}});
  return counters.make_counter("svc_thread_stalls_total", stalls_help, {{"thread", thread.activity->name()}});
}

/// Returns an empty text if there is no project.
std::string project_text(uuid const& project) {
  return project == uuid{} ? std::string() : project.to_string();
}

}  // namespace

stall_watch::stall_watch(asio::io_context& control, metrics& counters, background_loops& loops,
                         std::vector<watched_thread> const& threads, watched_attempts mail,
                         service_manager const& manager)
    : control_(control),
      manager_(manager),
      looks_(loops.add("watchdog", "control", turn_watch::interval)),
      mail_(std::move(mail)) {
  for (auto const& watched_thread : threads) {
    labels const thread{{"thread", watched_thread.activity->name()}};
    all_.push_back({.thread = watched_thread,
                    .stalls = make_stalls(counters, watched_thread),
                    .failures = counters.make_counter("svc_thread_failures_total",
                                                      "Exceptions that no handler of a thread caught", thread),
                    .longest = counters.make_gauge("svc_thread_longest_turn_seconds",
                                                   "Longest turn of a thread's event loop since the start", thread)});
  }
  if (mail_.overdue)
    mail_stalls_ =
        counters.make_counter("svc_thread_stalls_total", stalls_help, {{"thread", std::string(mail_.name)}});
}

void stall_watch::start() {
  spawn_task(control_, repeat(looks_, [] { return true; }, [this] { return look_again(); }));
}

task<> stall_watch::look_again() {
  auto const now = steady::now();
  for (auto& each : all_) look(each, now);
  if (mail_.overdue) look_at_mail(now);
  show_life(now);
  co_return;
}

/// As soon as it is due again, also when the last one was held back: the manager's patience may be nearly over.
void stall_watch::show_life(steady::time_point now) {
  auto const interval = manager_.watchdog_interval();
  if (interval.count() == 0 || now - shown_life_ < interval) return;
  if (std::ranges::any_of(all_, [](watched_loop const& thread) { return thread.thread.vital && thread.stuck; }))
    return;
  shown_life_ = now;
  manager_.alive();
}

void stall_watch::look(watched_loop& thread, steady::time_point now) {
  auto& activity = *thread.thread.activity;
  thread.failures.raise_to(static_cast<double>(activity.failures()));
  thread.longest.set(std::chrono::duration<double>(activity.longest()).count());
  if (thread.thread.finished()) {
    thread.stuck = false;
    return;
  }
  auto const seen = thread.watch.at(now, activity.turns_ended());
  if (seen.ask) thread.thread.ask_turn();
  auto const log_turn = [&](std::string_view sentence, milliseconds lasted, uuid const& project) {
    log::warn(sentence, {{"thread", activity.name()},
                         {"worker", thread.thread.index},
                         {"resource", thread.thread.resource},
                         {"project", project_text(project)},
                         {"forMs", lasted.count()}});
  };
  // The turn that was reported while it lasted is not reported as one that this watch missed.
  auto const missed = activity.take_long_turn();
  if (seen.content == turn_watch::news::stuck) {
    thread.stuck = true;
    thread.project = activity.project();
    thread.stalls.add();
    log_turn(thread.thread.vital ? "one turn of its event loop blocks a worker"
                                 : "one turn of its event loop blocks a thread",
             seen.lasted, thread.project);
  } else if (seen.content == turn_watch::news::over) {
    thread.stuck = false;
    log_turn(thread.thread.vital ? "a worker that one turn had blocked serves again"
                                 : "a thread that one turn had blocked serves again",
             seen.lasted, thread.project);
  } else if (missed.lasted.count() > 0 && !thread.stuck) {
    thread.stalls.add();
    log_turn("one turn of its event loop blocked a thread", missed.lasted, missed.project);
  }
}

void stall_watch::look_at_mail(steady::time_point now) {
  auto const overdue = mail_.overdue(now);
  bool const stuck = overdue.lasted > turn_watch::patience;
  if (stuck == std::exchange(mail_stuck_, stuck)) return;
  if (stuck) {
    mail_stalls_.add();
    mail_project_ = overdue.project;
  }
  log::warn(stuck ? "an attempt to send a mail exceeds its deadline and blocks its thread"
                  : "no attempt to send a mail exceeds its deadline any more",
            {{"thread", mail_.name},
             {"resource", mail_.resource},
             {"project", project_text(mail_project_)},
             {"forMs", overdue.lasted.count()}});
}

}  // namespace svc::app
