#pragma once

#include "svc/postgres/query.hpp"

namespace svc::store {

/// Holds the project until COMMIT, so that nothing is created in one that is being archived. No row: it is
/// archived. Column 0 is the database's time.
postgres::query lock_project_query(uuid project);

}  // namespace svc::store
