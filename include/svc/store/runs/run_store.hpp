#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/page.hpp"
#include "svc/domain/run.hpp"
#include "svc/store/change.hpp"
#include "svc/store/runs/queue_gate.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace svc::postgres {
class pool;
struct query;
}  // namespace svc::postgres

namespace svc::store {

class key_waits;

/// Selects runs of a list; an empty filter matches all.
struct run_filter {
  std::optional<uuid> job{};
  std::optional<std::string> status{};
  std::optional<std::string> trigger{};
  std::optional<timestamp> start{};  ///< created at this time or later
  std::optional<timestamp> end{};    ///< created before this time
};

/// A request to run one test without a job. A value.
struct test_execution {
  uuid test;
  std::string triggered_by{};     ///< the token's name
  std::string idempotency_key{};  ///< empty: none
  std::string request_hash{};     ///< with a key: 64 hexadecimal digits that distinguish requests for the test
  std::string trace_parent{};     ///< the value of TRACEPARENT for the run's script; empty: none
};
struct executed_run {
  run made;
  bool replayed = false;  ///< created by an earlier request with the same key; it may be `deleted`
};

/// A runner that takes runs of the type of a waiting run.
struct waited_runner {
  std::string name;
  std::int64_t slots = 0;
  std::int64_t busy = 0;   ///< runs that it holds, of all projects
  timestamp last_seen_at;  ///< it asked for work, or sent a heartbeat, about then
  bool full = false;       ///< it takes no further run of the project
};

/// A run in the queue, with what decides when it starts.
struct run_waiting {
  std::string status;                     ///< queued or running
  std::optional<std::int64_t> limit{};    ///< the limit of the job
  std::optional<std::int64_t> running{};  ///< running runs of the job, if it has a limit
  std::vector<waited_runner> runners{};   ///< those alive, the last seen first; at most 1 000
};

/// Runs: the authoritative queue and its history. `trigger_batcher` creates the runs of jobs. Worker-local; the pool
/// outlives it. Every method throws `unavailable` when the database is gone or late; then a change may or may not
/// have happened.
class run_store {
 public:
  explicit run_store(postgres::pool& db, queue_gate gate = {});

  /// Rows and `total` (page_facts) come from one snapshot.
  task<page<run>> list(uuid project, run_filter filter, page_request wanted, deadline until);
  /// Errors: not_found.
  task<result<run>> get(uuid project, uuid id, deadline until);
  /// Returns the changing fields of a run, from one row, without the large ones. Errors: not_found.
  task<result<run_progress>> progress(uuid project, uuid id, deadline until);
  /// Returns what a run in the queue waits for. `most_of_project` are the slots that a project may hold of a shared
  /// runner; 0: all. Errors: not_found, run_already_over.
  task<result<run_waiting>> waiting(uuid project, uuid id, std::int64_t most_of_project, deadline until);
  /// Ends a queued run, or marks a running one so that its runner ends it. Errors: not_found, run_already_over.
  task<result<run>> cancel(editor editor, uuid id, deadline until);
  /// Queues a run of one test; writes run, key and audit row in one transaction. Errors: not_found,
  /// idempotency_mismatch, queue_full, idempotency_in_progress (the key's first request has not finished by the
  /// deadline, or eight requests with the key already wait here).
  task<result<executed_run>> execute(editor editor, test_execution wanted, deadline until);
  /// Deletes an ended run. Its idempotency key keeps enough of it to answer retries. Errors: not_found,
  /// precondition_failed, run_not_over.
  task<result<>> remove(editor editor, uuid id, deadline until);
  /// Returns the runs among these that have ended.
  task<std::vector<uuid>> ended(std::vector<uuid> ids, deadline until);
  /// Deletes a batch of expired idempotency keys. True: there may be more.
  task<bool> sweep_keys(deadline until);

 private:
  postgres::pool& db_;
  queue_gate gate_;
  std::shared_ptr<key_waits> same_keys_;  ///< for executions
};

/// Deletes ended runs with their output, never queued or running ones. An idempotency key outlives its run. Any
/// number of instances may do this. Worker-local; the pool outlives it. Every method throws `unavailable` when the
/// database is gone or late.
class retention_store {
 public:
  explicit retention_store(postgres::pool& db) : db_(db) {}

  /// Call before the first deletion. The listener gets the projects of deleted runs and runners, without their ids,
  /// after each COMMIT; the projects of dropped partitions are not known. The runners of an organisation belong to
  /// each of its projects, of which a statement reports at most 1 000. No page shows audit rows, revoked tokens or
  /// deleted jobs as things of a project.
  void when_deleted(change_listener deleted) { deleted_ = std::move(deleted); }

  /// Drops the oldest partitions of runs if all their runs ended longer ago than `age`, which is at least a day.
  /// Returns the number of dropped runs; empty: nothing can be dropped now. May take a minute.
  task<std::optional<std::int64_t>> drop_oldest(milliseconds age, deadline until);
  /// Deletes up to `most` of the runs that ended longer ago than `age`, the oldest first. Returns the number deleted.
  task<std::int64_t> delete_older(milliseconds age, std::int64_t most, deadline until);

  /// Selects the owner whose runs are counted: each job, or each project with its runs of single tests.
  enum class run_owner { job, project };
  /// The runs of an owner beyond the number that it may keep: this run and all older ones.
  struct excess {
    run_owner kind;
    uuid owner;
    uuid run;
  };
  struct surplus {
    std::vector<excess> owners{};
    std::optional<uuid> after{};  ///< continue after this owner; empty: no more owners
  };
  /// Finds the owners with more than `kept` runs among the next `owners` of this kind after this id.
  task<surplus> find_surplus(run_owner kind, std::optional<uuid> after, std::int64_t kept, std::int64_t owners,
                             deadline until);
  /// Deletes up to `most` ended runs of an excess, the oldest first. Returns the number deleted.
  task<std::int64_t> delete_excess(excess runs, std::int64_t most, deadline until);
  /// Deletes up to `most` ended runs of a project's deleted jobs beyond the newest `jobs` of these. Returns the
  /// number deleted.
  task<std::int64_t> delete_runs_of_deleted_jobs(uuid project, std::int64_t jobs, std::int64_t most, deadline until);

  /// Returns the next `most` projects after this id, in the order of their ids.
  task<std::vector<uuid>> next_projects(std::optional<uuid> after, std::int64_t most, deadline until);
  /// Deletes up to `most` audit rows of a project's triggers and executions that are older than `age`, which is at
  /// least a day. Returns the number deleted.
  task<std::int64_t> delete_audits(uuid project, milliseconds age, std::int64_t most, deadline until);
  /// Deletes up to `most` of a project's revoked tokens beyond the newest `kept` (at least 100), the oldest first,
  /// with their secrets. Tokens revoked within ten minutes stay. Returns the number deleted.
  task<std::int64_t> delete_revoked_tokens(uuid project, std::int64_t kept, std::int64_t most, deadline until);
  /// The same for deleted jobs, with their keys. Jobs with queued runs or repeatable triggers stay.
  task<std::int64_t> delete_deleted_jobs(uuid project, std::int64_t kept, std::int64_t most, deadline until);
  /// Deletes up to `most` runners that were not seen for a day and hold no run. Returns the number deleted.
  task<std::int64_t> delete_runners(std::int64_t most, deadline until);

 private:
  task<std::int64_t> remove(std::string_view resource, postgres::query ask, deadline until);

  postgres::pool& db_;
  change_listener deleted_{};
};

}  // namespace svc::store
