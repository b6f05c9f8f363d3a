#pragma once

#include "app/configuration/configuration.hpp"
#include "app/database_session.hpp"
#include "app/migration_plan.hpp"

#include <functional>
#include <string>

namespace svc::app {

/// Tells the operator something in one sentence.
using speaker = std::function<void(std::string const& sentence)>;

/// Applies what is pending, each file in a transaction of its own, under an advisory lock, so that several at
/// once do it once. Waits up to `patience` for the database. Returns the exit code.
int migrate(secret_string const& url, bool dry_run, milliseconds patience, speaker const& say);

/// What the database lacks or has too much of; an empty database lacks everything.
migration_plan read_plan(database_session& database);

/// Blocks until the database is there and has exactly this program's schema, saying once per state what it
/// waits for: a service that exits instead would be restarted in a loop. Also warns when the instances could
/// take more connections than the server has.
void wait_for_schema(configuration const& with, speaker const& say);

}  // namespace svc::app
