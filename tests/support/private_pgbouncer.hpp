#pragma once

#include "support/service.hpp"
#include "support/temporary_directory.hpp"

#include <string>

namespace svc::test {

/// Debian's PgBouncer in transaction mode for one test, on a Unix socket. Create it on the main thread.
class private_pgbouncer {
 public:
  /// `target`: the address of the databases in the syntax of its ini file, such as `host=/tmp/x`. `settings`: more
  /// lines of `[pgbouncer]`.
  explicit private_pgbouncer(std::string const& target, std::string const& settings = {});
  /// With a configuration of the test's own, which names everything.
  struct configured {
    std::string ini_file;
  };
  explicit private_pgbouncer(configured configured);

  std::string url(std::string const& user = "svc", std::string const& database = "postgres") const;
  /// Sends a command to its console, as its administrator.
  void command(std::string const& words) const;

 private:
  temporary_directory directory_;
  service process_;
};

}  // namespace svc::test
