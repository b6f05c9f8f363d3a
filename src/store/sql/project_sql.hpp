// What is sealed in a project is sealed by the project's data key, which a master key wraps. Both are bound to their
// place: a sealed value to project and row, a data key to project and key id.
#pragma once

#include "svc/core/master_keys.hpp"
#include "svc/core/uuid.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/postgres/query.hpp"

namespace svc::store {

/// Holds the project until COMMIT, so that nothing is created in one that is being archived. No row: it is
/// archived. Column 0 is the database's time.
postgres::query lock_project_query(uuid project);

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

}  // namespace svc::store
