// Values of the configuration from its sources: which are refused, which replace others, and which are warned of.
#include "app/configuration/configuration.hpp"

#include "support/temporary_directory.hpp"
#include "unit/app/load_text.hpp"

#include <doctest/doctest.h>

namespace svc::app {
namespace {

using test::temporary_directory;

TEST_CASE("a file that is not TOML is refused, also where the parser assumes valid input") {
  temporary_directory const dir;
  for (auto const* text : {"workers = \n", "[[`a]]\nb = 1\n", "[\x1f]\n", "ä = 1\n"}) {
    CAPTURE(text);
    auto const loaded = load_text(dir, text);
    REQUIRE(loaded.problems.size() == 1);
    CHECK(loaded.problems[0].find("svcd.toml") != std::string::npos);
  }
}

TEST_CASE("a value that is not allowed is refused by its key's name, from either source") {
  temporary_directory const dir;
  struct {
    std::string_view name;
    std::string in_file;
    std::string in_env;
  } const bad[] = {
      {"cors_origins", R"("https://a.example")", "*"},
      {"cors_origins", R"([1])", "https://a.example/"},
      {"cors_origins", R"(["https://A.example"])", "a.example"},
      {"cors_origins", R"(["https://a.example", ""])", "https://a.example,,"},
      {"workers", "-1", "-1"},
      {"workers", "257", "257"},
      {"workers", "1.5", "1.5"},
      {"workers", "\"2\"", "two"},
      {"instances", "0", "0"},
      {"instances", "1001", ""},
      {"postgres.pool_per_worker", "0", "0"},
      {"postgres.pool_per_worker", "1001", "99999999999999999999"},
      {"postgres.prepared_statements", "\"true\"", "yes"},
      {"postgres.connect_timeout", "2000", "2000"},
      {"postgres.connect_timeout", "\"9ms\"", "9ms"},
      {"postgres.connect_timeout", "\"3601s\"", "3601s"},
      {"postgres.connect_timeout", "\"2 s\"", "s"},
      {"drain_delay", "\"-1s\"", "-1s"},
      {"drain_delay", "\"9223372036854775807h\"", "9223372036854775807h"},
      {"redis.deadline", "\"0ms\"", "0ms"},
      {"redis.mode", "\"clusters\"", "sentinels"},
      {"redis.nodes", R"(["a"])", "a:0"},
      {"redis.sentinels", R"(["a"])", "a:0"},
      {"redis.sentinel_master", R"("a b")", "a\tb"},
      {"redis.sentinel_deadline", R"("9ms")", "61m"},
      {"redis.tls", "1", "1"},
      {"limits.cli.limit", "0", "0"},
      {"limits.cli.limit", "10000001", "10000001"},
      {"limits.cli.window", "86401", "86401"},
      {"log.level", "\"verbose\"", "INFO"},
      {"admin.address", "\"localhost:1\"", "127.0.0.1"},
      {"admin.address", "\"127.0.0.1:65536\"", "127.0.0.1:-0"},
      {"admin.address", "\"::1:80\"", "[127.0.0.1]:80"},
      {"admin.hosts", "[\"a:9464\"]", "http://a"},
      {"trusted_proxies", "\"10.0.0.0/8\"", "10.0.0.0"},
      {"trusted_proxies", "[\"10.0.0.0/33\"]", "10.0.0.0/8,,fd00::/8"},
      {"trusted_proxies", "[\"10.0.0.0/8,fd00::/8\"]", "10.0.0.0/8;fd00::/8"},
      {"trusted_proxies", "[\"\"]", "unix"},
      {"trusted_proxies", "[1]", ","},
      {"client_address_header", "\"forwarded\"", "Forwarded"},
      {"client_address_header", "\"x:y\"", "x y"},
      {"public_url", "\"https://a/\"", "ftp://a"},
      {"public_url", "\"https://\"", "https://a b"},
      {"postgres.url", "5", std::string("a\0b", 3)},
      {"http.in_flight", "[1]", "1,2"},
  };
  configuration const defaults;
  CHECK(configuration_keys().find("http.in_flight")->example(&defaults) == "in_flight = 1000");
  for (auto const& c : bad) {
    auto const* k = configuration_keys().find(c.name);
    REQUIRE(k != nullptr);
    CAPTURE(c.name);
    CAPTURE(c.in_file);
    auto const file = load_text(dir, toml_line(c.name, c.in_file));
    // A value of another type gets an example, too.
    REQUIRE(file.problems.size() == 1);
    auto const said = dir.path() + "/svcd.toml:1: " + std::string(c.name) + ": must be " + k->allowed();
    CHECK((file.problems[0] == said || file.problems[0] == said + "; for example: " + k->example(&defaults)));
    auto const environment = load_text(dir, "", {configuration_keys().variable(k->name) + "=" + c.in_env});
    CHECK(environment.problems == std::vector{configuration_keys().variable(k->name) + ": must be " + k->allowed()});
  }
}

TEST_CASE("unknown keys are refused, all of them at once") {
  temporary_directory const dir;
  auto const loaded =
      load_text(dir, "instance = 2\n[postgres]\nul = \"x\"\n[limits.cli]\nlimt = 1\n",
                {"SVC_WORKER=1", "SVC_WORKERS_FILE=/x", "SVC_LISTENERS=127.0.0.1:1", "HOME=/root", "SVCX=1"});
  CHECK(loaded.problems.size() == 6);
  for (auto const* name :
       {"instance: no such key", "postgres.ul: no such key", "limits.cli.limt: no such key",
        "SVC_WORKER: no such key", "SVC_WORKERS_FILE: no such key", "SVC_LISTENERS: no such key"}) {
    CAPTURE(name);
    CHECK(names(loaded.problems, name));
  }
}

TEST_CASE("a public_url over plain HTTP is warned of, because browsers refuse the cookies of sessions") {
  temporary_directory const dir;
  struct {
    std::string text;
    bool warned;
  } const rows[] = {
      {"public_url = 'http://svc.example.org'\n", true},
      {"public_url = 'http://localhost.example.org:8080/svc'\n", true},
      {"public_url = 'http://127.0.0.10'\n", true},
      {"public_url = 'https://svc.example.org'\n", false},
      {"public_url = 'http://localhost:8080'\n", false},
      {"public_url = 'http://127.0.0.1:8080/svc'\n", false},
      {"public_url = 'http://[::1]'\n", false},
      {"", false},
      {"public_url = 'http://svc.example.org'\npasswords.enabled = false\n", false},
  };
  for (auto const& row : rows) {
    CAPTURE(row.text);
    for (auto const use : {configuration_use::serving, configuration_use::reloading}) {
      auto const warnings = load_configuration({.file = dir.write("svcd.toml", row.text)}, use).warnings;
      CHECK(warnings.size() == (row.warned ? 1U : 0U));
      CHECK(names(warnings, "public_url: browsers refuse the cookies") == row.warned);
    }
    CHECK(load_text(dir, row.text).warnings.empty());
  }
}

TEST_CASE("a former name is accepted with one warning, and refused together with the current one") {
  temporary_directory const dir;
  auto const file = load_text(dir, "[executors]\nlease = \"10s\"\nretries = 2\n");
  CHECK(file.problems.empty());
  CHECK(file.values.runners.lease == milliseconds(10'000));
  CHECK(file.values.runners.retries == 2);
  CHECK(file.warnings ==
        std::vector<std::string>{
            "executors.lease: its name is now runners.lease; the next version refuses the former one",
            "executors.retries: its name is now runners.retries; the next version refuses the former one"});

  auto const environment = load_text(dir, "", {"SVC_EXECUTORS_MAX_PER_PROJECT=3"});
  CHECK(environment.problems.empty());
  CHECK(environment.values.runners.max_per_project == 3);
  CHECK(environment.warnings ==
        std::vector<std::string>{"SVC_EXECUTORS_MAX_PER_PROJECT: its name is now SVC_RUNNERS_MAX_PER_PROJECT; the "
                                 "next version refuses the former one"});
  CHECK(load_text(dir, "runners.lease = \"10s\"\n", {"SVC_RUNNERS_RETRIES=2"}).warnings.empty());
  CHECK(load_text(dir, "executors.lease = 5\n").problems.size() == 1);

  std::string const former = "executors.lease = \"10s\"\n";
  std::string const present = "runners.lease = \"20s\"\n";
  struct {
    std::string file;
    std::vector<std::string> environment;
  } const both[] = {
      {former + present, {}},
      {former, {"SVC_RUNNERS_LEASE=20s"}},
      {present, {"SVC_EXECUTORS_LEASE=10s"}},
      {"", {"SVC_EXECUTORS_LEASE=10s", "SVC_RUNNERS_LEASE=20s"}},
  };
  for (auto const& c : both) {
    CAPTURE(c.file);
    CHECK(load_text(dir, c.file, c.environment).problems ==
          std::vector<std::string>{
              "executors.lease: the former name of runners.lease, which is set too; remove the former one"});
  }
}

TEST_CASE("monitors follow the limits of the operator") {
  temporary_directory const dir;
  auto const loaded = load_text(dir, "outgoing_allow_cidrs = ['127.0.0.0/8']\n[checks]\nmin_interval = '10s'\n");
  auto const rules = loaded.values.to_monitor_rules();
  CHECK(rules.reachable.allows(*ip_address::parse("127.0.0.1")));
  CHECK_FALSE(rules.reachable.allows(*ip_address::parse("10.0.0.1")));
  CHECK(rules.least_interval == std::chrono::seconds(10));
}

TEST_CASE("the operator's listener has its own number of connections, and no reserve") {
  temporary_directory const dir;
  auto const loaded = load_text(dir, "[admin]\nconnections = 7\n[http]\nreserved_connections = 9\n");
  CHECK(loaded.values.to_session_settings().reserved_connections == 9);
  CHECK(loaded.values.to_admin_session_settings().reserved_connections == 0);
  CHECK(loaded.values.to_admin_session_settings().connections == 7);
}

TEST_CASE("variables that belong to tests and test builds are ignored") {
  temporary_directory const dir;
  CHECK(load_text(dir, "",
                  {"SVC_FAILPOINTS=a=throw", "SVC_DECISION_LOG=/x", "SVC_CORPORA_DIR=/x", "SVC_BIN=/x",
                   "SVC_CLI_BIN=/x", "SVC_INSTALL_DIR=/x", "SVC_DEFAULT_URL=https://x"})
            .problems.empty());
}

TEST_CASE("--listen replaces all listeners of the file") {
  temporary_directory const dir;
  auto const text = "[[listeners]]\naddress = \"unix:/x\"\ntls = false\n[[listeners]]\naddress = \"0.0.0.0:443\"\n";
  configuration_sources sources{.file = dir.write("l.toml", text), .environment = {}, .overrides = {}};
  sources.overrides = {{"listen", "[::]:0"}, {"admin.address", "127.0.0.1:0"}, {"log.level", "warn"}};
  auto const replaced = load_configuration(sources, configuration_use::showing);
  CHECK(replaced.problems.empty());
  REQUIRE(replaced.values.listeners.size() == 1);
  CHECK(replaced.values.listeners[0].address == "[::]:0");
  CHECK(replaced.values.listeners[0].tls);
  CHECK(replaced.values.admin.address == "127.0.0.1:0");
  CHECK(replaced.values.log_level() == log::level::warn);

  sources.overrides = {{"listen", "8443"}, {"nothing", "1"}};
  auto const refused = load_configuration(sources, configuration_use::showing);
  REQUIRE(refused.problems.size() == 2);
  CHECK(refused.problems[0].starts_with("--listen: must be an IP address"));
  CHECK(refused.problems[1] == "nothing: no such key");
}

TEST_CASE("the environment overrides the file, and secrets can be in separate files") {
  temporary_directory const dir;
  auto const path = dir.write("secret", "postgresql://u:pw@h/d\r\n\n");
  auto const loaded = load_text(dir, "workers = 1\n", {"SVC_WORKERS=2", "SVC_POSTGRES_URL_FILE=" + path});
  CHECK(loaded.problems.empty());
  CHECK(loaded.values.worker_count() == 2);
  CHECK(loaded.values.postgres.url.reveal() == "postgresql://u:pw@h/d");
  CHECK(loaded.values.to_postgres_settings().url.reveal() == "postgresql://u:pw@h/d");

  struct {
    std::vector<std::string> environment;
    std::string problem;
  } const bad[] = {
      {{"SVC_REDIS_PASSWORD_FILE=" + dir.path() + "/none"},
       "SVC_REDIS_PASSWORD_FILE: " + dir.path() + "/none does not exist"},
      {{"SVC_REDIS_PASSWORD_FILE=" + dir.path()}, "SVC_REDIS_PASSWORD_FILE: " + dir.path() + " is a directory"},
      {{"SVC_REDIS_PASSWORD_FILE=" + dir.write("big", std::string(65537, 'x'))},
       "SVC_REDIS_PASSWORD_FILE: " + dir.path() + "/big must have at most 64 KiB"},
      {{"SVC_REDIS_PASSWORD_FILE=" + path, "SVC_REDIS_PASSWORD=x"}, "set either this or SVC_REDIS_PASSWORD"},
  };
  for (auto const& c : bad) {
    CAPTURE(c.problem);
    auto const refused = load_text(dir, "", c.environment);
    CHECK(refused.problems.size() == 1);
    CHECK(names(refused.problems, c.problem));
  }
  CHECK(
      load_text(dir, "", {"SVC_REDIS_PASSWORD_FILE=" + dir.write("most", std::string(65536, 'x'))}).problems.empty());
}

}  // namespace
}  // namespace svc::app
