#pragma once

#include <optional>
#include <string>

namespace svc {

/// Returns why this process cannot read a regular file, as the end of a sentence that begins with its path ("does not
/// exist"), or `std::nullopt` if it can. Opens the file, and never waits for the other end of a named pipe.
std::optional<std::string> file_problem(std::string const& path);

/// Returns true unless there is certainly no file at that path. A file that this process may not see counts
/// as existing, so that its user learns about the missing right.
bool may_exist(std::string const& path);

}  // namespace svc
