#pragma once

#include "support/private_postgres.hpp"

#include <string>

namespace svc::test {

/// Gives this thread, and the processes that it starts from then on, mounts of their own, which end with them: as
/// root, or, where the kernel allows it and the process has one thread only, as anybody. Says why it could not; empty
/// when it could.
std::string enter_own_mounts();

/// A part of a server's data on a file system of that size, which a test fills. The server is restarted; needs mounts
/// of our own. On the main thread. Its end is the server's, too.
class small_filesystem {
 public:
  /// `part`: a directory in the server's data, such as `base` or `pg_wal`.
  small_filesystem(private_postgres& server, std::string const& part, std::size_t megabytes);
  ~small_filesystem();
  small_filesystem(small_filesystem const&) = delete;
  small_filesystem& operator=(small_filesystem const&) = delete;

  void fill() const;  ///< to the last byte
  void clear() const;

 private:
  private_postgres& server_;
  std::string path_;
};

}  // namespace svc::test
