#pragma once

#include "cli/commands/staged_diff.hpp"

#include <functional>
#include <string>
#include <vector>

namespace svc::cli {

/// The credentials found, and the unreadable parts (a sentence each).
struct scan_result {
  std::vector<token_location> found;
  std::vector<std::string> unread;
};

/// Searches for credentials in a file, or in every regular file below a directory, in the order of their names. Skips
/// directories called `.git`, files with a NUL among their first 8 KiB (binary), and symbolic links other than `path`
/// itself. Reads files of any size in pieces. Throws `failure` (usage) when there is no such path.
void scan_tree(std::string const& path, scan_result& into);

/// Searches for credentials in the lines that git's index adds to HEAD, in the repository of the working directory.
/// Throws `failure` (usage) when git is missing or fails.
void scan_staged(scan_result& into);

}  // namespace svc::cli
