#include "support/private_pgbouncer.hpp"

#include "support/store_probe.hpp"

#include <libpq-fe.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

namespace svc::test {
namespace {

/// The lines of docs/operating.md, on a Unix socket and without passwords.
std::string ini_file(temporary_directory const& directory, std::string const& target, std::string const& settings) {
  namespace fs = std::filesystem;
  // Started by root it becomes another user.
  fs::permissions(directory.path(), fs::perms::all);
  auto const users = directory.write("users", "\"svc\" \"\"\n\"svc_app\" \"\"\n\"svc_owner\" \"\"\n");
  return directory.write("pgbouncer.ini", "[databases]\n* = " + target +
                                              "\n[pgbouncer]\npool_mode = transaction\nlisten_port = 6432\n"
                                              "unix_socket_dir = " +
                                              directory.path() + "\nauth_type = trust\nauth_file = " + users +
                                              "\nadmin_users = svc\nmax_client_conn = 1000\ndefault_pool_size = 20\n"
                                              "server_connect_timeout = 2\nserver_login_retry = 0.2\n" +
                                              settings + "\n" + (geteuid() == 0 ? "user = postgres\n" : ""));
}

}  // namespace

private_pgbouncer::private_pgbouncer(std::string const& target, std::string const& settings)
    : process_({ini_file(directory_, target, settings)}, {}, "/usr/sbin/pgbouncer") {
  process_.wait_error_line("process up");
}

private_pgbouncer::private_pgbouncer(configured configured)
    : process_({configured.ini_file}, {}, "/usr/sbin/pgbouncer") {
  process_.wait_error_line("process up");
}

std::string private_pgbouncer::url(std::string const& user, std::string const& database) const {
  return "postgresql://" + user + "@/" + database + "?host=" + directory_.path() + "&port=6432";
}

void private_pgbouncer::command(std::string const& words) const {
  ask_postgres(url("svc", "pgbouncer"), words);
}

}  // namespace svc::test
