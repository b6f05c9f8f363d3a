#pragma once

#include "app/migrations/migration_steps.hpp"
#include "app/migrations/migrator.hpp"

#include <span>
#include <string>

namespace svc::app {

/// Executes the statements of a migration outside a transaction, in order. `name` is the migration's in the sentences
/// that tell the progress. Throws `database_error`.
void execute_steps(database_session& database, std::span<migration_step const> steps, std::string const& name,
                   speaker const& say);

}  // namespace svc::app
