#pragma once

#include "svc/domain/audit.hpp"
#include "svc/domain/principal.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"

#include <string>
#include <string_view>
#include <vector>

// What every change shares: its audit row and the epochs it raises. Both are statements of the change's own
// transaction; the bump stands behind the statement that made the change, the audit row last.

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

}  // namespace svc::store
