#pragma once

#include "store/sql/sql_text.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/core/secret.hpp"
#include "svc/core/uuid.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/postgres/rows.hpp"

// Everything that is sealed in a project is sealed with the project's data key, which is wrapped with a master key.
// A sealed value is bound to its project and row, a wrapped data key to its project and key id.

namespace svc::store {

// The columns and tables of a sealed variable, for users and for runners.
inline constexpr auto variable_columns = sql(
    " v.id, v.key, v.is_secret, v.description, v.version, v.created_at, v.updated_at, v.sealed, k.key_id, k.wrapped,"
    " k.master_key_id ");
inline constexpr auto variable_tables =
    sql("FROM variables v JOIN project_keys k ON k.project_id = v.project_id AND k.key_id = v.key_id ");

/// An opened data key. Kept only for the duration of one change.
struct project_key {
  uuid id;
  secret_bytes plain;
};

/// The project's data key, created on first use. Concurrent requests get the same key.
task<project_key> data_key_of(postgres::unit_of_work& work, master_keys& master, uuid project);

/// Throws `unavailable` when no configured master key opens it.
secret_bytes open_data_key(master_keys& master, uuid project, uuid key, std::string_view master_id,
                           byte_view wrapped);

/// The associated data that binds a sealed value to its project and row, or a wrapped data key to its project and id.
std::string place_of(uuid project, uuid row);

/// Opens the value of a variable; `variable_columns` start at column `first`. Throws `unavailable` when the value
/// cannot be opened.
secret_string open_variable(master_keys& master, postgres::row r, int first, uuid project);

}  // namespace svc::store
