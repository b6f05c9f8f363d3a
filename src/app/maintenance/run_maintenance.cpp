#include "app/maintenance/run_maintenance.hpp"

#include "svc/core/failpoint.hpp"
#include "svc/core/log.hpp"
#include "svc/core/result.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace svc::app {
namespace {

constexpr std::int64_t fired_at_once = 100, mended_at_once = 500, reaped_at_once = 100, deleted_at_once = 500;
constexpr std::int64_t jobs_at_once = 50, owners_at_once = 50, ends_of_job_at_once = 20;
constexpr std::int64_t projects_at_once = 50, runners_at_once = 500;
/// The number of revoked tokens, and of deleted jobs, that a project keeps.
constexpr std::int64_t kept_tombstones = 1000;
/// The number of a project's deleted jobs that keep their runs. The number is smaller than `kept_tombstones`, so
/// that a job loses its runs before its row, because nothing finds the runs of a job without a row.
constexpr std::int64_t deleted_jobs_with_runs = 500;
/// The interval is long because a round queries each project; a round deletes all entries that are too old.
constexpr std::chrono::minutes audit_interval{60};
constexpr milliseconds alert_tick{500};
constexpr std::chrono::seconds tick{1}, mend_interval{60}, step_patience{5}, drop_patience{65};
/// The minimum age of runs that are dropped together, and of audit entries; the database refuses younger ones.
constexpr std::chrono::hours least_dropped_age{24};

}  // namespace

struct run_maintenance::counted {
  explicit counted(metrics& m)
      : fired(m.make_counter("svc_schedule_runs_total", "Runs that schedules have made")),
        lag(m.make_histogram("svc_schedule_lag_seconds", "Time from a schedule's due time to its run")),
        by_age(deleted(m, "age")),
        by_count(deleted(m, "count")) {
    for (auto const* reason :
         {"job_has_no_tests", "parameters_missing", "max_concurrent_runs", "queue_full", "project_archived"}) {
      skipped[reason] =
          m.make_counter("svc_schedule_skips_total", "Due times of schedules that made no run", {{"reason", reason}});
    }
    for (auto const* fate : {"queued", "cancelled", "timed_out", "error"}) {
      reaped[fate] = m.make_counter("svc_reaped_runs_total", "Runs taken from runners that were lost or too slow",
                                    {{"outcome", fate}});
    }
  }
  static counter deleted(metrics& m, std::string const& reason) {
    return m.make_counter("svc_deleted_runs_total", "Ended runs that retention has deleted", {{"reason", reason}});
  }

  counter fired;
  histogram lag;
  counter by_age, by_count;
  std::map<std::string, counter> skipped{}, reaped{};
};

run_maintenance::run_maintenance(parts parts)
    : parts_(std::move(parts)),
      schedules_(parts_.db, parts_.gate),
      reaper_(parts_.db),
      retention_(parts_.db),
      alerts_(parts_.db),
      queue_(parts_.db, parts_.counters, parts_.loops),
      counted_(std::make_unique<counted>(parts_.counters)) {
  retention_.when_deleted([this](std::vector<changed_thing> const& changes) { parts_.feed.note(changes); });
}

run_maintenance::~run_maintenance() = default;

void run_maintenance::start() {
  parts_.loops.start("schedules", tick, this, &run_maintenance::fire_due);
  parts_.loops.start("reaper", tick, this, &run_maintenance::reap_lost);
  parts_.loops.start("run_alerts", alert_tick, this, &run_maintenance::notify_ends);
  queue_.start();
  parts_.loops.start("schedule_mender", mend_interval, this, &run_maintenance::mend_all);
  growth_loop_ = parts_.loops.start("audit_retention", audit_interval, this, &run_maintenance::bound_projects);
  parts_.loops.start("runner_retention", parts_.config.retention.interval, this, &run_maintenance::delete_runners);
  retention_loop_ = parts_.loops.start("retention", parts_.config.retention.interval, this, &run_maintenance::retain);
}

task<> run_maintenance::retain() {
  if (parts_.config.retention.runs_age >= least_dropped_age) co_await drop_old();
  if (parts_.config.retention.runs_age.count() > 0) co_await delete_old();
  if (parts_.config.retention.runs_per_job > 0) co_await delete_surplus();
}

task<> run_maintenance::fire_due() {
  while (parts_.loops.goes_on()) {
    SVC_FAILPOINT("schedule.before");
    auto const fired = co_await schedules_.fire(fired_at_once, deadline::after(step_patience));
    if (!fired.empty()) SVC_FAILPOINT("schedule.after_commit");
    for (auto const& schedule : fired) note(schedule);
    if (fired.size() < static_cast<std::size_t>(fired_at_once)) co_return;
  }
}

