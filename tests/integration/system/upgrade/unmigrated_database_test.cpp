// An instance on a database that `svcd migrate` has not prepared yet.
#include "integration/system/faults/faults.hpp"
#include "integration/system/notify_socket.hpp"
#include "support/free_port.hpp"
#include "support/private_postgres.hpp"
#include "support/private_redis.hpp"
#include "support/service.hpp"

#include <doctest/doctest.h>

#include <filesystem>

namespace svc::test {
namespace {

std::ptrdiff_t count_migrations() {
  std::filesystem::directory_iterator const files(SVC_SCHEMA_DIRECTORY);
  return std::count_if(begin(files), end(files),
                       [](auto const& entry) { return entry.path().extension() == ".sql"; });
}

/// A database with the service's roles and no table.
struct bare_database {
  private_postgres server;

  bare_database() {
    ask_postgres(url("postgres", "svc"),
                 "CREATE ROLE svc_service NOLOGIN; CREATE ROLE svc_owner LOGIN; CREATE ROLE svc_app LOGIN "
                 "IN ROLE svc_service");
    ask_postgres(url("postgres", "svc"), "CREATE DATABASE bare OWNER svc_owner");
  }
  std::string url(std::string const& database, std::string const& user) const {
    return "postgresql://" + user + "@/" + database + "?host=" + server.directory();
  }
  std::string word(std::string const& query) const { return ask_postgres(url("bare", "svc"), query)[0][0]; }
};

TEST_CASE(
    "on a database without its schema, status, /readyz and the log say how many migrations are missing, and no "
    "background loop starts before; svcd admin says it too") {
  auto& fleet = shared_fleet();
  bare_database const database;
  private_redis const redis;
  notify_socket manager;
  auto const admin = "127.0.0.1:" + std::to_string(free_port());
  // Each loop that runs would run every 50 ms.
  service instance({"serve", "--config", fleet.text("configFile"), "--listen", "127.0.0.1:0", "--admin", admin},
                   {"SVC_POSTGRES_URL=" + database.url("bare", "svc_app"), "SVC_REDIS_URL=" + redis.url(),
                    "SVC_WORKERS=1", "SVC_FAILPOINTS=background.hurry=delay:0", manager.variable()});
  auto const sentence =
      "waiting for `svcd migrate`: " + std::to_string(count_migrations()) + " migrations are missing";
  instance.wait_error_line(sentence);
  REQUIRE(comes_true([&] { return manager.count("STATUS=starting: " + sentence) == 1; }, patience));

  api_client pages("http://" + admin, {}, {});
  CHECK(pages.get("/livez").status == 200);
  auto const answer = pages.get("/readyz?verbose");
  CHECK(answer.status == 503);
  auto const body = body_of(answer);
  CHECK(text_of(body, "/waiting") == sentence);
  CHECK(body.at("workers").as_array().empty());
  CHECK(text_of(body, "/background/state") == "ok");
  // Only the question for the schema is asked, on a connection of its own.
  CHECK(database.word("SELECT count(*) <= 1 FROM pg_stat_activity WHERE usename = 'svc_app'") == "t");

  for (auto const& words : std::vector<std::vector<std::string>>{
           {"list-users"}, {"create-user", "--email", "ada@example.org", "--name", "Ada"}, {"list-runners"}}) {
    std::vector<std::string> line{"admin"};
    line.insert(line.end(), words.begin(), words.end());
    line.insert(line.end(), {"--config", fleet.text("configFile")});
    service command(line, {"SVC_POSTGRES_URL=" + database.url("bare", "svc_app"), "SVC_REDIS_URL=" + redis.url()});
    CHECK(command.wait() == 1);
    CHECK(command.err().text() ==
          "svcd: " + std::to_string(count_migrations()) + " migrations are missing: run `svcd migrate`\n");
  }

  service migration({"migrate"}, {"SVC_POSTGRES_MIGRATE_URL=" + database.url("bare", "svc_owner")});
  REQUIRE(migration.wait() == 0);
  instance.wait_error_line("\"serving\"");
  CHECK(comes_true([&] { return manager.count("READY=1") == 1; }, patience));
  CHECK_FALSE(body_of(pages.get("/readyz?verbose")).contains("waiting"));
  auto const log = instance.err().text();
  for (auto const* const absent : {"42P01", "does not exist", "\"level\":\"error\""}) {
    CAPTURE(absent);
    CHECK(log.find(absent) == std::string::npos);
  }
  CHECK(instance.stop() == 0);
}

}  // namespace
}  // namespace svc::test
