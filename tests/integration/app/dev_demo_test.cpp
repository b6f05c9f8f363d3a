// Tests the monitors and the status page that `make run` shows.
#include "app/migrations/database_session.hpp"
#include "support/comes_true.hpp"
#include "support/https_client.hpp"
#include "support/service.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <boost/json.hpp>

#include <chrono>
#include <string>

namespace svc::test {
namespace {

using namespace std::chrono_literals;

boost::json::value shown(support::api_client& client, std::string const& path) {
  auto const got = client.get(path);
  REQUIRE(got.status == 200);
  return boost::json::parse(got.body);
}

/// Follows the printed instructions, but without the retries of a check.
void see_alerts(dev_service& dev, support::api_client& user) {
  auto const ping = dev.text("heartbeatUrl").substr(dev.text("url").size());
  CHECK(user.post(ping + "/fail").status == 200);
  dev.process().wait_error_line("alert: monitor.failure: Nightly backup has been down");
  CHECK(user.post(ping).status == 200);
  dev.process().wait_error_line("alert: monitor.recovery: Nightly backup is up again");
  auto const site = "/api/monitors/" + dev.text("monitorId");
  CHECK(comes_true([&] { return shown(user, site).at("status") == "up"; }, 15s));
  CHECK(user.patch(site, R"({"config":{"expectedStatusCodes":"418","retryStrategy":{"maxRetries":0}}})").status ==
        200);
  dev.process().wait_error_line("alert: monitor.failure: This service has been down");
}

void edit(dev_service& dev, support::api_client& user) {
  auto const made =
      user.post("/api/notification-providers",
                R"({"name":"other","type":"webhook","config":{"url":"http://127.0.0.1:18999/","method":"POST"}})");
  CAPTURE(made.body);
  REQUIRE(made.status == 201);
  auto const other = std::string(boost::json::parse(made.body).at("id").as_string());
  auto const alerts = R"({"alertConfig":{"alertOnRecovery":false,"notificationProviders":[")" + other + R"("]}})";
  CHECK(user.patch("/api/monitors/" + dev.text("heartbeatId"), alerts).status == 200);
}

/// Reads the page as a visitor, without a token.
void see_page(dev_service& dev) {
  support::api_client visitor(dev.text("url"), dev.text("caFile"), "");
  auto const url = dev.text("statusPageUrl");
  CHECK(url == dev.text("url") + "/status/demo");
  auto const shown = visitor.get("/status/demo");
  CHECK(shown.status == 200);
  for (std::string const name : {"Demo", "This service", "Nightly backup"})
    CHECK_MESSAGE(shown.body.find(name) != std::string::npos, name);
}

/// Checks that edits are kept, and that the alerts are shown too.
void see_edits(dev_service& dev, support::api_client& user) {
  auto const alerts = shown(user, "/api/monitors/" + dev.text("heartbeatId")).at("alertConfig");
  CHECK(alerts.at("alertOnRecovery") == false);
  CHECK(alerts.at("notificationProviders").as_array().size() == 2);
}

/// The demo recreates missing resources, which an archived project refuses.
void keep_from_demo(dev_service& dev, support::api_client& user) {
  auto const all = shown(user, "/api/notification-providers");
  for (auto const& each : all.at("data").as_array())
    CHECK(user.del("/api/notification-providers/" + std::string(each.at("id").as_string())).status == 204);
  app::database_session(secret_string(dev.text("postgresUrl")), milliseconds(20'000))
      .run("UPDATE projects SET archived_at = now()");
}

TEST_CASE("dev --demo watches itself and a heartbeat, shows their alerts, and makes nothing twice") {
  temporary_directory const dir;
  std::string first_ids;
  for (int start = 0; start < 2; ++start) {
    CAPTURE(start);
    dev_service dev(dir.path(), {"--demo"});
    support::api_client user(dev.text("url"), dev.text("caFile"), dev.text("token"));
    auto const ids = dev.text("monitorId") + dev.text("heartbeatId") + dev.text("heartbeatUrl").substr(30);
    if (start == 0) first_ids = ids;
    CHECK(ids == first_ids);
    CHECK(shown(user, "/api/monitors").at("pagination").at("total") == 2);
    CHECK(shown(user, "/api/notification-providers").at("pagination").at("total") == 1 + start);
    CHECK(shown(user, "/api/status-pages").at("pagination").at("total") == 1);
    see_page(dev);
    if (start == 0) see_alerts(dev, user);
    start == 0 ? edit(dev, user) : see_edits(dev, user);
    if (start == 1) keep_from_demo(dev, user);
    CHECK(dev.process().stop() == 0);
  }
  dev_service without(dir.path(), {"--demo"});
  without.process().wait_error_line("continuing without the demo: ");
  CHECK_FALSE(without.line().contains("monitorId"));
  CHECK_FALSE(without.line().contains("statusPageUrl"));
  CHECK(without.process().stop() == 0);
}

}  // namespace
}  // namespace svc::test
