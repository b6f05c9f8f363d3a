// Every key of the configuration: its default, its values, and its line in the printed configuration.
#include "app/configuration/configuration.hpp"

#include "support/generated_part.hpp"
#include "support/temporary_directory.hpp"
#include "unit/app/load_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

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
