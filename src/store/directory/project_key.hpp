#pragma once

#include "svc/core/master_keys.hpp"
#include "svc/core/secret.hpp"
#include "svc/core/uuid.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/postgres/rows.hpp"

// What is sealed in a project is sealed by the project's data key, which a master key wraps. Both are bound to their
// place: a sealed value to project and row, a data key to project and key id.

// A sealed variable, as it is read for users and for runners.
#define SVC_VARIABLE_COLUMNS                                                                                        \
  " v.id, v.key, v.is_secret, v.description, v.version, v.created_at, v.updated_at, v.sealed, k.key_id, k.wrapped," \
  " k.master_key_id "
#define SVC_VARIABLE_TABLES \
  "FROM variables v JOIN project_keys k ON k.project_id = v.project_id AND k.key_id = v.key_id "

namespace svc::store {

/// An opened data key. Lives as long as one change.
struct project_key {
  uuid id;
  secret_bytes plain;
};

/// The project's data key; makes it on first use. Two makers end with the same one.
task<project_key> data_key_of(postgres::unit_of_work& work, master_keys& master, uuid project);

/// Throws `unavailable` when no master key here opens it.
secret_bytes open_data_key(master_keys& master, uuid project, uuid key, std::string_view master_id,
                           byte_view wrapped);

/// What binds a sealed value or a wrapped data key to its place.
std::string place_of(uuid project, uuid row);

/// The value of the variable whose columns are those above, from `first` on. Throws `unavailable` when it does not
/// open.
secret_string open_variable(master_keys& master, postgres::row r, int first, uuid project);

}  // namespace svc::store
