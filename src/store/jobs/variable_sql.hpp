#pragma once

#include "svc/core/master_keys.hpp"
#include "svc/core/secret.hpp"
#include "svc/postgres/rows.hpp"

// What users' and runners' reading of variables share.

#define SVC_VARIABLE_COLUMNS                                                                                        \
  " v.id, v.key, v.is_secret, v.description, v.version, v.created_at, v.updated_at, v.sealed, k.key_id, k.wrapped," \
  " k.master_key_id "
#define SVC_VARIABLE_TABLES \
  "FROM variables v JOIN project_keys k ON k.project_id = v.project_id AND k.key_id = v.key_id "

namespace svc::store {

/// The value of the columns above, which begin at `first`. Throws `unavailable` when it does not open.
secret_string open_variable(master_keys& master, postgres::row r, int first, uuid project);

}  // namespace svc::store
