#pragma once

#include "app/configuration/configuration.hpp"
#include "app/migrations/database_session.hpp"
#include "app/migrations/migration_steps.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace svc::app {

/// One file of schema/postgres, embedded: `V001__identity.sql` is version 1, name `identity`.
struct migration {
  int version;
  std::string name;
  std::string_view sql;
  std::string checksum;  ///< SHA-256 of the file, hexadecimal
  int compatible_from;   ///< the database after this file supports programs whose last migration has at least this
                         ///< version
};

/// One row of `schema_migrations`.
struct applied_migration {
  int version;
  std::string name;
  std::string checksum;
  int compatible_from;
};

/// The difference between a database and this program's schema. Run nothing unless `problems` is empty.
struct migration_plan {
  std::vector<migration const*> pending{};
  std::vector<std::string> problems{};
  std::vector<std::string> newer{};  ///< migrations that this program does not know, but works with

  bool current() const { return pending.empty() && problems.empty(); }
};

/// This program's migrations in order of version.
std::vector<migration> const& embedded_migrations();

/// Throws `std::logic_error` for a name that is not `V<digits>__<name>.sql`: a mistake in the sources.
migration make_migration(std::string_view file_name, std::string_view sql);

/// Refuses a changed file, a database newer than this program works with, and a pending file older than an applied
/// one. Pure.
migration_plan plan_migrations(std::span<migration const> ours, std::span<applied_migration const> applied);

/// Shows the operator one sentence.
using speaker = std::function<void(std::string const& sentence)>;

/// Creates `schema_migrations`, or adds the columns that an older program's table lacks. Throws `database_error`.
void prepare_record(database_session& database);

/// Executes a file and records it in `schema_migrations`, both in one transaction. A file that must run outside of a
/// transaction runs each statement by itself, and the record follows the last one. So an interrupted file runs again
/// from its start. Throws `database_error`.
void apply_migration(database_session& database, migration const& migration, speaker const& say);

/// Executes the statements of a migration outside a transaction, in order. `name` is the migration's name in the
/// lines of the progress. Throws `database_error`.
void execute_steps(database_session& database, std::span<migration_step const> steps, std::string const& name,
                   speaker const& say);

/// Applies the pending migrations in order, under an advisory lock, so that concurrent calls apply each file once.
/// Waits up to `patience` for the database, and for each file whose `lock_timeout` passes. Returns the exit code.
int migrate(secret_string const& url, bool dry_run, milliseconds patience, speaker const& say);

/// Returns PostgreSQL's message about the service's login. If a right is missing, the message includes the command
/// that grants it. Pure.
std::string with_remedy_of_login(database_error const& problem);

/// Returns the migrations that the database lacks or has in excess; an empty database lacks all.
migration_plan read_plan(database_session& database);

/// Blocks until the database is reachable and has this program's schema, or a newer one that the program supports.
/// Calls `wait` once per state with the reason for waiting, because a service manager would restart an exiting
/// service in a loop. Calls `say` about a newer schema, and when the instances could open more connections than the
/// server accepts.
void wait_for_schema(configuration const& config, speaker const& say, speaker const& wait);

/// Returns "1 migration is missing" or "53 migrations are missing".
std::string missing_migrations(migration_plan const& plan);

}  // namespace svc::app
