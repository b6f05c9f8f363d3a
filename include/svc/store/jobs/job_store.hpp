#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/job.hpp"
#include "svc/domain/page.hpp"
#include "svc/domain/quota.hpp"
#include "svc/store/change.hpp"
#include "svc/store/runs/queue_gate.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace svc::postgres {
class pool;
class unit_of_work;
}  // namespace svc::postgres

namespace svc::postgres {
class pool;
}

namespace svc::store {

enum class job_order : std::uint8_t { newest, oldest, name, name_descending };

/// Selects jobs of a list; an empty filter matches all.
struct job_filter {
  std::optional<std::string> status{};  ///< of the job's last run; `pending` if it has none
  std::optional<std::string> search{};  ///< literal, case-insensitive substring of the name
  job_order order = job_order::newest;
};

/// Computes a job's new settings from its current ones. Pure; called while the job is locked.
using job_edit = std::function<result<job_settings>(job const& current)>;

/// Jobs and their ordered tests. Worker-local; the pool outlives it. Every method throws `unavailable` when
/// the database is gone or late; then a change may or may not have happened.
class job_store {
 public:
  explicit job_store(postgres::pool& db, quota_table quotas = {}) : db_(db), quotas_(quotas) {}

  /// Rows and `total` (page_facts) come from one snapshot.
  task<page<job>> list(uuid project, job_filter filter, page_request wanted, deadline until);
  /// Errors: not_found.
  task<result<job>> get(uuid project, uuid id, deadline until);
  /// Errors: validation_failed (tests, alert providers), project_archived, job_limit_reached. The caller has checked
  /// everything else about the settings.
  task<result<job>> create(editor editor, uuid owner, job_settings wanted, deadline until);
  /// Errors: not_found, precondition_failed, validation_failed, and any error of `edit`.
  task<result<job>> update(editor editor, uuid id, job_edit edit, deadline until);
  /// Also revokes the job's trigger keys. not_found (with the epochs of its keys if the job was deleted earlier),
  /// precondition_failed.
  task<change<>> remove(editor editor, uuid id, deadline until);

 private:
  /// validation_failed when the job names tests or alert providers that it may not use. Locks the tests until COMMIT.
  static task<result<>> check_named(postgres::unit_of_work& work, uuid project, job_settings wanted);

  postgres::pool& db_;
  quota_table quotas_;
};

/// The outcome of one due time of a job.
struct fired_schedule {
  uuid job;
  uuid run{};  ///< queued by this; meaningless if skipped
  /// job_has_no_tests, parameters_missing, max_concurrent_runs, queue_full, project_archived; empty: a run was queued
  std::string skipped{};
  uuid organization{};
  uuid project{};
  std::string job_type{};
  milliseconds late{0};  ///< time since the due time
  bool last = false;     ///< the schedule has no later time
};

/// Schedules of jobs. Any number of instances may fire them: `jobs.next_run_at` is read under the row's lock and
/// advanced in the transaction that creates the run, so each due time fires once. Worker-local; the pool outlives it.
/// Every method throws `unavailable` when the database is gone or late.
class schedule_store {
 public:
  explicit schedule_store(postgres::pool& db, queue_gate gate = {}) : db_(db), gate_(std::move(gate)) {}

  /// Fires up to `most` jobs that are due by the database's clock and not locked by others, the longest overdue
  /// first. A job fires once, however many due times it has missed. Each gets an audit row, except in archived
  /// projects.
  task<std::vector<fired_schedule>> fire(std::int64_t most, deadline until);

  struct mended_job {
    std::int64_t given = 0;       ///< jobs that now have a next time
    std::optional<uuid> after{};  ///< continue after this job; empty: no more jobs
  };
  /// Computes the next time of up to `most` enabled jobs after this id that have a schedule but no next time.
  task<mended_job> mend(std::optional<uuid> after, std::int64_t most, deadline until);
  /// Skips up to `most` due times that have passed, each with an audit row; `mend` computes the next ones.
  /// Returns the jobs.
  task<std::vector<changed_thing>> skip_missed(std::string reason, std::int64_t most, deadline until);

 private:
  postgres::pool& db_;
  queue_gate gate_;
};

}  // namespace svc::store
