#pragma once

#include "svc/core/secret.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace svc::cli {

/// Returns the content of a regular file, or `std::nullopt` if there is no such file. Throws `failure` (usage) for a
/// file that is not readable, is no regular file (the function does not wait for a FIFO), or has more than `most`
/// bytes.
std::optional<std::string> read_regular_file(std::string const& path, std::size_t most);

/// Returns the content of a file with secrets likewise. The file must belong to the user and be no symbolic link.
/// Other users must be able neither to read it nor to write to its directory.
std::optional<secret_string> read_private_file(std::string const& path, std::size_t most);

/// Returns a sentence about the wrong owner or mode of such a file; empty: neither is wrong, or there is no such
/// file.
std::string private_file_fault(std::string const& path);

/// Replaces a private file (mode 0600) by one with this content, or leaves the old one unchanged. Writes the new file
/// next to it, flushes it to the disk and renames it. Creates its directory (0700) if it is missing. Throws `failure`
/// (usage).
void replace_private_file(std::string const& path, std::string_view content);

/// Replaces likewise a file that other users may read (mode 0666, less the umask), in a directory that exists.
void replace_readable_file(std::string const& path, std::string_view content);

/// Replaces a program (mode 0755, less the umask) by one with these bytes, or leaves the old one unchanged. `try_out`
/// gets the path of the complete new file before the renaming, and may throw to keep the old one. Throws `failure`
/// (usage).
void replace_program(std::string const& path, std::string_view bytes,
                     std::function<void(std::string const&)> const& try_out);

/// Prevents other processes from changing a private file while this process reads and replaces it: an advisory lock
/// on `path.lock`, whose directory the constructor creates. Waits for at most 10 seconds, then throws `failure`
/// (usage). The destructor and the process's end release the lock.
class file_lock {
 public:
  explicit file_lock(std::string const& path);
  ~file_lock();
  file_lock(file_lock const&) = delete;
  file_lock& operator=(file_lock const&) = delete;

 private:
  int descriptor_;
};

/// Returns the directory of a path; `.` if the path has none.
std::string directory_of(std::string const& path);

}  // namespace svc::cli
