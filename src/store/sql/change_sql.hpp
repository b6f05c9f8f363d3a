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

// What changes share: the audit row, the epochs they raise, the hold on their project, what the project may hold. All
// are statements of the change's own transaction; the bump stands behind the statement that made the change, the
// audit row last.

namespace svc::store {

/// The INSERT of one audit row under a new id.
postgres::query audit_query(audit_entry const& entry);

/// A header may hold any bytes, a text column only valid UTF-8; a change must not fail for its User-Agent.
std::string audit_user_agent(std::string_view text);

/// Raises the epochs of these subjects and writes the outbox row; read the answer with `read_epochs`.
/// Only for subjects known before the change; where rows must be searched for, write a statement
/// `SELECT subject_id, subject_epoch FROM bump_subjects(ARRAY(SELECT ...))` behind the change instead.
postgres::query bump_query(std::vector<uuid> const& subjects);

/// Reads the epochs as they stand, for answers that changed nothing.
postgres::query epochs_query(std::vector<uuid> const& subjects);

/// The rows (subject, epoch) of any of the three statements above.
std::vector<subject_epoch> read_epochs(postgres::rows const& found);

/// The end of a change that input cannot make fail: its audit row, then what now stands, then COMMIT. Gives the rows
/// of `reread`.
task<postgres::rows> commit_change(postgres::unit_of_work& work, std::vector<postgres::query> changes,
                                   postgres::query audited, postgres::query reread);

/// An error for each of `wanted` whose id is not in column 0 of `known`; points at `before`, its index, `after`.
std::vector<field_error> check_known(std::vector<uuid> const& wanted, postgres::rows const& known,
                                     std::string_view before, std::string_view after, std::string_view why);

/// Holds the project until COMMIT, so that nothing is created in one that is being archived. No row: it is
/// archived. Column 0 is the database's time.
postgres::query lock_project_query(uuid project);

/// A kind of things that are counted in `project_usage`, and how a project that is full of them is told.
struct counted_kind {
  std::string_view name;
  errc too_many;
  errc too_large;
};
inline constexpr counted_kind counted_jobs{"jobs", errc::job_limit_reached, errc::job_limit_reached};
inline constexpr counted_kind counted_tests{"tests", errc::test_limit_reached, errc::script_bytes_exceeded};
inline constexpr counted_kind counted_variables{"variables", errc::variable_limit_reached,
                                                errc::variable_bytes_exceeded};

/// A change that makes a project hold more. Looked at before it is written, so that a full project costs nothing, and
/// asserted behind it in the same transaction, which nobody who comes at the same moment passes. A value.
struct growth {
  uuid project;
  counted_kind of;
  amount most;  ///< 0: any number
  amount more{};

  /// One row, or none while the project never held such a thing.
  postgres::query look() const;
  /// By the rows of `look`.
  result<> fits(postgres::rows const& looked) const;
  /// Stands behind the statement that writes.
  postgres::query assertion() const;
  /// Why a batch with the assertion was refused; throws for any other reason.
  error refusal(postgres::server_error const& why) const;
};

}  // namespace svc::store
