#pragma once

#include <string>
#include <system_error>

namespace svc::runner {

/// Removes everything in the directory, with the rights of this thread only: a script that is still alive could lead
/// us only to places that it can reach itself.
std::error_code empty_directory(std::string const& path);

// A runner that crashes leaves the directories of its runs behind. So a directory is locked as long as its runner
// lives (flock(2)), also against other runners that use the same working directory.

/// Makes the directory `path` in `parent`, for its owner alone, and locks it. Returns the descriptor that holds the
/// lock, or -1 and errno.
int make_held_directory(std::string const& parent, std::string const& path);

/// Removes all directories in `parent` that no runner holds. What cannot be removed is logged. Call before the first
/// run. Never throws.
void remove_abandoned(std::string const& parent) noexcept;

}  // namespace svc::runner
