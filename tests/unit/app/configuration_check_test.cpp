#include "app/configuration/configuration.hpp"

#include "support/temporary_directory.hpp"
#include "unit/app/load_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace svc::app {
namespace {

using test::temporary_directory;

TEST_CASE("neither problems nor printed configurations show a secret") {
  temporary_directory const dir;
  std::string const secret = "hunter2hunter2";
  auto const printed = print_configuration(
      load_text(dir, "",
                {"SVC_POSTGRES_URL=postgresql://u:" + secret + "@h/d", "SVC_REDIS_PASSWORD=" + secret,
                 "SVC_REDIS_URL=redis://:" + secret + "@h", "SVC_POSTGRES_MIGRATE_URL=" + secret})
          .values,
      true);
  CHECK(printed.find(secret) == std::string::npos);
  CHECK(printed.find("password = \"********\"") != std::string::npos);

  auto const no_toml =
      load_configuration({.file = dir.write("x.toml", "[redis]\npassword = \"" + secret + "\" x\n")});
  auto const broken = load_configuration({.environment = {"SVC_POSTGRES_URL=postgresql://u:" + secret + "@[h/d",
                                                          "SVC_REDIS_URL=ftp://:" + secret + "@h"},
                                          .overrides = {}});
  auto const output = load_configuration(
      {.environment = {"SVC_REDIS_URL=redis://h", "SVC_REDIS_OUTPUT_URL=ftp://:" + secret + "@h"}, .overrides = {}});
  CHECK(names(output.problems, "redis.output_url: "));
  CHECK_FALSE(names(output.problems, secret));
  CHECK(names(no_toml.problems, "x.toml:2"));
  CHECK_FALSE(names(no_toml.problems, secret));
  CHECK(names(broken.problems, "postgres.url: must be a libpq URI"));
  CHECK(names(broken.problems, "redis.url: "));
  CHECK_FALSE(names(broken.problems, secret));
}

TEST_CASE("serving requires stores, certificate and master key; administering the stores, migrating the database") {
  auto const nothing = load_configuration({});
  CHECK(nothing.problems == std::vector<std::string>{"postgres.url: must be set", "redis.url: must be set",
                                                     "tls.cert_file: must be set", "tls.key_file: must be set",
                                                     "master_key_file: must be set"});
  CHECK(load_configuration({}, configuration_use::migrating).problems ==
        std::vector<std::string>{"postgres.url: must be set"});
  CHECK(load_configuration({}, configuration_use::administering).problems ==
        std::vector<std::string>{"postgres.url: must be set", "redis.url: must be set"});
  configuration_sources owner;
  owner.environment = {"SVC_POSTGRES_MIGRATE_URL=dbname=svc"};
  auto const migrating = load_configuration(owner, configuration_use::migrating);
  CHECK(migrating.problems.empty());
  CHECK(migrating.values.migration_url().reveal() == "dbname=svc");

  configuration_sources missing;
  missing.environment = {
      "SVC_POSTGRES_URL=postgresql:///svc", "SVC_REDIS_URL=unix:/r",           "SVC_REDIS_TLS=true",
      "SVC_TLS_CERT_FILE=/nonexistent/c",   "SVC_TLS_KEY_FILE=/nonexistent/k", "SVC_MASTER_KEY_FILE=/nonexistent/m"};
  auto const unreadable = load_configuration(missing);
  CHECK(unreadable.problems.size() == 4);
  for (auto const* part : {"redis.tls: must be false", "/nonexistent/c", "/nonexistent/k", "/nonexistent/m"}) {
    CAPTURE(part);
    CHECK(names(unreadable.problems, part));
  }
}

TEST_CASE("a file that is missing or broken is named") {
  temporary_directory const dir;
  auto const missing = load_configuration({.file = dir.path() + "/none.toml", .environment = {}, .overrides = {}},
                                          configuration_use::showing);
  REQUIRE(missing.problems.size() == 1);
  CHECK(names(missing.problems, "/none.toml"));
  CHECK(names(load_text(dir, "a = 1\na = 2\n").problems, "svcd.toml:2"));
  CHECK(names(load_text(dir, "# ü\nschlüssel = 1\n").problems, "svcd.toml:2: "));
  CHECK(names(load_text(dir, "# ü\nschlüssel = 1\n").problems, ", not 'ü'"));
  CHECK(names(load_text(dir, "[schlüssel]\n").problems, ", not 'ü'"));
  CHECK(names(load_text(dir, "[ü]\n").problems, "quote keys beyond"));
}

TEST_CASE("Redis settings merge the URL with the keys that override it") {
  configuration values;
  values.redis.url = secret_string("redis://u:p@cache:7000/3");
  values.redis.deadline = milliseconds(2500);
  auto plain = values.to_redis_settings();
  CHECK(plain.host == "cache");
  CHECK(plain.port == "7000");
  CHECK(plain.username == "u");
  CHECK(plain.password.reveal() == "p");
  CHECK_FALSE(plain.tls);
  CHECK(plain.command_deadline == milliseconds(2500));
  CHECK(plain.silence_limit == milliseconds(2500));

  values.redis.username = "v";
  values.redis.password = secret_string("q");
  values.redis.tls = true;
  values.redis.deadline = milliseconds(499);
  auto const replaced = values.to_redis_settings();
  CHECK(replaced.username == "v");
  CHECK(replaced.password.reveal() == "q");
  CHECK(replaced.tls);
  CHECK(replaced.silence_limit == milliseconds(500));
}

namespace {

std::vector<std::string> problems_of(std::vector<std::string> redis) {
  configuration_sources sources;
  sources.environment = std::move(redis);
  sources.environment.emplace_back("SVC_POSTGRES_URL=dbname=svc");
  return load_configuration(sources, configuration_use::administering).problems;
}

struct wrong_entries {
  std::vector<std::string> more;
  char const* expected;
};

/// Each row is refused with its problem, though the good entries stand behind it.
void check_refused(std::vector<std::string> const& good, std::vector<wrong_entries> const& wrong) {
  for (auto const& c : wrong) {
    CAPTURE(c.expected);
    auto all = c.more;
    for (auto const& entry : good) all.push_back(entry);
    auto const problems = problems_of(all);
    CHECK(names(problems, c.expected));
  }
}

}  // namespace

TEST_CASE("sentinels, a name and their own credentials replace the URL, and make no sense without their mode") {
  std::vector<std::string> const good{"SVC_REDIS_MODE=sentinel", "SVC_REDIS_SENTINELS=a:1,[::1]:2",
                                      "SVC_REDIS_SENTINEL_MASTER=main"};
  CHECK(problems_of(good) == std::vector<std::string>{});
  std::vector<wrong_entries> const wrong{
      {{"SVC_REDIS_URL=redis://h"}, "redis.url: must be empty with redis.mode sentinel"},
      {{"SVC_REDIS_SENTINELS="}, "redis.sentinels: must be set with redis.mode sentinel"},
      {{"SVC_REDIS_SENTINELS=a:1,b:2,a:1"}, "redis.sentinels: names one twice"},
      {{"SVC_REDIS_SENTINELS=a"}, "SVC_REDIS_SENTINELS: must be a list of host names or addresses with a port"},
      {{"SVC_REDIS_SENTINEL_MASTER="}, "redis.sentinel_master: must be set"},
      {{"SVC_REDIS_SENTINEL_MASTER=a b"}, "SVC_REDIS_SENTINEL_MASTER: must be a name without blanks"},
      {{"SVC_REDIS_USERNAME=u"}, "redis.password: must be set, since redis.username is"},
      {{"SVC_REDIS_SENTINEL_USERNAME=u"}, "redis.sentinel_password: must be set, since redis.sentinel_username is"},
      {{"SVC_REDIS_OUTPUT_URL=x"}, "redis.output_url: "},
      {{"SVC_REDIS_MODE=single", "SVC_REDIS_URL=redis://h", "SVC_REDIS_SENTINEL_MASTER="},
       "redis.sentinels: must not be set unless redis.mode is sentinel"},
      {{"SVC_REDIS_NODES=a:1"}, "redis.nodes: must not be set unless redis.mode is cluster"},
  };
  check_refused(good, wrong);
  CHECK(problems_of({"SVC_REDIS_MODE=sentinel"}) ==
        std::vector<std::string>{"redis.sentinels: must be set with redis.mode sentinel",
                                 "redis.sentinel_master: must be set with redis.mode sentinel"});
  CHECK(problems_of({"SVC_REDIS_URL=redis://h", "SVC_REDIS_SENTINEL_PASSWORD=p", "SVC_REDIS_SENTINEL_TLS=true"})
            .size() == 2);
}

TEST_CASE("nodes of a Redis Cluster replace the URL, and make no sense without their mode") {
  std::vector<std::string> const good{"SVC_REDIS_MODE=cluster", "SVC_REDIS_NODES=a:1,[::1]:2"};
  CHECK(problems_of(good) == std::vector<std::string>{});
  std::vector<wrong_entries> const wrong{
      {{"SVC_REDIS_URL=redis://h"}, "redis.url: must be empty with redis.mode cluster"},
      {{"SVC_REDIS_NODES="}, "redis.nodes: must be set with redis.mode cluster"},
      {{"SVC_REDIS_NODES=a:1,b:2,a:1"}, "redis.nodes: names one twice"},
      {{"SVC_REDIS_NODES=a"}, "SVC_REDIS_NODES: must be a list of host names or addresses with a port"},
      {{"SVC_REDIS_USERNAME=u"}, "redis.password: must be set, since redis.username is"},
      {{"SVC_REDIS_SENTINELS=a:1"}, "redis.sentinels: must not be set unless redis.mode is sentinel"},
      {{"SVC_REDIS_OUTPUT_URL=x"}, "redis.output_url: "},
  };
  check_refused(good, wrong);
}

TEST_CASE("the nodes of a Redis Cluster are those of decisions, and of output unless it has a Redis of its own") {
  configuration values;
  values.redis.mode = "cluster";
  values.redis.nodes = {"a:1", "[::1]:2"};
  values.redis.username = "u";
  values.redis.tls = true;
  auto const where = values.to_redis_settings();
  REQUIRE(where.cluster.size() == 2);
  CHECK(where.cluster[0].to_string() == "a:1");
  CHECK(where.cluster[1].to_string() == "[::1]:2");
  CHECK(where.username == "u");
  CHECK(where.tls);
  CHECK(values.to_output_redis_settings().cluster == where.cluster);
  values.redis.output_url = secret_string("redis://output");
  CHECK(values.to_output_redis_settings().cluster.empty());
}

TEST_CASE("settings of the sentinels are apart from those of the server, but for the CA") {
  temporary_directory const dir;
  configuration values = load_text(dir,
                                   "[redis]\nmode = \"sentinel\"\nsentinels = [\"a:1\", \"[::1]:2\"]\n"
                                   "sentinel_master = \"main\"\nusername = \"u\"\npassword = \"p\"\n"
                                   "sentinel_username = \"v\"\nsentinel_tls = true\ntls_ca_file = \"/ca\"\n"
                                   "sentinel_deadline = \"300ms\"\n",
                                   {"SVC_REDIS_SENTINEL_PASSWORD_FILE=" + dir.write("secret", "q\n")})
                             .values;
  auto const asking = values.to_sentinel_settings();
  REQUIRE(asking.sentinels.size() == 2);
  CHECK(asking.sentinels[0].to_string() == "a:1");
  CHECK(asking.sentinels[1].to_string() == "[::1]:2");
  CHECK(asking.master == "main");
  CHECK(asking.username == "v");
  CHECK(asking.password.reveal() == "q");
  CHECK(asking.tls);
  CHECK(asking.tls_ca_file == "/ca");
  CHECK(asking.deadline == milliseconds(300));
  auto const server = values.to_redis_settings();
  CHECK(server.username == "u");
  CHECK(server.password.reveal() == "p");
  CHECK_FALSE(server.tls);
  CHECK(server.tls_ca_file == "/ca");
  CHECK(values.to_output_redis_settings().password.reveal() == "p");
  CHECK(print_configuration(values).find("sentinel_password = \"********\"") != std::string::npos);
}

TEST_CASE("output has its own connections, and can have its own Redis") {
  configuration values;
  values.redis.url = secret_string("redis://u:p@cache:7000/3");
  values.redis.password = secret_string("q");
  auto const same = values.to_output_redis_settings();
  CHECK(same.host == "cache");
  CHECK(same.password.reveal() == "q");
  CHECK(same.command_deadline == milliseconds(2000));
  values.redis.deadline = milliseconds(2500);
  CHECK(values.to_output_redis_settings().command_deadline == milliseconds(2500));
  values.redis.output_url = secret_string("redis://o:r@output:7001");
  auto const own = values.to_output_redis_settings();
  CHECK(own.host == "output");
  CHECK(own.username == "o");
  CHECK(own.password.reveal() == "r");
  CHECK(own.silence_limit == milliseconds(2500));
}

TEST_CASE("the ranges are trusted, and every client that may open the Unix socket") {
  configuration values;
  values.trusted_proxies = {"10.0.0.0/8", "2001:db8::/64"};
  auto const rules = values.to_forwarding();
  CHECK(rules.header == "x-forwarded-for");
  for (auto const* const yes : {"10.1.2.3", "2001:db8::1", "unix"}) CHECK(rules.trusted(yes));
  for (auto const* const no : {"11.1.2.3", "2001:db8:1::1", "", "10.0.0.0/8"}) CHECK_FALSE(rules.trusted(no));
}

TEST_CASE("without a number there is a worker for each core") {
  configuration values;
  CHECK(values.worker_count() >= 1);
  values.workers = 3;
  CHECK(values.worker_count() == 3);
}

}  // namespace
}  // namespace svc::app
