// The path from the end of a run to its job's provider, over TLS: a runner and a receiver of the test, real
// instances.
#include "integration/egress/http_server.hpp"
#include "integration/system/jobs.hpp"
#include "integration/system/runner.hpp"
#include "support/comes_true.hpp"
#include "support/metrics_page.hpp"

#include <doctest/doctest.h>

#include <chrono>

namespace svc::test {
namespace {

using namespace std::chrono_literals;

void take_everything(http_connection& connection) {
  while (!connection.request().empty()) connection.send("HTTP/1.1 204 No Content\r\n\r\n");
}

struct telling_workshop {
  telling_workshop() {
    auto const secret = fleet.admin({"create-runner", "--project", tenant.project, "--name", "by hand"});
    client.emplace("https://" + other.address(1), fleet.text("caFile"), text_of(secret, "/key"));
    REQUIRE(client->enroll().status == 200);
    auto const hook = user.post("/api/notification-providers",
                                R"({"name":"hook","type":"webhook","config":{"url":")" + sink.url() + "\"}}");
    REQUIRE(hook.status == 201);
    job = make_job(user, R"("alertConfig":{"enabled":true,"alertOnRecovery":true,"customMessage":"See the book.",)"
                         R"("notificationProviders":[")" +
                             text_of(body_of(hook), "/id") + "\"]}");
  }
  /// Returns the sink's nth request, after a run with this end.
  boost::json::object alerts_about(std::string const& status, std::size_t nth) {
    REQUIRE(user.post(trigger_path(job)).status == 202);
    auto const claims = claims_of(client->claim(5));
    REQUIRE(claims.size() == 1);
    REQUIRE(client->complete(claims.front(), status).status == 204);
    run = text_of(claims.front(), "/runId");
    REQUIRE(comes_true([&] { return sink.requests().size() == nth; }, 10s));
    auto const got = sink.requests().back();
    return boost::json::parse(got.substr(got.find("\r\n\r\n") + 4)).as_object();
  }

  throwaway_ca trusted = make_throwaway_ca("IP:127.0.0.1");
  temporary_directory files;
  std::string authority = files.write("ca.pem", trusted.authority);
  class fleet fleet{1, {"SVC_OUTGOING_CA_FILE=" + authority}};
  configured_service other{fleet.dev(), "outgoing_ca_file = '" + authority + "'\n" + both_kinds};
  http_server sink{{.tls = &trusted}, take_everything};
  tenant tenant = fleet.make_tenant();
  api_client user{"https://" + other.address(0), fleet.text("caFile"), tenant.token};
  std::optional<runner_client> client{};
  std::string job, run;
};

TEST_CASE("a job that fails and passes again notifies its provider of both, each once") {
  telling_workshop shop;
  auto const begun = std::chrono::steady_clock::now();
  auto const failed = shop.alerts_about("failed", 1);
  MESSAGE("told after ",
          std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun).count(),
          " ms");
  CHECK(text_of(failed, "/type") == "job.failed");
  CHECK(text_of(failed, "/data/job/id") == shop.job);
  CHECK(text_of(failed, "/data/job/name") == "j");
  CHECK(text_of(failed, "/data/run/id") == shop.run);
  CHECK(text_of(failed, "/data/run/status") == "failed");
  CHECK(text_of(failed, "/data/customMessage") == "See the book.");
  CHECK(text_of(failed, "/data/message").starts_with("The job j failed after "));
  auto const recovered = shop.alerts_about("passed", 2);
  CHECK(text_of(recovered, "/type") == "job.recovered");
  CHECK(text_of(recovered, "/data/run/id") == shop.run);
  // A second pass is no news. The third run fails and causes an alert, so the second one caused none.
  REQUIRE(shop.user.post(trigger_path(shop.job)).status == 202);
  REQUIRE(shop.client->complete(claims_of(shop.client->claim(5)).front(), "passed").status == 204);
  CHECK(text_of(shop.alerts_about("timed_out", 3), "/type") == "job.timeout");
  CHECK(comes_true(
      [&] {
        return shop.fleet.sql(
                   "SELECT string_agg(type || ' ' || status || ' ' || attempts, ', ' ORDER BY created_at)"
                   " FROM alerts")[0][0] == "job_failed sent 1, job_recovered sent 1, job_timeout sent 1";
      },
      5s));
  CHECK(shop.sink.requests().size() == 3);
}

}  // namespace
}  // namespace svc::test
