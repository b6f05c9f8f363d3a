#pragma once

#include "svc/core/async.hpp"
#include "svc/core/result.hpp"
#include "svc/domain/audit.hpp"
#include "svc/domain/principal.hpp"
#include "svc/domain/quota.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"

#include <string>
#include <string_view>
#include <vector>

// The statements that changes share: the audit row, the bump of epochs, the lock on the project, the check of its
// quotas. All are part of the change's own transaction. The bump comes after the statement that makes the change. The
// audit row comes last, unless the change may end the writer's own right, which the audit row checks.

namespace svc::store {

/// The INSERT of one audit row under a new id.
postgres::query audit_query(audit_entry const& entry);

/// The User-Agent as printable ASCII, at most 512 bytes. A header may hold any bytes but a text column only valid
/// UTF-8, and a change must not fail because of its User-Agent.
std::string audit_user_agent(std::string_view text);

/// Bumps the epochs of these subjects and writes the outbox row; read the result with `read_epochs`. Only for
/// subjects known before the change. If they must be searched for, use a statement `SELECT subject_id, subject_epoch
/// FROM bump_subjects(ARRAY(SELECT ...))` after the change instead.
postgres::query bump_query(std::vector<uuid> const& subjects);

/// Reads rows (subject, epoch), such as those of `bump_query`.
std::vector<subject_epoch> read_epochs(postgres::rows const& found);

/// Ends a change that input cannot make fail: runs `changes`, `audited` and `reread`, then COMMIT. Returns the rows
/// of `reread`.
task<postgres::rows> commit_change(postgres::unit_of_work& work, std::vector<postgres::query> changes,
                                   postgres::query audited, postgres::query reread);

/// Reports to the listener (null: nobody) that unknown things of this kind have changed in these projects, which may
/// repeat. Requires that the changes were committed.
void report_changes(change_listener const& listener, std::string_view resource, std::vector<uuid> projects);

/// An error for each id of `wanted` that is not in column 0 of `known`. Its pointer is `before`, the index, `after`.
std::vector<field_error> check_known(std::vector<uuid> const& wanted, postgres::rows const& known,
                                     std::string_view before, std::string_view after, std::string_view reason);

/// Locks the project until COMMIT, so that nothing is created in a project that is being archived. No row: it is
/// archived or does not exist. Column 0 is the database's time.
postgres::query lock_project_query(uuid project);

/// A resource counted in `project_usage`, and the errors for exceeding the quota of its number or its bytes.
struct counted_kind {
  std::string_view name;
  errc too_many;
  errc too_large;
};
inline constexpr counted_kind counted_jobs{"jobs", errc::job_limit_reached, errc::job_limit_reached};
inline constexpr counted_kind counted_monitors{"monitors", errc::monitor_limit_reached, errc::monitor_limit_reached};
inline constexpr counted_kind counted_providers{"notification_providers", errc::provider_limit_reached,
                                                errc::provider_limit_reached};
inline constexpr counted_kind counted_pages{"status_pages", errc::status_page_limit_reached,
                                            errc::status_page_limit_reached};
inline constexpr counted_kind counted_posts{"page_posts", errc::page_bytes_exceeded, errc::page_bytes_exceeded};
inline constexpr counted_kind counted_tests{"tests", errc::test_limit_reached, errc::script_bytes_exceeded};
inline constexpr counted_kind counted_variables{"variables", errc::variable_limit_reached,
                                                errc::variable_bytes_exceeded};

/// A change that increases what a project uses. Checked before the write, so that a full project costs no write, and
/// asserted after it in the same transaction, so that concurrent changes together cannot exceed the quota. A value.
struct growth {
  uuid project;
  counted_kind counted_kind;
  amount most;  ///< 0: any number
  amount more{};

  /// Reads the usage: one row, or none if the project has never had such a resource.
  postgres::query look() const;
  /// Returns success if the quota has room, by the rows of `look`.
  result<> fits(postgres::rows const& looked) const;
  /// Must run after the statement that writes.
  postgres::query assertion() const;
  /// The error for a batch that the assertion made fail; throws if it failed for another reason.
  error refusal(postgres::server_error const& failure) const;
};

}  // namespace svc::store
