// Failures of real checks in maintenance windows and behind dependencies, as the API shows them.
#include "integration/system/overload/resources.hpp"
#include "support/comes_true.hpp"
#include "support/watched_target.hpp"

#include "svc/core/time.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

namespace svc::test {
namespace {

using namespace std::chrono_literals;

/// A project with a provider, whose monitors check a closed port.
struct failing_project {
  watched_target target{};
  tenant owner = shared_fleet().make_tenant();
  api_client client = shared_fleet().client(0, owner.token);
  std::string provider{};

  failing_project() {
    target.close();
    provider =
        id_of(client.post("/api/notification-providers",
                          R"({"name":"hook","type":"webhook","config":{"url":"https://hooks.example.org/"}})"));
  }

  std::string make_monitor(std::string const& name, std::string const& more = "") {
    auto const made = client.post(
        "/api/monitors", R"({"name":")" + name + R"(","type":"http_request","target":"http://)" + target.address() +
                             R"(/","frequencyMinutes":60,"config":{"retryStrategy":{"maxRetries":0}},)" +
                             R"("alertConfig":{"enabled":true,"notificationProviders":[")" + provider + "\"]}" +
                             more + "}");
    CAPTURE(made.body);
    REQUIRE(made.status == 201);
    return id_of(made);
  }
  boost::json::object shown(std::string const& path) { return body_of(client.get(path)); }
  bool becomes_down(std::string const& monitor) {
    return comes_true([&] { return text_of(shown("/api/monitors/" + monitor), "/status") == "down"; }, 20s, 50ms);
  }
  /// Returns the failure alert of the monitor, or null if there is none.
  boost::json::value alert_of(std::string const& monitor) {
    auto const found = shown("/api/alerts?type=monitor_failure&targetId=" + monitor).at("data").as_array();
    return found.empty() ? boost::json::value() : found.front();
  }
  bool is_suppressed(std::string const& monitor, std::string const& reason) {
    auto const alert = alert_of(monitor);
    CAPTURE(boost::json::serialize(alert));
    return alert.is_object() && text_of(alert, "/status") == "suppressed" &&
           text_of(alert, "/suppressedBy") == reason;
  }
  /// True once the alert of the monitor is sent, or is about to be.
  bool is_released(std::string const& monitor) {
    return comes_true(
        [&] {
          auto const alert = alert_of(monitor);
          return alert.is_object() && alert.at("suppressedBy").is_null() && text_of(alert, "/status") != "suppressed";
        },
        40s, 50ms);
  }
};

TEST_CASE("a failure in a window is recorded with its reason, and is sent when the window has ended and it goes on") {
  failing_project p;
  auto const now = system_now();
  auto const window = id_of(p.client.post("/api/maintenance-windows",
                                          R"({"name":"upgrade","all":true,"startsAt":")" + to_rfc3339(now + -1min) +
                                              R"(","endsAt":")" + to_rfc3339(now + 60min) + "\"}"));
  auto const monitor = p.make_monitor("shop");
  REQUIRE(p.becomes_down(monitor));
  CHECK(text_of(p.shown("/api/monitors/" + monitor), "/maintenance/id") == window);
  CHECK(p.is_suppressed(monitor, "maintenance"));
  auto const result = p.shown("/api/monitors/" + monitor + "/results").at("data").at(0);
  CHECK(result.at("maintenance") == true);
  // Another process may have taken the port since, and may not answer.
  CHECK(text_of(result, "/status") != "up");
  CHECK(p.client.post("/api/maintenance-windows/" + window + "/end", "").status == 200);
  CHECK(p.is_released(monitor));
  CHECK(p.shown("/api/monitors/" + monitor).at("maintenance").is_null());
  CHECK(p.shown("/api/alerts?type=monitor_failure&targetId=" + monitor).at("pagination").at("total") == 1);
}

TEST_CASE(
    "a failure behind a failed parent names the parent's outage, and is sent when it depends on nothing any more") {
  failing_project p;
  auto const router = p.make_monitor("router");
  REQUIRE(p.becomes_down(router));
  CHECK(p.alert_of(router).at("suppressedBy").is_null());
  auto const shop = p.make_monitor("shop", R"(,"dependsOn":[")" + router + "\"]");
  REQUIRE(p.becomes_down(shop));
  CHECK(p.is_suppressed(shop, "dependency"));
  auto const outage = p.shown("/api/monitors/" + shop + "/outages").at("data").at(0);
  CHECK(text_of(outage, "/causedBy") == text_of(p.shown("/api/monitors/" + router), "/openOutageId"));
  CHECK(p.client.patch("/api/monitors/" + shop, R"({"dependsOn":[]})").status == 200);
  CHECK(p.is_released(shop));
}

}  // namespace
}  // namespace svc::test
