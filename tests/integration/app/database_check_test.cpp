// `svcd check-config --connect` with real servers.
#include "app/migrations/database_check.hpp"

#include "fresh_database.hpp"
#include "support/private_pgbouncer.hpp"
#include "support/private_postgres.hpp"
#include "support/replicated_postgres.hpp"
#include "support/temporary_directory.hpp"
#include "svc/core/uuid.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <tuple>

namespace svc::app {
namespace {

bool says(std::vector<std::string> const& all, std::string_view part) {
  return std::ranges::any_of(all, [&](auto const& text) { return text.find(part) != text.npos; });
}

std::string joined_findings(check_findings const& findings) {
  std::string out;
  for (auto const& text : findings.facts) out += text + "\n";
  for (auto const& text : findings.warnings) out += "? " + text + "\n";
  for (auto const& text : findings.problems) out += "! " + text + "\n";
  return out;
}

TEST_CASE("the check of the database names the servers, their roles and the problems") {
  test::replicated_postgres both(test::replicated_postgres::commits::synchronous);
  sayings words;
  REQUIRE(migrate(secret_string(both.url()), false, patience, words.speak()) == 0);
  configuration config;
  config.postgres.url = secret_string(both.url());
  auto const good = check_database(config);
  CAPTURE(joined_findings(good));
  CHECK(good.problems.empty());
  CHECK(says(good.facts, both.primary().directory() + " port 5432: primary, timeline 1, no TLS"));
  CHECK(says(good.facts, both.standby().directory() + " port 5432: standby"));
  CHECK(says(good.facts, "commits wait for a standby"));
  CHECK(says(good.facts, "schema: up to date"));

  both.promote();
  auto const former = check_database(config);
  CAPTURE(joined_findings(former));
  CHECK(says(former.problems, both.primary().directory() + " port 5432: a former primary still runs: timeline 2"));
  CHECK(says(former.facts, "commits do not wait for a standby"));

  test::private_pgbouncer const pooler("host=" + both.standby().directory());
  config.postgres.url = secret_string(pooler.url());
  config.postgres.migrate_url = secret_string(pooler.url());
  auto const refused = check_database(config);
  CAPTURE(joined_findings(refused));
  CHECK(says(refused.problems, "set `postgres.prepared_statements = false`"));
  CHECK(says(refused.problems, "`svcd migrate` needs the server itself"));
  config.postgres.prepared_statements = false;
  config.postgres.migrate_url = secret_string(both.standby().url());
  auto const pooled = check_database(config);
  CAPTURE(joined_findings(pooled));
  CHECK(pooled.problems.empty());
  CHECK(says(pooled.facts, "primary, timeline 2, no TLS, through a pooler"));

  both.primary().stop();
  config.postgres.url = secret_string(both.url());
  CHECK(says(check_database(config).problems, both.primary().directory() + " port 5432: not reached"));
}

TEST_CASE("the check of the database says that the schema is missing, or nothing is there") {
  fresh_database const database;
  configuration config;
  config.postgres.url = database.url();
  CHECK(says(check_database(config).problems, "migrations are missing: run `svcd migrate`"));
  config.postgres.url = secret_string("postgresql://svc@/svc?host=/nowhere");
  CHECK(says(check_database(config).problems, "not reached"));
}

/// Accepts connections and says nothing, as a server of HTTP does until a request comes.
class silent_listener {
 public:
  int port() const { return acceptor_.local_endpoint().port(); }

 private:
  asio::io_context io_;
  asio::ip::tcp::acceptor acceptor_{io_, {asio::ip::address_v4::loopback(), 0}};
};

TEST_CASE("a server that never answers like PostgreSQL is reported with advice") {
  silent_listener const silent;
  configuration config;
  config.postgres.url = secret_string("postgresql://svc@127.0.0.1:" + std::to_string(silent.port()) + "/svc");
  auto const found = check_database(config);
  CAPTURE(joined_findings(found));
  REQUIRE(found.problems.size() == 1);
  // Two clocks end the wait at the same time, and the one of the connection has words of its own.
  bool const told = says(found.problems, "not reached: no answer of PostgreSQL within 5s: compare the port") ||
                    says(found.problems, " in time");
  CHECK(told);
}

TEST_CASE("a role or a database that the server lacks is a refused login with advice, not an unreachable server") {
  test::private_postgres const server;
  configuration config;
  for (auto const& [user, name, advice] :
       {std::tuple{"nobody", "svc", "CREATE ROLE"}, {"svc", "none", "CREATE DATABASE"}}) {
    config.postgres.url =
        secret_string("postgresql://" + std::string(user) + "@/" + name + "?host=" + server.directory());
    auto const found = check_database(config);
    CAPTURE(joined_findings(found));
    CHECK(says(found.problems, "no login: "));
    CHECK(says(found.problems, advice));
    CHECK_FALSE(says(found.problems, "not reached"));
  }
}

TEST_CASE(
    "the check of the database warns of the tables' owner as the service's login, not of the service's own role") {
  fresh_database const database;
  sayings words;
  REQUIRE(migrate(database.url(), false, patience, words.speak()) == 0);
  configuration config;
  config.postgres.url = database.url();
  auto const by_owner = check_database(config);
  CAPTURE(joined_findings(by_owner));
  CHECK(by_owner.problems.empty());
  CHECK(says(by_owner.warnings, "CREATE ROLE svc_app LOGIN IN ROLE svc_service"));
}

TEST_CASE("the check of the database names the master keys that the key file lacks") {
  fresh_database const database;
  sayings words;
  REQUIRE(migrate(database.url(), false, patience, words.speak()) == 0);
  test::temporary_directory const files;
  std::ofstream(files.path() + "/key") << std::string(64, '5') << "\n";
  configuration config;
  config.postgres.url = database.url();
  config.master_key_file = files.path() + "/key";
  CHECK(says(check_database(config).facts, "master_key_file: opens the data keys of all projects"));
  auto const project = uuid::generate_v7().to_string(), organization = uuid::generate_v7().to_string();
  database_session(database.url(), std::chrono::seconds(5))
      .run("INSERT INTO organizations (id, slug, name) VALUES ('" + organization +
           "', 'o', 'o'); INSERT INTO projects (id, organization_id, slug, name) VALUES ('" + project + "', '" +
           organization +
           "', 'p', 'p'); INSERT INTO project_keys (project_id, key_id, master_key_id, wrapped) VALUES ('" + project +
           "', '" + project + "', 'other-key', repeat('x', 60)::bytea)");
  auto const found = check_database(config);
  CAPTURE(joined_findings(found));
  CHECK(says(found.problems, "lacks the master key other-key, which wraps the data keys of 1 project"));
}

}  // namespace
}  // namespace svc::app
