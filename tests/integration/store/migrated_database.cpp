#include "migrated_database.hpp"

#include "app/migrations/migrator.hpp"
#include "support/private_postgres.hpp"

#include <libpq-fe.h>

#include <memory>
#include <stdexcept>

namespace svc::test {

namespace {

/// Without synchronous commit: these tests kill no server, and create the rows of hundreds of databases. A
/// transaction that crosses one of the service comes to its second lock before the server looks for a deadlock.
private_postgres& server() {
  static private_postgres postgres("max_connections = 100\nsynchronous_commit = off\ndeadlock_timeout = 500ms");
  return postgres;
}

std::string at(std::string const& user, std::string const& database) {
  return "postgresql://" + user + "@/" + database + "?host=" + server().directory();
}

void execute(std::string const& database, std::string const& sql) {
  std::unique_ptr<PGconn, decltype(&PQfinish)> const connection(PQconnectdb(at("svc", database).c_str()), &PQfinish);
  if (PQstatus(connection.get()) != CONNECTION_OK) throw std::runtime_error(PQerrorMessage(connection.get()));
  std::unique_ptr<PGresult, decltype(&PQclear)> const done(PQexec(connection.get(), sql.c_str()), &PQclear);
  ExecStatusType const status = PQresultStatus(done.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
    throw std::runtime_error(PQerrorMessage(connection.get()));
}

void apply_schema(std::string const& database) {
  std::string said;
  auto const speak = [&](std::string const& sentence) { said += sentence + "\n"; };
  if (app::migrate(secret_string(at("svc", database)), false, milliseconds(20'000), speak) != 0)
    throw std::runtime_error(said);
}

std::string next_database() {
  static int count = 0;
  if (count == 0) {
    execute("postgres", "CREATE DATABASE migrated");
    apply_schema("migrated");
    execute("postgres", "CREATE ROLE svc_app LOGIN IN ROLE svc_service");
  }
  std::string const name = "case_" + std::to_string(++count);
  execute("postgres", "CREATE DATABASE " + name + " TEMPLATE migrated");
  return name;
}

}  // namespace

private_postgres& migrated_database::of_all() {
  return server();
}

migrated_database::migrated_database()
    : name(next_database()),
      // On a noisy machine a wait that a test wants must not end early.
      pool(io, {.url = secret_string(at("svc_app", name)), .lock_timeout = milliseconds(5000)}) {
  pool.start();
}

void migrated_database::as_owner(std::string const& sql) const {
  execute(name, sql);
}

std::string migrated_database::url() const {
  return at("svc_app", name);
}

}  // namespace svc::test
