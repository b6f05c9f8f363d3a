#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace svc::cli {

/// The same JSON text in one line, or indented by two spaces for each level (`pretty`). Numbers and strings stay as
/// they are written, so that no integer is rounded; in the indented form, which people see, what `harmless` would
/// show is escaped (`\u009b`). For any text that is not JSON, something that is not JSON either.
std::string laid_out(std::string_view json, bool pretty);

/// The texts of the elements of the array that the object `json` has under that name; none if it has none. They live
/// as long as `json`.
std::vector<std::string_view> elements_of(std::string_view json, std::string_view member);

}  // namespace svc::cli
