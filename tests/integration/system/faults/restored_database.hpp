#pragma once

#include "support/fleet.hpp"
#include "support/private_postgres.hpp"
#include "support/private_redis.hpp"

#include <filesystem>
#include <memory>

namespace svc::test {

/// An installation whose database is archived, backed up and restored by the commands of docs/backup.md. Files like
/// the certificate are those of a fleet. Used by one thread.
class restored_database {
 public:
  explicit restored_database(fleet& fleet);

  /// Starts an instance that serves; call it on the main thread.
  std::unique_ptr<configured_service> serve() const;
  boost::json::object admin(std::vector<std::string> arguments, std::string const& input = {}) const;
  sql_rows sql(std::string const& statements) const { return ask_postgres(url("svc"), statements); }
  std::string ask(std::string const& file, std::string const& since) const;

  void back_up() const;
  /// Stops the server, replaces its data by the backup and replays the archive up to that time. Empty: to the end of
  /// the archive, as a copy that adds nothing to it.
  void restore(std::string const& out);
  private_redis& redis() { return redis_; }

 private:
  std::string url(std::string const& database, std::string const& user = "svc") const;
  std::vector<std::string> environment() const;

  fleet& fleet_;
  temporary_directory directory_;  ///< archive and backup; any user may write
  private_redis redis_;
  private_postgres postgres_;
};

/// Creates the roles and the database `svc` with its schema on a new server; the schema by the URL of `svc_owner`.
void make_service_database(std::string const& superuser_url, std::string const& owner_url);

/// Returns psql's output for one of deploy/postgres/*.sql on a server with that URL.
std::string ask_by_psql(private_postgres const& server, std::string const& url, std::string const& file,
                        std::string const& since);

/// Throws when the shell's command fails.
void run_shell(std::string const& command);

}  // namespace svc::test