void run_maintenance::note(store::fired_schedule const& schedule) {
  counted_->lag.observe(std::chrono::duration<double>(schedule.late).count());
  // Its next time has changed.
  parts_.feed.note({{schedule.project, "job", schedule.job}});
  if (schedule.last) log::warn("a schedule has no next time", {{"job", schedule.job.to_string()}});
  if (!schedule.skipped.empty()) {
    counted_->skipped[schedule.skipped].add();
    log::info("a scheduled run was skipped", {{"job", schedule.job.to_string()}, {"reason", schedule.skipped}});
    return;
  }
  counted_->fired.add();
  parts_.feed.note_queued(schedule.project, schedule.job, schedule.run);
  parts_.dispatch.queued({schedule.organization, schedule.project, schedule.job_type});
}

task<> run_maintenance::mend_all() {
  std::optional<uuid> after;
  do {
    auto const done = co_await schedules_.mend(after, mended_at_once, deadline::after(step_patience));
    if (done.given > 0) log::info("schedules have a next time again", {{"jobs", done.given}});
    after = done.after;
  } while (after && parts_.loops.goes_on());
}

task<> run_maintenance::reap_lost() {
  while (parts_.loops.goes_on()) {
    SVC_FAILPOINT("reaper.before");
    auto const lost =
        co_await reaper_.reap(reaped_at_once, parts_.config.runners.retries, deadline::after(step_patience));
    if (!lost.empty()) SVC_FAILPOINT("reaper.after_commit");
    for (auto const& run : lost) note(run);
    notify(lost);
    if (lost.size() < static_cast<std::size_t>(reaped_at_once)) co_return;
  }
}

void run_maintenance::note(store::reaped_run const& run) {
  counted_->reaped[run.status].add();
  log::warn(run.queued() ? "a lost run is queued again" : "a run was ended without its runner",
            {{"run", run.run.to_string()}, {"attempt", run.attempt}, {"status", run.status}});
  auto const step = run.queued() ? feed::run_step::queued : feed::run_step::ended;
  parts_.feed.note(
      run.project,
      {.run = run.run, .job = run.job, .status = run.status, .order = feed::run_order(run.attempt, step)});
  if (run.queued() || run.limited) parts_.dispatch.queued({run.organization, run.project, run.job_type});
}

/// Notifies viewers and waiting requests of new states, which the database has already. If Redis does not answer or
/// this instance dies before, the mover writes the ends later.
void run_maintenance::notify(std::vector<store::reaped_run> const& all) {
  for (auto const& run : all) {
    if (run.queued()) {
      parts_.writer.requeue_soon(run.run, run.attempt);
    } else {
      parts_.writer.finish_soon(run.run, run.attempt, run.status, 0);
      parts_.watch.wake(run.run);
    }
  }
}

task<> run_maintenance::notify_ends() {
  for (bool more = true; more && parts_.loops.goes_on();) {
    auto const done = co_await alerts_.evaluate(jobs_at_once, ends_of_job_at_once, deadline::after(step_patience));
    parts_.feed.note(done.changes);
    more = done.more;
  }
}

/// Drops whole partitions, which costs next to nothing. They remain after a shorter age, after the absence of the
/// service, or after `delete_old` has emptied them.
task<> run_maintenance::drop_old() {
  while (parts_.loops.goes_on()) {
    auto const gone =
        co_await retention_.drop_oldest(parts_.config.retention.runs_age, deadline::after(drop_patience));
    if (!gone) break;
    if (*gone > 0) drop_is_unannounced_ = true;
    counted_->by_age.add(static_cast<double>(*gone));
    log::info("a partition of old runs is dropped", {{"reason", "age"}, {"runs", *gone}});
  }
  if (!drop_is_unannounced_) co_return;
  co_await announce_dropped_runs();
  drop_is_unannounced_ = false;
}

/// Any project may have had some of the runs of a partition. Projects beyond `most_projects` are not told.
task<> run_maintenance::announce_dropped_runs() {
  std::optional<uuid> after;
  for (std::size_t announced = 0; announced < feed::publisher::most_projects && parts_.loops.goes_on();) {
    auto const projects = co_await retention_.next_projects(after, projects_at_once, deadline::after(step_patience));
    if (projects.empty()) co_return;
    for (auto const& project : projects) parts_.feed.note({{.project = project, .resource = "run"}});
    announced += projects.size();
    after = projects.back();
    co_await between_batches(*retention_loop_);
  }
}

