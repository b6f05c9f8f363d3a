#include "app/configuration/configuration.hpp"

#include "support/generated_part.hpp"
#include "support/temporary_directory.hpp"
#include "unit/app/load_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace svc::app {
namespace {

using test::temporary_directory;

struct good_value {
  std::string_view name;
  std::string fallback;  ///< as printed
  std::string in_file;   ///< TOML
  std::string in_env;
  std::string printed;  ///< after either
};

// Every key once: its default, a value in the file and the same in the environment.
std::vector<good_value> const good_values{
    {"public_url", R"("")", R"("https://svc.example.org/base")", "https://svc.example.org/base",
     R"("https://svc.example.org/base")"},
    {"cors_origins", "[]", R"(["https://a.example", "http://localhost:3000"])",
     "https://a.example, http://localhost:3000", R"(["https://a.example", "http://localhost:3000"])"},
    {"trusted_proxies", "[]", R"(["10.0.0.0/8", "fd00::/8"])", "10.0.0.0/8,fd00::/8",
     R"(["10.0.0.0/8", "fd00::/8"])"},
    {"client_address_header", R"("x-forwarded-for")", R"("X-Real-IP")", "X-Real-IP", R"("X-Real-IP")"},
    {"master_key_file", R"("")", R"("/etc/svcd/master.key")", "/etc/svcd/master.key", R"("/etc/svcd/master.key")"},
    {"instances", "1", "4", "4", "4"},
    {"workers", "0", "256", "256", "256"},
    {"drain_delay", R"("0ms")", R"("5s")", "5000ms", R"("5s")"},
    {"drain_timeout", R"("30s")", R"("2m")", "120s", R"("2m")"},
    {"outgoing_allow_cidrs", "[]", R"(["127.0.0.0/8"])", "127.0.0.0/8", R"(["127.0.0.0/8"])"},
    {"outgoing_ca_file", R"("")", R"("/etc/svcd/ca.pem")", "/etc/svcd/ca.pem", R"("/etc/svcd/ca.pem")"},
    {"cli.serve", "true", "false", "false", "false"},
    {"cli.directory", R"("")", R"("/opt/cli")", "/opt/cli", R"("/opt/cli")"},
    {"dashboard.enabled", "true", "false", "false", "false"},
    {"dashboard.directory", R"("")", R"("/src/web/out")", "/src/web/out", R"("/src/web/out")"},
    {"admin.address", R"("127.0.0.1:9464")", R"("[::1]:0")", "[::1]:0", R"("[::1]:0")"},
    {"admin.hosts", "[]", R"(["svc-1.example", "svc"])", "svc-1.example, svc", R"(["svc-1.example", "svc"])"},
    {"admin.connections", "64", "8", "8", "8"},
    {"tls.cert_file", R"("")", R"("a b\"c\\")", R"(a b"c\)", R"("a b\"c\\")"},
    {"tls.key_file", R"("")", R"("k")", "k", R"("k")"},
    {"tls.ticket_keys_file", R"("")", R"("t")", "t", R"("t")"},
    {"postgres.url", R"("")", R"("postgresql:///svc")", "postgresql:///svc", R"("********")"},
    {"postgres.migrate_url", R"("")", R"("dbname=svc")", "dbname=svc", R"("********")"},
    {"postgres.pool_per_worker", "8", "1000", "1000", "1000"},
    {"postgres.prepared_statements", "true", "false", "false", "false"},
    {"postgres.connect_timeout", R"("2s")", R"("10ms")", "10ms", R"("10ms")"},
    {"postgres.statement_timeout", R"("5s")", R"("1h")", "60m", R"("1h")"},
    {"redis.url", R"("")", R"("unix:/run/r.sock")", "unix:/run/r.sock", R"("********")"},
    {"redis.mode", R"("single")", R"("sentinel")", "sentinel", R"("sentinel")"},
    {"redis.username", R"("")", R"("svc")", "svc", R"("svc")"},
    {"redis.password", R"("")", R"("s3cret")", "s3cret", R"("********")"},
    {"redis.tls", "false", "true", "true", "true"},
    {"redis.tls_ca_file", R"("")", R"("/ca.pem")", "/ca.pem", R"("/ca.pem")"},
    {"redis.deadline", R"("50ms")", R"("1ms")", "1ms", R"("1ms")"},
    {"redis.connect_timeout", R"("2s")", R"("1s")", "1000ms", R"("1s")"},
    {"redis.output_url", R"("")", R"("unix:/run/o.sock")", "unix:/run/o.sock", R"("********")"},
    {"redis.output_deadline", R"("2s")", R"("1s")", "1s", R"("1s")"},
    {"redis.sentinels", "[]", R"(["a:26379", "[::1]:1"])", "a:26379,[::1]:1", R"(["a:26379", "[::1]:1"])"},
    {"redis.sentinel_master", R"("")", R"("main")", "main", R"("main")"},
    {"redis.sentinel_username", R"("")", R"("asks")", "asks", R"("asks")"},
    {"redis.sentinel_password", R"("")", R"("s3cret")", "s3cret", R"("********")"},
    {"redis.sentinel_tls", "false", "true", "true", "true"},
    {"redis.sentinel_deadline", R"("1s")", R"("300ms")", "300ms", R"("300ms")"},
    {"redis.nodes", "[]", R"(["a:6379", "[::1]:1"])", "a:6379,[::1]:1", R"(["a:6379", "[::1]:1"])"},
    {"limits.cli.limit", "1000", "10000000", "10000000", "10000000"},
    {"limits.cli.window", "60", "86400", "86400", "86400"},
    {"limits.trigger_default.limit", "100", "1", "1", "1"},
    {"limits.trigger_default.window", "60", "2", "2", "2"},
    {"limits.trigger_most", "6000", "10000000", "10000000", "10000000"},
    {"limits.project.limit", "12000", "7", "7", "7"},
    {"limits.project.window", "60", "8", "8", "8"},
    {"limits.runner.limit", "60000", "9", "9", "9"},
    {"limits.runner.window", "60", "14", "14", "14"},
    {"limits.claim.limit", "6000", "15", "15", "15"},
    {"limits.claim.window", "60", "16", "16", "16"},
    {"limits.anonymous.limit", "10", "11", "11", "11"},
    {"limits.anonymous.window", "60", "1", "1", "1"},
    {"limits.feed.limit", "60", "61", "61", "61"},
    {"limits.feed.window", "60", "59", "59", "59"},
    {"limits.download.limit", "6000", "62", "62", "62"},
    {"limits.download.window", "60", "58", "58", "58"},
    {"limits.health.limit", "600", "601", "601", "601"},
    {"limits.health.window", "60", "30", "30", "30"},
    {"limits.heartbeat.limit", "120", "12", "12", "12"},
    {"limits.heartbeat.window", "60", "6", "6", "6"},
    {"limits.probe.limit", "20", "21", "21", "21"},
    {"limits.probe.window", "60", "61", "61", "61"},
    {"limits.refused.limit", "60", "5", "5", "5"},
    {"limits.refused.window", "60", "10", "10", "10"},
    {"monitors.per_project", "1000", "0", "0", "0"},
    {"log.level", R"("info")", R"("debug")", "debug", R"("debug")"},
    {"limits.session.limit", "1000", "1001", "1001", "1001"},
    {"limits.session.window", "60", "59", "59", "59"},
    {"limits.sign_in.limit", "300", "301", "301", "301"},
    {"limits.sign_in.window", "60", "59", "59", "59"},
    {"limits.sign_in_account.limit", "10", "11", "11", "11"},
    {"limits.sign_in_account.window", "900", "899", "899", "899"},
    {"limits.recovery.limit", "3", "4", "4", "4"},
    {"limits.recovery.window", "3600", "3599", "3599", "3599"},
    {"limits.invitations.limit", "100", "101", "101", "101"},
    {"limits.invitations.window", "86400", "86399", "86399", "86399"},
    {"limits.page.limit", "600", "601", "601", "601"},
    {"limits.page.window", "60", "59", "59", "59"},
    {"quotas.variables", "200", "0", "0", "0"},
    {"quotas.variable_bytes", "262144", "1000000000000", "1000000000000", "1000000000000"},
    {"quotas.tests", "2000", "1000000", "1000000", "1000000"},
    {"quotas.script_bytes", "268435456", "1", "1", "1"},
    {"quotas.jobs", "500", "1", "1", "1"},
    {"quotas.notification_providers", "100", "7", "7", "7"},
    {"quotas.queued_runs", "5000", "0", "0", "0"},
    {"quotas.output_bytes", "5368709120", "0", "0", "0"},
    {"quotas.members", "1000", "0", "0", "0"},
    {"quotas.projects", "100", "1", "1", "1"},
    {"quotas.page_bytes", "16777216", "1", "1", "1"},
    {"pages.per_project", "20", "0", "0", "0"},
    {"pages.subscribers", "2000", "1", "1", "1"},
    {"pages.copies", "2000", "3", "3", "3"},
    {"pages.memory", "16777216", "4194304", "4194304", "4194304"},
    {"pages.confirmations_per_hour", "600", "1", "1", "1"},
    {"sessions.idle", "\"12h\"", "\"1h\"", "1h", "\"1h\""},
    {"sessions.absolute", "\"168h\"", "\"2160h\"", "2160h", "\"2160h\""},
    {"sessions.fresh", "\"15m\"", "\"1s\"", "1s", "\"1s\""},
    {"passwords.enabled", "true", "false", "false", "false"},
    {"passwords.min_length", "15", "8", "8", "8"},
    {"passwords.memory_kib", "47104", "8192", "8192", "8192"},
    {"passwords.iterations", "1", "3", "3", "3"},
    {"passwords.threads", "1", "2", "2", "2"},
    {"passwords.denied_file", "\"\"", "\"/d\"", "/d", "\"/d\""},
    {"auth.unseen_reads", "50", "1", "1", "1"},
    {"auth.seen_reads", "2000", "1000000", "1000000", "1000000"},
    {"output.lines", "50000", "7", "7", "7"},
    {"output.bytes", "4194304", "7", "7", "7"},
    {"output.heartbeat", R"("15s")", R"("10s")", "10s", R"("10s")"},
    {"output.memory_share", "50", "25", "25", "25"},
    {"output.memory", "268435456", "1000000", "1000000", "1000000"},
    {"runners.lease", R"("30s")", R"("10s")", "10s", R"("10s")"},
    {"runners.first_lease", R"("0ms")", R"("5s")", "5s", R"("5s")"},
    {"runners.retries", "1", "2", "2", "2"},
    {"runners.max_per_project", "0", "3", "3", "3"},
    {"checks.min_interval", R"("30s")", R"("10s")", "10s", R"("10s")"},
    {"retention.interval", R"("1m")", R"("1s")", "1000ms", R"("1s")"},
    {"retention.runs_age", R"("2160h")", R"("0ms")", "0s", R"("0ms")"},
    {"retention.runs_per_job", "100000", "0", "0", "0"},
    {"retention.trigger_audits", R"("9600h")", R"("0ms")", "0s", R"("0ms")"},
    {"retention.results", R"("336h")", R"("840h")", "840h", R"("840h")"},
    {"retention.days", R"("19200h")", R"("24h")", "24h", R"("24h")"},
    {"retention.failures", R"("2160h")", R"("24h")", "24h", R"("24h")"},
    {"retention.outages", R"("19200h")", R"("48h")", "48h", R"("48h")"},
    {"retention.deleted_monitors", R"("720h")", R"("24h")", "24h", R"("24h")"},
    {"retention.alerts", R"("9600h")", R"("24h")", "24h", R"("24h")"},
    {"notifications.link", R"("")", R"("https://svc.example/{type}/{id}")", "https://svc.example/{type}/{id}",
     R"("https://svc.example/{type}/{id}")"},
    {"notifications.mail_recipients", "[]", R"(["members", "example.org", "*.a.example"])",
     "members,example.org,*.a.example", R"(["members", "example.org", "*.a.example"])"},
    {"notifications.mails_per_day", "2000", "0", "0", "0"},
    {"notifications.mails_per_address", "120", "1000000", "1000000", "1000000"},
    {"smtp.url", R"("")", R"("smtps://mail.example:465")", "smtps://mail.example:465",
     R"("smtps://mail.example:465")"},
    {"smtp.username", R"("")", R"("svc")", "svc", R"("svc")"},
    {"smtp.password", R"("")", R"("s3cret")", "s3cret", R"("********")"},
    {"smtp.from", R"("")", R"("Alerts <svc@example.org>")", "Alerts <svc@example.org>",
     R"("Alerts <svc@example.org>")"},
    {"smtp.tls", R"("")", R"("off")", "off", R"("off")"},
    {"smtp.ca_file", R"("")", R"("/etc/svcd/ca.pem")", "/etc/svcd/ca.pem", R"("/etc/svcd/ca.pem")"},
    {"smtp.per_second", "10", "1", "1", "1"},
    {"checks.workers", "1", "0", "0", "0"},
    {"checks.in_flight", "2000", "1", "1", "1"},
    {"checks.per_target_per_minute", "600", "60", "60", "60"},
    {"checks.resolvers", "[]", R"(["10.0.0.53", "[fd00::53]:5353"])", "10.0.0.53, [fd00::53]:5353",
     R"(["10.0.0.53", "[fd00::53]:5353"])"},
    {"checks.canaries", "[]", R"(["a.example:443", "[2001:db8::1]:53"])", "a.example:443,[2001:db8::1]:53",
     R"(["a.example:443", "[2001:db8::1]:53"])"},
    {"checks.user_agent", R"("svcd")", R"("checks of Example")", "checks of Example", R"("checks of Example")"},
    {"http.deadline", R"("2s")", R"("10s")", "10s", R"("10s")"},
    {"http.in_flight", "1000", "16", "16", "16"},
    {"http.outside_waits", "256", "8", "8", "8"},
    {"http.queue_time", R"("100ms")", R"("20ms")", "20ms", R"("20ms")"},
    {"http.connections", "16384", "1", "1", "1"},
    {"http.reserved_connections", "32", "0", "0", "0"},
    {"http.connections_per_address", "1024", "16", "16", "16"},
    {"http.connections_per_user", "4096", "16", "16", "16"},
    {"http.streams", "5000", "100", "100", "100"},
    {"http.streams_per_project", "200", "10", "10", "10"},
    {"http.streams_per_token", "20", "1", "1", "1"},
    {"http.tls_timeout", R"("5s")", R"("1s")", "1s", R"("1s")"},
    {"http.head_timeout", R"("10s")", R"("1s")", "1s", R"("1s")"},
    {"http.idle_timeout", R"("75s")", R"("1s")", "1s", R"("1s")"},
    {"http.connection_age", R"("1h")", R"("10m")", "10m", R"("10m")"},
    {"http.body_window", R"("10s")", R"("1s")", "1s", R"("1s")"},
    {"http.body_window_bytes", "5000", "1", "1", "1"},
    {"http.body_timeout", R"("2m")", R"("1s")", "1s", R"("1s")"},
    {"http.write_timeout", R"("10s")", R"("1s")", "1s", R"("1s")"},
    {"http.write_window_bytes", "5000", "1", "1", "1"},
    {"http.response_timeout", R"("5m")", R"("1s")", "1s", R"("1s")"},
    {"http.linger_timeout", R"("1s")", R"("2s")", "2s", R"("2s")"},
    {"http.drained_body", "65536", "0", "0", "0"},
    {"http.body_bytes", "268435456", "30000000", "30000000", "30000000"},
    {"http.body_bytes_per_worker", "134217728", "30000000", "30000000", "30000000"},
    {"http.body_bytes_per_user", "33554432", "20000000", "20000000", "20000000"},
    {"http.response_bytes", "268435456", "90000000", "90000000", "90000000"},
    {"http.response_bytes_per_user", "67108864", "40000000", "40000000", "40000000"},
    {"http.json_values", "50000", "1000", "1000", "1000"},
};

std::string toml_line(std::string_view name, std::string const& value) {
  return std::string(name) + " = " + value + "\n";
}

TEST_CASE("the page of keys matches the table") {
  configuration const defaults;
  test::check_generated_part(SVC_CONFIGURATION_PAGE, "svcd", settings_page(configuration_keys(), &defaults));
}

TEST_CASE("the table of good values contains every key") {
  CHECK(good_values.size() == configuration_keys().all.size());
  for (setting const& k : configuration_keys().all) {
    CAPTURE(k.name);
    CHECK(std::any_of(good_values.begin(), good_values.end(), [&](auto const& v) { return v.name == k.name; }));
    CHECK_FALSE(k.help.empty());
  }
}

TEST_CASE("each key has its default, and is read from the file and from the environment") {
  temporary_directory const dir;
  configuration const defaults;
  for (auto const& v : good_values) {
    CAPTURE(v.name);
    auto const* k = configuration_keys().find(v.name);
    REQUIRE(k != nullptr);
    CHECK(k->printed(&defaults) == v.fallback);

    auto const file = load_text(dir, toml_line(v.name, v.in_file));
    CHECK(file.problems == std::vector<std::string>{});
    CHECK(k->printed(&file.values) == v.printed);

    auto const environment = load_text(dir, "", {configuration_keys().variable(k->name) + "=" + v.in_env});
    CHECK(environment.problems == std::vector<std::string>{});
    CHECK(k->printed(&environment.values) == v.printed);
  }
}

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

TEST_CASE("a printed configuration reads back the same") {
  temporary_directory const dir;
  std::string all;
  for (auto const& v : good_values)
    if (!configuration_keys().find(v.name)->secret()) all += toml_line(v.name, v.in_file);
  auto const first = load_text(dir, all + "[[listeners]]\naddress = \"[::1]:9\"\n");
  REQUIRE(first.problems.empty());
  for (bool const comments : {false, true}) {
    auto const printed = print_configuration(first.values, comments);
    auto const second = load_text(dir, printed);
    CHECK(second.problems == std::vector<std::string>{});
    CHECK(print_configuration(second.values, comments) == printed);
  }
}

}  // namespace
}  // namespace svc::app
