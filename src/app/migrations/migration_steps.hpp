#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::app {

/// One statement of a migration that runs outside a transaction.
struct migration_step {
  std::string sql;
  bool repeated;  ///< executed until its command tag counts no row
};

/// Whether the file's first line says that it must not run in one transaction.
bool runs_outside_transaction(std::string_view file);

/// The line `-- compatible from V037` among the comments at the file's head: svcd whose last migration is V037 or a
/// later one also works on the schema that the file makes. Nothing without it: only svcd that has the file.
std::optional<int> compatible_from(std::string_view file);

/// The statements of such a file. One ends with `;` at the end of a line that is not inside `$$ ... $$` and is no
/// comment; the line `-- repeat` before one makes it repeated. Throws `std::logic_error` for a last statement that
/// does not end: a mistake in the sources. Pure.
std::vector<migration_step> migration_steps(std::string_view file);

}  // namespace svc::app
