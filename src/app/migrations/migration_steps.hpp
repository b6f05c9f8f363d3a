#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::app {

/// Selects how the migrator executes a statement of a migration that runs outside a transaction.
enum class step_kind {
  single,    ///< The migrator executes the statement once.
  repeated,  ///< The migrator repeats the statement until its command tag counts no row.
  each       ///< The statement is a query. The migrator executes each statement that the query returns.
};

/// One statement of a migration that runs outside a transaction.
struct migration_step {
  std::string sql;
  step_kind kind;
};

/// Returns true if the file's first line says that it must not run in one transaction.
bool runs_outside_transaction(std::string_view file);

/// Reads the line `-- compatible from V037` among the comments at the file's head: svcd with V037 or later as
/// its last migration also works on the schema after this file. Returns nothing without the line: only svcd
/// that has the file works.
std::optional<int> compatible_from(std::string_view file);

/// Returns the statements of such a file. A statement ends with `;` at the end of a line that is not inside
/// `$$ ... $$` and is no comment. The line `-- repeat` or `-- each` before a statement selects its kind. Throws
/// `std::logic_error` if the last statement does not end, or if a statement has both lines: mistakes in the sources.
/// Pure.
std::vector<migration_step> migration_steps(std::string_view file);

}  // namespace svc::app
