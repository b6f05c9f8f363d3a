#include "app/migrations/migrator.hpp"

#include "svc/core/deadline.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>

namespace svc::app {
namespace {

constexpr std::string_view undefined_table = "42P01";
constexpr std::chrono::seconds progress_interval{5};

void repeat_step(database_session& database, migration_step const& step, std::string const& name,
                 speaker const& say) {
  std::int64_t rows = 0;
  auto reported = steady::now();
  while (auto const more = database.count(step.sql)) {
    rows += more;
    if (steady::now() - reported < progress_interval) continue;
    reported = steady::now();
    say(name + ": " + std::to_string(rows) + " rows");
  }
  if (rows > 0) say(name + ": " + std::to_string(rows) + " rows, all");
}

/// Executes the statements that the step's query returns, each outside a transaction. The running service may drop a
/// table after the query. A statement that misses its table is skipped if the query no longer returns the statement.
void run_each(database_session& database, migration_step const& step, std::string const& name, speaker const& say) {
  auto const statements = database.run(step.sql);
  std::size_t number = 0;
  for (auto const& statement : statements) {
    say(name + ": statement " + std::to_string(++number) + " of " + std::to_string(statements.size()));
    try {
      database.run(statement.at(0).value_or(""));
    } catch (database_error const& e) {
      if (e.sqlstate() != undefined_table) throw;
      auto const wanted = database.run(step.sql);
      if (std::find(wanted.begin(), wanted.end(), statement) != wanted.end()) throw;
      say(name + ": skipped, because the table was dropped meanwhile");
    }
  }
}

}  // namespace

void execute_steps(database_session& database, std::span<migration_step const> steps, std::string const& name,
                   speaker const& say) {
  std::size_t number = 0;
  for (auto const& step : steps) {
    say(name + ": step " + std::to_string(++number) + " of " + std::to_string(steps.size()));
    switch (step.kind) {
      case step_kind::single:
        database.run(step.sql);
        break;
      case step_kind::repeated:
        repeat_step(database, step, name, say);
        break;
      case step_kind::each:
        run_each(database, step, name, say);
        break;
    }
  }
}

}  // namespace svc::app
