#pragma once

#include "svc/core/secret.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace svc::cli {

/// The content of a regular file. Nothing: there is no such file. Throws `failure` (usage) for one that cannot be
/// read, is no regular file (a FIFO is not waited for), or has more than `most` bytes.
std::optional<std::string> read_regular_file(std::string const& path, std::size_t most);

/// The same of a file with secrets, which must belong to the user, be readable by nobody else and be no symbolic
/// link; the directory must not be writable for others.
std::optional<secret_string> read_private_file(std::string const& path, std::size_t most);

/// What is wrong with the owner or mode of such a file, a sentence; empty: nothing, or there is no such file.
std::string private_file_fault(std::string const& path);

/// Replaces a private file (mode 0600) by one with this content, or leaves the old one as it is: written beside it,
/// flushed to the disk, renamed. Makes its directory (0700) if there is none. Throws `failure` (usage).
void replace_private_file(std::string const& path, std::string_view content);

/// The same for a file that others may read (mode 0666, less the umask), in a directory that exists.
void replace_readable_file(std::string const& path, std::string_view content);

/// Replaces a program (mode 0755, less the umask) by one with these bytes, or leaves the old one as it is. `try_out`
/// gets the path of the complete new file before it is renamed, and may throw to keep the old one. Throws `failure`
/// (usage).
void replace_program(std::string const& path, std::string_view bytes,
                     std::function<void(std::string const&)> const& try_out);

/// Keeps other processes from changing a private file while one is read and replaced: an advisory lock on
/// `path.lock`, whose directory is made. Waits for at most 10 seconds, then throws `failure` (usage). Released by the
/// destructor and by the process's end.
class file_lock {
 public:
  explicit file_lock(std::string const& path);
  ~file_lock();
  file_lock(file_lock const&) = delete;
  file_lock& operator=(file_lock const&) = delete;

 private:
  int descriptor_;
};

/// Where a path's last part begins is its directory's end; `.` if it has none.
std::string directory_of(std::string const& path);

}  // namespace svc::cli
