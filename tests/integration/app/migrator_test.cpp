#include "app/migrations/migrator.hpp"

#include "app/dev/seed.hpp"
#include "fresh_database.hpp"
#include "support/private_pgbouncer.hpp"
#include "support/replicated_postgres.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <future>

namespace svc::app {
namespace {

TEST_CASE("migrating applies each file once and records its checksum") {
  fresh_database const database;
  sayings dry;
  CHECK(migrate(database.url(), true, patience, dry.speak()) == 0);
  CHECK(dry.has("would apply 1 identity"));
  auto const all = std::to_string(embedded_migrations().size()) + " migrations";
  CHECK(dry.all.back().starts_with(all + " would be applied, up to V"));
  CHECK(dry.all.back().ends_with("; nothing was changed"));
  CHECK(database.value("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == "0");

  sayings first;
  CHECK(migrate(database.url(), false, patience, first.speak()) == 0);
  CHECK(std::ranges::count_if(first.all, [](auto const& said) { return said.starts_with("applied "); }) ==
        std::ssize(embedded_migrations()));
  auto const last = first.all.back();
  CHECK(last.starts_with("the schema is up to date at V"));
  CHECK(last.find(": " + all + " applied in ") != std::string::npos);
  CHECK(last.ends_with(" s"));
  CHECK(database.value("SELECT count(*) FROM schema_migrations WHERE checksum ~ '^[0-9a-f]{64}$'") ==
        std::to_string(embedded_migrations().size()));
  CHECK(database.value("SELECT has_table_privilege('svc_service', 'schema_migrations', 'SELECT')") == "t");

  sayings second;
  CHECK(migrate(database.url(), false, patience, second.speak()) == 0);
  CHECK(second.all == std::vector<std::string>{last.substr(0, last.find(": ")) + ": nothing to apply"});
}

/// The database's URL for a login that the test has just created.
secret_string url_for(fresh_database const& database, std::string const& login) {
  database.connect().run("CREATE ROLE " + login + " LOGIN");
  std::string url(database.url().reveal());
  auto const user = url.find("//") + 2;
  return secret_string(url.replace(user, url.find('@') - user, login));
}

TEST_CASE("a login without rights gets the remedy: the owner's URL for migrating, the role svc_service for serving") {
  fresh_database const database;
  auto const url = url_for(database, "first_day_stranger");
  sayings words;
  CHECK(migrate(url, false, patience, words.speak()) == 1);
  CHECK(words.all.back().starts_with("failed: this login may not change the schema: set SVC_POSTGRES_MIGRATE_URL"));
  CHECK(words.all.back().find('\n') == std::string::npos);
  CHECK(migrate(url, true, patience, words.speak()) == 1);
  CHECK(words.all.back().starts_with("failed: this login may not change the schema: set SVC_POSTGRES_MIGRATE_URL"));
  REQUIRE(migrate(database.url(), false, patience, words.speak()) == 0);
  database_session stranger(url, patience);
  std::string said;
  try {
    read_plan(stranger);
  } catch (database_error const& e) {
    said = with_remedy_of_login(e);
  }
  CHECK(said.starts_with("the login of postgres.url lacks the rights of the service: GRANT svc_service TO it"));

  database.connect().run("GRANT svc_service TO first_day_stranger");
  for (bool const dry : {true, false}) {
    CHECK(migrate(url, dry, patience, words.speak()) == 0);
    CHECK(words.all.back().ends_with(": nothing to apply"));
  }
}

TEST_CASE("migrating names the steps of a file by number, without their SQL") {
  fresh_database const database;
  sayings words;
  REQUIRE(migrate(database.url(), false, patience, words.speak()) == 0);
  CHECK(std::ranges::any_of(words.all, [](auto const& said) { return said.find(": step 1 of ") != said.npos; }));
  for (auto const& said : words.all)
    for (auto const* word : {"CREATE ", "ALTER ", "UPDATE ", "SELECT "}) CHECK(said.find(word) == said.npos);
}

TEST_CASE("migrating through a pooler is refused, and leaves nothing in the sessions that others get") {
  test::private_postgres const server;
  test::private_pgbouncer const pooler("host=" + server.directory(), "default_pool_size = 1");
  sayings words;
  CHECK(migrate(secret_string(pooler.url()), false, patience, words.speak()) == 1);
  CHECK(words.has("set postgres.migrate_url to the server itself"));
  database_session direct(secret_string(server.url()), patience), pooled(secret_string(pooler.url()), patience);
  CHECK_FALSE(direct.pooled());
  CHECK(pooled.pooled());
  CHECK(direct.run("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").at(0).at(0) == "0");
  CHECK(pooled.run("SHOW idle_in_transaction_session_timeout").at(0).at(0) == "0");
}

TEST_CASE("among several servers the primary is migrated, not a former one that still runs") {
  test::replicated_postgres const both(test::replicated_postgres::commits::asynchronous);
  both.promote();
  sayings words;
  CHECK(migrate(secret_string(both.url()), false, patience, words.speak()) == 0);
  auto const tables = "SELECT count(*) > 0 FROM pg_tables WHERE schemaname = 'public'";
  CHECK(database_session(secret_string(both.primary().url()), patience).run(tables).at(0).at(0) == "f");
  CHECK(database_session(secret_string(both.standby().url()), patience).run(tables).at(0).at(0) == "t");
}

TEST_CASE("a migration that freezes in its transaction loses its locks") {
  fresh_database const database;
  CHECK(database.value("SHOW idle_in_transaction_session_timeout") == "10s");
}

TEST_CASE("a changed file and a newer database are refused, and nothing runs") {
  struct {
    char const* spoil;
    char const* said;
  } const cases[] = {
      {"UPDATE schema_migrations SET checksum = repeat('0', 64) WHERE version = 1", "V001 identity has changed"},
      {"INSERT INTO schema_migrations (version, name, checksum) VALUES (999, 'later', '')", "V999 later was applied"},
      {"DELETE FROM schema_migrations WHERE version = 2", "V002 audit was never applied"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.said);
    fresh_database const database;
    sayings words;
    REQUIRE(migrate(database.url(), false, patience, words.speak()) == 0);
    database.connect().run(c.spoil);
    CHECK(migrate(database.url(), false, patience, words.speak()) == 1);
    CHECK(words.has(std::string("refused: ") + c.said));
  }
}

TEST_CASE("a schema that is newer, but says that this program works with it, is served and not changed") {
  fresh_database const database;
  sayings words;
  REQUIRE(migrate(database.url(), false, patience, words.speak()) == 0);
  auto const last = std::to_string(embedded_migrations().back().version);
  database.connect().run(
      "INSERT INTO schema_migrations (version, name, checksum, compatible_from) VALUES (999, 'later', '', " + last +
      ")");
  words.all.clear();
  CHECK(migrate(database.url(), false, patience, words.speak()) == 0);
  CHECK(words.all == std::vector<std::string>{"the schema is newer than this svcd, which works with it: V999 later"});
  configuration config;
  config.postgres.url = database.url();
  words.all.clear();
  wait_for_schema(config, words.speak(), words.speak());
  CHECK(words.has("works with it: V999 later"));
  // The table as 0.1.0 made it has no such column.
  database.connect().run("ALTER TABLE schema_migrations DROP COLUMN compatible_from");
  CHECK(migrate(database.url(), true, patience, words.speak()) == 1);
  CHECK(words.has("refused: V999 later was applied"));
}

TEST_CASE("several migrations at once apply each file once") {
  fresh_database const database;
  std::vector<std::future<int>> running;
  for (int i = 0; i < 4; ++i)
    running.push_back(std::async(std::launch::async, [&] {
      sayings words;
      return migrate(database.url(), false, patience, words.speak());
    }));
  for (auto& future : running) CHECK(future.get() == 0);
}

TEST_CASE("a file that fails leaves the database unchanged") {
  fresh_database const database;
  database.connect().run("CREATE TABLE organizations (id int)");
  sayings words;
  CHECK(migrate(database.url(), false, patience, words.speak()) == 1);
  CHECK(words.has("organizations"));
  CHECK(database.value("SELECT count(*) FROM schema_migrations") == "0");
  CHECK(database.value("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == "2");
}

TEST_CASE("the error of a session is PostgreSQL's message without the end of its last line") {
  fresh_database fresh;
  auto session = fresh.connect();
  std::string message, state;
  try {
    session.run("SELECT absent");
  } catch (database_error const& e) {
    message = e.what();
    state = e.sqlstate();
  }
  CHECK(message == "ERROR:  column \"absent\" does not exist\nLINE 1: SELECT absent\n               ^");
  CHECK(state == "42703");
  // The session can be used again.
  CHECK(session.run("SELECT 1").at(0).at(0) == "1");
}

TEST_CASE("migrating waits for a missing database, then gives up") {
  sayings words;
  CHECK(migrate(secret_string("host=/nonexistent dbname=x"), false, milliseconds(1), words.speak()) == 1);
  CHECK(words.has("failed: "));
}

TEST_CASE("serving waits until the schema fits, and warns of too many connections") {
  fresh_database const database;
  configuration config;
  config.postgres.url = database.url();
  config.instances = 1000;
  std::promise<void> reported;
  sayings words;
  auto waiting = std::async(std::launch::async, [&] {
    auto const speak = [&](std::string const& s) {
      words.all.push_back(s);
      if (words.all.size() == 1) reported.set_value();
    };
    wait_for_schema(config, speak, speak);
  });
  reported.get_future().get();
  sayings ignored;
  CHECK(migrate(database.url(), false, patience, ignored.speak()) == 0);
  waiting.get();
  // In between it may have seen some of the files applied.
  REQUIRE(words.all.size() >= 2);
  CHECK(words.all.front() ==
        "waiting for `svcd migrate`: " + std::to_string(embedded_migrations().size()) + " migrations are missing");
  CHECK(words.all.back().starts_with("warning: instances x (workers"));
}

TEST_CASE("seeding is idempotent, and replaces revoked and deleted credentials") {
  test::temporary_directory const dir;
  auto const file = dir.path() + "/credentials.json";
  fresh_database const database;
  dev::prepare_database(database.maintenance(), database.url());
  dev::prepare_database(database.maintenance(), database.url());
  auto session = database.connect();
  auto const first = dev::seed(session, file);
  auto const again = dev::seed(session, file);
  CHECK(again.token.reveal() == first.token.reveal());
  CHECK(again.trigger_key.reveal() == first.trigger_key.reveal());
  CHECK(again.job == first.job);

  session.run("UPDATE schema_migrations SET checksum = translate(checksum, '0123', '1230') WHERE version = 1");
  CHECK_THROWS_WITH(dev::prepare_database(database.maintenance(), database.url()),
                    doctest::Contains("--reset empties it, --data-dir names another one"));
  session.run("UPDATE schema_migrations SET checksum = translate(checksum, '1230', '0123') WHERE version = 1");

  session.run("UPDATE tokens SET revoked_at = now() WHERE job_id IS NULL");
  auto const revoked = dev::seed(session, file);
  CHECK(revoked.token.reveal() != first.token.reveal());
  CHECK(revoked.trigger_key.reveal() == first.trigger_key.reveal());

  session.run("UPDATE jobs SET deleted_at = now()");
  auto const deleted = dev::seed(session, file);
  CHECK(deleted.job != first.job);
  CHECK(deleted.test == first.test);
  CHECK(deleted.trigger_key.reveal() != first.trigger_key.reveal());
  CHECK(deleted.token.reveal() == revoked.token.reveal());

  std::filesystem::remove(file);
  auto const dropped = dev::seed(session, file);
  CHECK(dropped.organization == first.organization);
  CHECK(dropped.project == first.project);
  CHECK(dropped.user == first.user);
  CHECK(dropped.token.reveal() != revoked.token.reveal());
}

}  // namespace
}  // namespace svc::app