task<> run_maintenance::delete_old() {
  std::int64_t total = 0;
  for (std::int64_t gone = deleted_at_once; gone == deleted_at_once && parts_.loops.goes_on(); total += gone) {
    gone = co_await retention_.delete_older(parts_.config.retention.runs_age, deleted_at_once,
                                            deadline::after(step_patience));
    counted_->by_age.add(static_cast<double>(gone));
    if (gone == deleted_at_once) co_await between_batches(*retention_loop_);
  }
  if (total > 0) log::info("old runs are deleted", {{"reason", "age"}, {"runs", total}});
}

task<> run_maintenance::delete_surplus() {
  using run_owner = store::retention_store::run_owner;
  std::int64_t total = co_await delete_surplus(run_owner::job);
  total += co_await delete_surplus(run_owner::project);
  if (total > 0) log::info("old runs are deleted", {{"reason", "count"}, {"runs", total}});
}

task<std::int64_t> run_maintenance::delete_surplus(store::retention_store::run_owner kind) {
  std::int64_t total = 0;
  std::optional<uuid> after;
  do {
    auto const found = co_await retention_.find_surplus(kind, after, parts_.config.retention.runs_per_job,
                                                        owners_at_once, deadline::after(step_patience));
    for (auto const& runs : found.owners) total += co_await delete_excess(runs);
    after = found.after;
    if (after) co_await between_batches(*retention_loop_);
  } while (after && parts_.loops.goes_on());
  co_return total;
}

task<std::int64_t> run_maintenance::delete_excess(store::retention_store::excess runs) {
  std::int64_t total = 0;
  for (std::int64_t gone = deleted_at_once; gone == deleted_at_once && parts_.loops.goes_on(); total += gone) {
    gone = co_await retention_.delete_excess(runs, deleted_at_once, deadline::after(step_patience));
    counted_->by_count.add(static_cast<double>(gone));
    if (gone == deleted_at_once) co_await between_batches(*retention_loop_);
  }
  co_return total;
}

task<> run_maintenance::bound_projects() {
  std::vector<uuid> projects;
  do {
    auto const after = projects.empty() ? std::nullopt : std::optional(projects.back());
    projects = co_await retention_.next_projects(after, projects_at_once, deadline::after(step_patience));
    for (auto const& project : projects) {
      if (parts_.config.retention.trigger_audits.count() > 0) co_await delete_audits(project);
      if (parts_.config.retention.runs_per_job > 0) co_await delete_runs_of_deleted_jobs(project);
      co_await delete_tombstones(project);
    }
  } while (!projects.empty() && parts_.loops.goes_on());
}

task<std::int64_t> run_maintenance::in_batches(std::function<task<std::int64_t>()> remove) {
  std::int64_t total = 0;
  for (std::int64_t gone = deleted_at_once; gone == deleted_at_once && parts_.loops.goes_on(); total += gone) {
    gone = co_await remove();
    if (gone == deleted_at_once) co_await between_batches(*growth_loop_);
  }
  co_return total;
}

task<> run_maintenance::delete_runs_of_deleted_jobs(uuid project) {
  auto const total = co_await in_batches([this, project] {
    return retention_.delete_runs_of_deleted_jobs(project, deleted_jobs_with_runs, deleted_at_once,
                                                  deadline::after(step_patience));
  });
  counted_->by_count.add(static_cast<double>(total));
  if (total > 0)
    log::info("runs of jobs that were deleted long ago are deleted",
              {{"project", project.to_string()}, {"runs", total}});
}

task<> run_maintenance::delete_tombstones(uuid project) {
  auto const jobs = co_await in_batches([this, project] {
    return retention_.delete_deleted_jobs(project, kept_tombstones, deleted_at_once, deadline::after(step_patience));
  });
  auto const tokens = co_await in_batches([this, project] {
    return retention_.delete_revoked_tokens(project, kept_tombstones, deleted_at_once,
                                            deadline::after(step_patience));
  });
  if (tokens + jobs > 0)
    log::info("revoked tokens and deleted jobs beyond what a project keeps are deleted",
              {{"project", project.to_string()}, {"tokens", tokens}, {"jobs", jobs}});
}

task<> run_maintenance::delete_audits(uuid project) {
  auto const total = co_await in_batches([this, project] {
    return retention_.delete_audits(project,
                                    std::max<milliseconds>(parts_.config.retention.trigger_audits, least_dropped_age),
                                    deleted_at_once, deadline::after(step_patience));
  });
  if (total > 0)
    log::info("old audit entries of triggers are deleted", {{"project", project.to_string()}, {"entries", total}});
}

task<> run_maintenance::delete_runners() {
  std::int64_t total = 0;
  for (std::int64_t gone = runners_at_once; gone == runners_at_once && parts_.loops.goes_on(); total += gone)
    gone = co_await retention_.delete_runners(runners_at_once, deadline::after(step_patience));
  if (total > 0) log::info("runners that were not seen for a day are deleted", {{"runners", total}});
}

}  // namespace svc::app
