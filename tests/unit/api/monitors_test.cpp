#include "api/monitors.hpp"

#include "unit/api/contract.hpp"
#include "unit/api/object.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>

namespace svc::api {
namespace {

using test::object;

constexpr timestamp noon{1'790'000'000'000'000};

monitor_rules const& usual_rules() {
  static monitor_rules const rules{};
  return rules;
}

boost::json::object monitor_body(std::string const& more = "", std::string const& type = "http_request") {
  return object(R"({"name":"site","type":")" + type + R"(","target":"https://a.test/")" + (more.empty() ? "" : ",") +
                more + "}");
}

result<monitor_settings> monitor_of(std::string const& more, std::string const& type = "http_request") {
  auto const body = monitor_body(more, type);
  if (auto const fits = test::check("CreateMonitor", body); !fits) return fits.error();
  return read_monitor(body, usual_rules(), noon);
}

TEST_CASE("valid and invalid monitors, beyond the schema") {
  std::string const provider = R"("notificationProviders":["01934f2e-7777-7d3e-9b1f-5a2c8e4d6f70"])";
  std::string const twice =
      R"("notificationProviders":["01934f2e-7777-7d3e-9b1f-5a2c8e4d6f70","01934F2E-7777-7d3e-9b1f-5a2c8e4d6f70"])";
  struct {
    std::string more;
    std::string wrong;
  } const cases[] = {
      {"", ""},
      {R"("frequencySeconds":30)", ""},
      {R"("frequencySeconds":25)", "/frequencySeconds"},
      {R"("frequencySeconds":61)", "/frequencySeconds"},
      {R"("frequencySeconds":5)", "/frequencySeconds"},
      {R"("frequencySeconds":86400)", ""},
      {R"("frequencySeconds":86405)", "/frequencySeconds"},
      {R"("frequencyMinutes":1440)", ""},
      {R"("frequencyMinutes":1441)", "/frequencyMinutes"},
      {R"("target":"https://127.0.0.1/")", "/target"},
      {R"("target":"https://8.8.8.8/")", ""},
      {R"("target":"https://user@a.test/")", "/target"},
      {R"("target":"a.test")", "/target"},
      // There are 3 attempts, and 3 s between them.
      {R"("frequencySeconds":60,"config":{"timeoutSeconds":15})", ""},
      {R"("frequencySeconds":60,"config":{"timeoutSeconds":16})", "/config/timeoutSeconds"},
      {R"("config":{"nonsense":1})", "/config/nonsense"},
      {R"("config":{"port":1})", "/config/port"},
      {R"("config":{"headers":{"Content-Length":"1"}})", "/config/headers/Content-Length"},
      {R"("config":{"checkRevocation":true})", "/config/checkRevocation"},
      {R"("config":{"sslCheckFrequencyHours":24,"sslCheckOnStatusChange":true})", ""},
      {R"("config":{"locationConfig":{"enabled":false}})", ""},
      {R"("config":{"locationConfig":{"enabled":true}})", "/config/locationConfig/enabled"},
      {R"("config":{"locationConfig":{"locations":["fra"]}})", "/config/locationConfig/locations"},
      {R"("regions":["eu"])", "/regions"},
      {R"("dependsOn":[])", ""},
      {R"("dependsOn":["01934f2e-7777-7d3e-9b1f-5a2c8e4d6f70"])", ""},
      {R"("dependsOn":["01934f2e-7777-7d3e-9b1f-5a2c8e4d6f70","01934F2E-7777-7d3e-9b1f-5a2c8e4d6f70"])",
       "/dependsOn/1"},
      {R"("dependsOn":["router"])", "/dependsOn/0"},
      {R"("mutedUntil":"2026-09-22T00:00:00Z")", ""},
      {R"("mutedUntil":"2027-09-22T14:13:20Z")", ""},
      {R"("mutedUntil":"2027-09-22T14:13:21Z")", "/mutedUntil"},
      {R"("alertConfig":{})", ""},
      {R"("alertConfig":{"enabled":true})", "/alertConfig/notificationProviders"},
      {R"("alertConfig":{"enabled":true,)" + provider + "}", ""},
      {R"("alertConfig":{"enabled":true,"alertOnFailure":false,"alertOnRecovery":false,"alertOnError":false,)" +
           provider + "}",
       "/alertConfig/enabled"},
      {R"("alertConfig":{)" + twice + "}", "/alertConfig/notificationProviders/1"},
      {R"("alertConfig":{"flapDetection":{"enabled":true}})", "/alertConfig/flapDetection"},
      {R"("alertConfig":{"flapDetection":null})", ""},
  };
  for (auto const& c : cases) {
    CAPTURE(c.more);
    CHECK(test::faults(monitor_of(c.more)) == c.wrong);
  }
  CHECK(monitor_of(R"("frequencySeconds":60,"config":{"timeoutSeconds":16})")
            .error()
            .details.front()
            .message.find("51 s") != std::string::npos);
}

TEST_CASE("types that this version does not support are refused as such") {
  auto const refused = monitor_of("", "synthetic_test");
  CHECK(test::faults(refused) == "/type");
  CHECK(refused.error().details.front().message == "is not supported by this version yet");
  CHECK(test::faults(monitor_of("", "telnet")) == "/type");
}

TEST_CASE("the schedule of heartbeats is checked") {
  auto const heartbeat_of = [](std::string const& cron) {
    auto const body = R"({"name":"site","type":"heartbeat","config":{"schedule":{"cron":")" + cron + R"("}}})";
    return read_monitor(object(body), usual_rules(), noon);
  };
  CHECK(heartbeat_of("0 3 * * *").has_value());
  CHECK(test::faults(heartbeat_of("0 25 * * *")) == "/config/schedule/cron");
}

TEST_CASE("defaults are filled in") {
  auto const made = monitor_of(R"("frequencySeconds":90,"alertConfig":{})");
  REQUIRE(made.has_value());
  CHECK(made->frequency_minutes == 2);
  CHECK(made->interval() == std::chrono::seconds(90));
  CHECK(made->attempts_seconds == 33);
  CHECK(made->enabled);
  CHECK(
      boost::json::parse(*made->alert_config) ==
      boost::json::parse(R"({"enabled":false,"notificationProviders":[],"alertOnFailure":true,"alertOnRecovery":true,
            "alertOnSslExpiration":false,"alertOnDegraded":false,"alertOnError":true,"failureThreshold":1,
            "recoveryThreshold":1,"reminderMinutes":null,"customMessage":""})"));
}

monitor stored_monitor(std::string const& more = "") {
  monitor out{.id = uuid::generate_v7(), .set = monitor_of(more).value()};
  out.set.config = R"({"headers":{"X-Key":"********"},"method":"GET"})";
  return out;
}

std::string patch_faults(std::string const& patch, monitor const& monitor) {
  return test::faults(patch_monitor(test::contract(), monitor, object(patch), usual_rules(), noon));
}

TEST_CASE("a patch is merged, and the result is checked like a new monitor") {
  auto const now = stored_monitor(R"("frequencySeconds":30,"mutedUntil":"2026-09-22T00:00:00Z")");
  auto const patched = [&](std::string const& patch) {
    return patch_monitor(test::contract(), now, object(patch), usual_rules(), noon).value();
  };
  CHECK(boost::json::parse(patched(R"({"config":{"method":"HEAD"}})").config) ==
        boost::json::parse(R"({"headers":{"X-Key":"********"},"method":"HEAD"})"));
  CHECK(boost::json::parse(patched(R"({"config":{"headers":null}})").config) ==
        boost::json::parse(R"({"method":"GET"})"));
  CHECK(patched(R"({"name":"other"})").muted_until == now.set.muted_until);
  CHECK_FALSE(patched(R"({"mutedUntil":null})").muted_until.has_value());
  CHECK(patched(R"({"frequencyMinutes":7})").interval() == std::chrono::minutes(7));
  CHECK(patched(R"({"frequencyMinutes":7,"frequencySeconds":40})").interval() == std::chrono::seconds(40));
  CHECK_FALSE(patched(R"({"status":"paused"})").enabled);
  CHECK(patched(R"({"status":"pending","enabled":true})").enabled);
  CHECK(patch_faults(R"({"status":"pending","enabled":false})", now) == "/status");
  CHECK(patch_faults(R"({"config":{"nonsense":1}})", now) == "/config/nonsense");
  CHECK(patch_faults(R"({"target":"https://10.0.0.1/"})", now) == "/target");
  CHECK(patch_faults(R"({"frequencySeconds":10})", now) == "/frequencySeconds");
  // The operator has raised the minimum since.
  monitor_rules const slower{.least_interval = std::chrono::seconds(60)};
  CHECK(test::faults(patch_monitor(test::contract(), now, object(R"({"name":"other"})"), slower, noon)).empty());
}

/// Returns a config with this number of regular expressions of about 900 instructions each.
std::string config_with_patterns(int count, std::string const& first = "a{900}") {
  std::string all;
  for (int i = 0; i < count; ++i)
    all += std::string(i > 0 ? "," : "") + R"({"source":"body","comparison":"matches","expected":")" +
           (i == 0 ? first : "a{900}") + R"("})";
  return R"("config":{"assertions":[)" + all + "]}";
}

TEST_CASE("all regular expressions of a monitor together have a bound") {
  CHECK(test::faults(monitor_of(config_with_patterns(10))).empty());
  auto const refused = monitor_of(config_with_patterns(12));
  CHECK(test::faults(refused) == "/config/assertions");
  CHECK(refused.error().details.front().message.find("at most 10000 instructions") != std::string::npos);
  std::string const port = R"("target":"a.test","config":{"port":25,"expect":")";
  CHECK(test::faults(monitor_of(port + R"(a{900}"})", "port_check")).empty());
  CHECK(test::faults(monitor_of(port + R"((?:a{900}){12}"})", "port_check")) == "/config/expect");
}

TEST_CASE("a monitor with larger regular expressions keeps them, and only growth is refused") {
  auto monitor = stored_monitor();
  monitor.set.config = boost::json::serialize(object("{" + config_with_patterns(14) + "}").at("config"));
  CHECK(patch_faults(R"({"name":"other"})", monitor).empty());
  CHECK(patch_faults("{" + config_with_patterns(13) + "}", monitor).empty());
  CHECK(patch_faults("{" + config_with_patterns(14, "a{899}") + "}", monitor).empty());
  CHECK(patch_faults("{" + config_with_patterns(14, "a{901}") + "}", monitor) == "/config/assertions");
  CHECK(patch_faults("{" + config_with_patterns(15) + "}", monitor) == "/config/assertions");
}

TEST_CASE("a closed verdict answers earlier requests, and compiles nothing else") {
  auto const now = stored_monitor();
  check_verdict verdict;
  auto const patched = [&](monitor const& monitor, std::string const& patch) {
    return patch_monitor(test::contract(), monitor, object(patch), usual_rules(), noon, &verdict);
  };
  auto const patch = "{" + config_with_patterns(2) + "}";
  CHECK(patched(now, patch).has_value());
  verdict.close();
  CHECK(patched(now, patch).has_value());
  // Settings that do not concern the check may have changed meanwhile.
  auto renamed = now;
  renamed.set.name = "other";
  renamed.set.enabled = false;
  CHECK(patched(renamed, patch)->name == "other");
  struct {
    std::string subject;
    std::function<void(monitor_settings&)> change;
  } const others[] = {
      {"target", [](monitor_settings& set) { set.target = "https://b.test/"; }},
      {"interval", [](monitor_settings& set) { set.frequency_seconds = 60; }},
      {"config", [](monitor_settings& set) { set.config = R"({"method":"HEAD"})"; }},
  };
  for (auto const& c : others) {
    CAPTURE(c.subject);
    auto other = now;
    c.change(other.set);
    CHECK(patched(other, patch).error().code == errc::overloaded);
  }
  // The result also reports its faults.
  verdict.open();
  auto const wrong = R"({"config":{"assertions":[{"source":"body","comparison":"matches","expected":"("}]}})";
  CHECK(test::faults(patched(now, wrong)) == "/config/assertions/0/expected");
  verdict.close();
  CHECK(test::faults(patched(now, wrong)) == "/config/assertions/0/expected");
  CHECK(patched(now, patch).error().code == errc::overloaded);
}

boost::json::object shown_monitor(monitor const& monitor) {
  return object(http::written([&](http::json_text& out) { monitor_json(out, monitor, noon); }));
}

TEST_CASE("a monitor as it is shown") {
  auto monitor = stored_monitor();
  auto fresh = shown_monitor(monitor);
  CHECK(test::faults(test::check("Monitor", fresh)).empty());
  CHECK(fresh.at("status") == "pending");
  CHECK(fresh.at("lastCheckAt").is_null());
  CHECK(fresh.at("nextCheckAt").is_null());
  CHECK(fresh.at("lastStatusChangeAt").is_null());
  CHECK(fresh.at("maskedFields") == boost::json::parse(R"(["/config/headers/X-Key"])"));
  monitor.verdict = "down";
  monitor.since = noon;
  monitor.reason_code = "connect_refused";
  monitor.reason = "refused";
  monitor.seen = {{.says = "down", .seen_at = noon, .fails = 3, .response_ms = 7}};
  auto const down = shown_monitor(monitor);
  CHECK(test::faults(test::check("Monitor", down)).empty());
  CHECK(down.at("reason") == boost::json::parse(R"({"code":"connect_refused","message":"refused"})"));
  CHECK(down.at("lastCheckAt") == down.at("lastStatusChangeAt"));
  CHECK(down.at("lastResponseTimeMs") == 7);
  CHECK(down.at("locations").at(0).at("code") == "local");
  CHECK(down.at("locations").at(0).at("consecutiveFailureCount") == 3);
  auto const next = parse_rfc3339(std::string_view(down.at("nextCheckAt").as_string()));
  CHECK(next->micros > noon.micros);
  CHECK(next->micros <= noon.micros + 300'000'000);
  monitor.deleted_at = noon;
  CHECK(shown_monitor(monitor).at("status") == "paused");
  CHECK(shown_monitor(monitor).at("nextCheckAt").is_null());
}

TEST_CASE("a monitor shows its dependencies and its maintenance, and a patch keeps or replaces the dependencies") {
  auto const parent = uuid::parse("01934f2e-7777-7d3e-9b1f-5a2c8e4d6f70").value();
  auto monitor = stored_monitor(R"("dependsOn":[")" + parent.to_string() + "\"]");
  CHECK(monitor.set.depends_on == std::vector{parent});
  CHECK(shown_monitor(monitor).at("maintenance").is_null());
  monitor.maintenance = current_maintenance{.id = parent, .name = "new router", .until = noon};
  auto const shown = shown_monitor(monitor);
  CHECK(test::faults(test::check("Monitor", shown)).empty());
  CHECK(shown.at("dependsOn") == boost::json::parse("[\"" + parent.to_string() + "\"]"));
  CHECK(shown.at("maintenance") ==
        boost::json::value{{"id", parent.to_string()}, {"name", "new router"}, {"until", to_rfc3339(noon)}});
  CHECK(shown.at("status") == "pending");
  auto const parents_after = [&](std::string const& patch) {
    return patch_monitor(test::contract(), monitor, object(patch), usual_rules(), noon).value().depends_on;
  };
  CHECK(parents_after(R"({"name":"other"})") == std::vector{parent});
  CHECK(parents_after(R"({"dependsOn":[]})").empty());
  CHECK(parents_after(R"({"dependsOn":null})").empty());
}

TEST_CASE("an outage shows the outage that caused it") {
  store::outage outage{.id = uuid::generate_v7()};
  CHECK(test::shown(outage_json, outage).at("causedBy").is_null());
  outage.caused_by = uuid::generate_v7();
  auto const shown = test::shown(outage_json, outage);
  CHECK(test::faults(test::check("Outage", shown)).empty());
  CHECK(shown.at("causedBy").as_string() == outage.caused_by->to_string());
}

TEST_CASE("results of checks change the hash of a monitor's tag, and the next slot does not") {
  auto const tag = [](monitor const& monitor, timestamp now) {
    http::json_text values(http::json_form::values);
    monitor_json(values, monitor, now);
    return entity_tag_of(1, values.take());
  };
  auto subject = stored_monitor();
  subject.seen = {{.says = "up", .seen_at = noon, .oks = 1, .response_ms = 7}};
  auto const before = tag(subject, noon);
  CHECK(tag(subject, {noon.micros + 900'000'000}) == before);
  subject.seen.front().response_ms = 8;
  CHECK(tag(subject, noon) != before);
}

}  // namespace
}  // namespace svc::api
