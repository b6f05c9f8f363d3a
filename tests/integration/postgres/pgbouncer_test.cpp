// PgBouncer 1.18 of Debian in transaction mode: a session of the server belongs to nobody for longer than a
// transaction.
#include "fixture.hpp"
#include "support/free_port.hpp"
#include "support/private_pgbouncer.hpp"
#include "support/store_probe.hpp"
#include "support/temporary_directory.hpp"
#include "support/throwaway_ca.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace svc;
using namespace svc::test;
using postgres::parameters;
using postgres::query;

namespace {

postgres::settings through(private_pgbouncer const& pooler) {
  return {.url = secret_string(pooler.url()),
          .size = 8,
          .prepared_statements = false,
          .statement_timeout = milliseconds(4321)};
}

query const settings_of_session{
    {"settings_of_session",
     "SELECT current_setting('statement_timeout'), current_setting('lock_timeout'), current_setting('TimeZone'), "
     "current_setting('enable_seqscan'), current_setting('jit')"}};

}  // namespace

TEST_CASE("through PgBouncer every transaction has its settings, and none stays in a session of the server") {
  private_pgbouncer const pooler("host=" + server().directory(), "default_pool_size = 1");
  auto const usual = ask_postgres(pooler.url(), settings_of_session.statement.sql.data());
  asio::io_context io{1};
  postgres::pool pool(io, through(pooler));
  pool.start();
  for (int i = 0; i < 3; ++i) {
    auto const got = run_task(io, pool.run(settings_of_session, database::soon())).value();
    CHECK(got.front().text(0) == "4321ms");
    CHECK(got.front().text(1) == "2s");
    CHECK(got.front().text(2) == "UTC");
    CHECK(got.front().text(3) == "off");
    // Another client of the pooler gets the same session of the server.
    CHECK(ask_postgres(pooler.url(), settings_of_session.statement.sql.data()) == usual);
  }
  auto unit = run_task(io, pool.begin(database::soon()));
  CHECK(run_task(io, unit.run(settings_of_session))->front().text(0) == "4321ms");
  run_task(io, unit.commit()).value();
  CHECK(ask_postgres(pooler.url(), settings_of_session.statement.sql.data()) == usual);
  pool.stop();
}

TEST_CASE("through PgBouncer many callers share two sessions of the server, and each gets its own answer") {
  private_pgbouncer const pooler("host=" + server().directory(), "default_pool_size = 2");
  asio::io_context io{1};
  postgres::pool pool(io, through(pooler));
  pool.start();
  int left = 0, right = 0;
  auto const ask = [&](std::int64_t n) -> task<> {
    auto const got = co_await pool.run(query{{"echo", "SELECT $1::int8"}, parameters(n)}, database::soon());
    if (got->front().integer(0) == n) ++right;
    --left;
  };
  auto const read = [&](std::int64_t n) -> task<> {
    auto const got = co_await pool.read(query{{"echo", "SELECT $1::int8"}, parameters(n)}, database::soon());
    if (got->front().integer(0) == n) ++right;
    --left;
  };
  for (std::int64_t n = 0; n < 400; ++n) {
    ++left;
    asio::co_spawn(io, n % 2 == 0 ? ask(n) : read(n), asio::detached);
  }
  auto const end = steady::now() + std::chrono::seconds(20);
  while (left > 0 && steady::now() < end) io.run_one_for(milliseconds(10));
  CHECK(right == 400);
  // A session may still be opened when others have done all the work.
  while (pool.stats().connects < 8 && steady::now() < end) io.run_one_for(milliseconds(10));
  CHECK(pool.stats().connects == 8);
  pool.stop();
}

TEST_CASE("PgBouncer refuses sessions with settings of their own, and the error has advice") {
  private_pgbouncer const pooler("host=" + server().directory());
  asio::io_context io{1};
  auto settings = through(pooler);
  settings.prepared_statements = true;
  postgres::pool pool(io, settings);
  pool.start();
  std::string reason;
  try {
    run_task(io, pool.run(settings_of_session, database::soon()));
  } catch (unavailable const& e) {
    reason = e.what();
  }
  CAPTURE(reason);
  CHECK(reason.find("set `postgres.prepared_statements = false`") != reason.npos);
  pool.stop();
}

namespace {

/// The block of docs/operating.md, with these places instead of its own.
std::string documented_ini(std::vector<std::pair<std::string, std::string>> const& paths) {
  std::ifstream file(std::filesystem::path(SVC_SCHEMA_DIRECTORY) / "../../docs/operating.md");
  std::string const page{std::istreambuf_iterator<char>(file), {}};
  std::string const begin = "```ini\n[databases]";
  auto const position = page.find(begin);
  REQUIRE(position != page.npos);
  auto ini = page.substr(position + 7, page.find("```", position + 7) - position - 7);
  for (auto const& [source, target] : paths) {
    CAPTURE(source);
    REQUIRE(ini.find(source) != ini.npos);
    for (auto found = ini.find(source); found != ini.npos; found = ini.find(source, found + target.size()))
      ini.replace(found, source.size(), target);
  }
  return ini + (geteuid() == 0 ? "user = postgres\n" : "");
}

}  // namespace

TEST_CASE("the documented pgbouncer.ini works: passwords, and TLS with verified names on both sides") {
  auto const ca = make_throwaway_ca("DNS:localhost");
  auto const port = free_port(), pooler_port = free_port();
  private_postgres behind;
  ask_postgres(behind.url(), "CREATE ROLE svc_app LOGIN PASSWORD 'second-password'");
  ask_postgres(behind.url(), "CREATE DATABASE svc");
  behind.stop();
  behind.configure("ssl = on\nssl_cert_file = '" + behind.write("server.crt", ca.certificate) +
                   "'\nssl_key_file = '" + behind.write("server.key", ca.key) + "'");
  std::ofstream(behind.directory() + "/data/pg_hba.conf")
      << "local all all trust\nhostssl svc svc_app 127.0.0.1/32 scram-sha-256\n";
  behind.listen_on(port);
  behind.start();
  // Its files are next to those of the server, whose user it becomes.
  behind.write("userlist.txt", "\"svc_app\" \"second-password\"\n");
  behind.write("cert.pem", ca.certificate);
  behind.write("key.pem", ca.key);
  behind.write("db-ca.pem", ca.authority);
  private_pgbouncer const pooler(private_pgbouncer::configured{behind.write(
      "pgbouncer.ini", documented_ini({{"db1.example.org port=5432", "localhost port=" + std::to_string(port)},
                                       {"10.0.0.5", "127.0.0.1"},
                                       {"listen_port = 6432", "listen_port = " + std::to_string(pooler_port)},
                                       {"/etc/pgbouncer", behind.directory()}}))});
  temporary_directory const files;
  asio::io_context io{1};
  postgres::pool pool(
      io, {.url = secret_string("postgresql://svc_app:second-password@localhost:" + std::to_string(pooler_port) +
                                "/svc?sslmode=verify-full&sslrootcert=" + files.write("ca.pem", ca.authority)),
           .prepared_statements = false});
  pool.start();
  auto const got = run_task(
      io,
      pool.run(query{{"encrypted", "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"}}, database::soon()));
  CHECK(got->front().boolean(0));
  pool.stop();
}
