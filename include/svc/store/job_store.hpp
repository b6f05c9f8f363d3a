#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/domain/job.hpp"
#include "svc/domain/page.hpp"
#include "svc/domain/quota.hpp"
#include "svc/store/change.hpp"

#include <functional>
#include <optional>
#include <string>

namespace svc::postgres {
class pool;
class unit_of_work;
}  // namespace svc::postgres

namespace svc::store {

enum class job_order : std::uint8_t { newest, oldest, name, name_descending };

/// Which jobs of a list are wanted; empty: all.
struct job_filter {
  std::optional<std::string> status{};  ///< of the last run, or pending
  std::optional<std::string> search{};  ///< literal, case-insensitive part of the name
  job_order order = job_order::newest;
};

/// The settings a job shall have, from those it has. Called under its lock; pure.
using job_edit = std::function<result<job_settings>(job const& current)>;

/// Jobs and their order of tests. Worker-local; the pool outlives it. Every method throws `unavailable` when
/// the database is gone or late; then a change may or may not have happened.
class job_store {
 public:
  explicit job_store(postgres::pool& db, quota_table quotas = {}) : db_(db), quotas_(quotas) {}

  /// Rows and `total` (page_facts) are of one snapshot.
  task<page<job>> list(uuid project, job_filter filter, page_request wanted, deadline until);
  /// not_found.
  task<result<job>> get(uuid project, uuid id, deadline until);
  /// validation_failed (tests, alert providers), project_archived, job_limit_reached. The settings are checked but
  /// for that.
  task<result<job>> create(editor by, uuid owner, job_settings wanted, deadline until);
  /// not_found, precondition_failed, validation_failed, what `edit` returns.
  task<result<job>> update(editor by, uuid id, job_edit edit, deadline until);
  /// Revokes the job's trigger keys with it. not_found, with the epochs of its keys when it was deleted before;
  /// precondition_failed.
  task<change<>> remove(editor by, uuid id, deadline until);

 private:
  /// validation_failed when the job names tests or alert providers it may not; holds them until COMMIT.
  static task<result<>> check_named(postgres::unit_of_work& work, uuid project, job_settings wanted);

  postgres::pool& db_;
  quota_table quotas_;
};

}  // namespace svc::store
