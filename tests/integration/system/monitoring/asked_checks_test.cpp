// Checks that users ask for: out of turn at any instance, and of monitors that are not saved.
#include "integration/system/extra_instance.hpp"
#include "support/comes_true.hpp"
#include "support/watched_target.hpp"

#include <doctest/doctest.h>
#include <boost/asio/post.hpp>

#include <atomic>
#include <thread>
#include <vector>

namespace svc::test {
namespace {

using namespace std::chrono_literals;

/// Takes connections and says nothing.
class silent_port {
 public:
  silent_port() : listening_(io_, {boost::asio::ip::address_v4::loopback(), 0}) {
    accept();
    thread_ = std::thread([this] { io_.run(); });
  }
  ~silent_port() {
    io_.stop();
    thread_.join();
  }
  silent_port(silent_port const&) = delete;
  silent_port& operator=(silent_port const&) = delete;

  std::string address() const { return "127.0.0.1:" + std::to_string(listening_.local_endpoint().port()); }
  int taken() const { return taken_; }
  void close_taken() {
    boost::asio::post(io_, [this] { kept_.clear(); });
  }

 private:
  void accept() {
    listening_.async_accept([this](boost::system::error_code ec, boost::asio::ip::tcp::socket socket) {
      if (ec) return;
      kept_.push_back(std::move(socket));
      ++taken_;
      accept();
    });
  }

  boost::asio::io_context io_{1};
  boost::asio::ip::tcp::acceptor listening_;
  std::vector<boost::asio::ip::tcp::socket> kept_{};
  std::atomic<int> taken_{0};
  std::thread thread_;
};

std::string body_of_monitor(std::string const& target, std::string const& config = "{}") {
  return R"({"name":"site","type":"http_request","target":"http://)" + target +
         R"(/","frequencyMinutes":60,"config":)" + config + "}";
}

std::string make_monitor(api_client& client, std::string const& target, std::string const& config = "{}") {
  auto const made = client.post("/api/monitors", body_of_monitor(target, config));
  REQUIRE(made.status == 201);
  return text_of(body_of(made), "/id");
}

std::string const silent_config = R"({"timeoutSeconds":30,"retryStrategy":{"maxRetries":0}})";

TEST_CASE("a check that is asked for at any instance is made by the one that holds the monitor, and answered here") {
  fleet two(2);
  auto const tenant = two.make_tenant();
  auto owner = two.client(0, tenant.token);
  watched_target target;
  for (int i = 0; i < 2; ++i) {
    auto const id = make_monitor(owner, target.address());
    for (std::size_t position = 0; position < 2; ++position) {
      CAPTURE(position);
      api_client asking(two.url(position), two.text("caFile"), tenant.token, 60s);
      auto const got = asking.post("/api/monitors/" + id + "/check?wait=50");
      CHECK(got.status == 200);
      auto const body = body_of(got);
      CHECK(text_of(body, "/monitorId") == id);
      CHECK(text_of(body, "/results/0/kind") == "manual");
      CHECK(text_of(body, "/results/0/status") == "up");
    }
    auto const listed = body_of(owner.get("/api/monitors/" + id + "/results?limit=100"));
    CHECK(boost::json::serialize(listed).find("\"manual\"") != std::string::npos);
    CHECK(text_of(body_of(owner.get("/api/monitors/" + id)), "/status") == "up");
  }
  auto const id = make_monitor(owner, target.address());
  auto const accepted = owner.post("/api/monitors/" + id + "/check");
  CHECK(accepted.status == 202);
  CHECK(accepted.body.find("\"results\":[]") != std::string::npos);
  CHECK(owner.get("/api/audit?limit=100").body.find("monitor.checked") != std::string::npos);
  CHECK(owner.post("/api/monitors/" + id + "/pause").status == 200);
  CHECK(code_of(owner.post("/api/monitors/" + id + "/check")) == "monitor_paused");

  // Nobody waits for a check while its instance ends.
  silent_port silent;
  auto const slow = make_monitor(owner, silent.address(), silent_config);
  std::atomic<int> status{0};
  std::thread waiter([&] {
    api_client asking(two.url(1), two.text("caFile"), tenant.token, 60s);
    status = asking.post("/api/monitors/" + slow + "/check?wait=55").status;
  });
  auto const open = "SELECT count(*) FROM check_requests WHERE closed_at IS NULL AND monitor_id = '" + slow + "'";
  CHECK(comes_true([&] { return two.sql(open).at(0).at(0) == "1"; }, 20s));
  auto const begun = std::chrono::steady_clock::now();
  CHECK(two.process(1).stop() == 0);
  CHECK(std::chrono::steady_clock::now() - begun < 10s);
  waiter.join();
  CHECK(status == 202);
}

TEST_CASE("a monitor that is not saved is tried: nothing stored, nothing secret shown, no way inside") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  api_client owner(fleet.url(0), fleet.text("caFile"), tenant.token, 60s);
  watched_target target;
  CHECK(owner.post("/api/variables", R"({"key":"KEY","value":"s3cret-of-the-shop","isSecret":true})").status == 201);
  auto const config = R"({"headers":{"x-key":"{{KEY}}"},"auth":{"type":"bearer","token":"given-in-the-body"},
                          "keywordInBody":"never there","capture":"on_failure","retryStrategy":{"maxRetries":0}})";
  auto const failed = owner.post("/api/monitors/test", body_of_monitor(target.address(), config));
  CHECK(failed.status == 200);
  CHECK(text_of(body_of(failed), "/details/error/code") == "assertion_failed");
  CHECK(target.last_request().find("s3cret-of-the-shop") != std::string::npos);
  CHECK(target.last_request().find("given-in-the-body") != std::string::npos);
  CHECK(failed.body.find("s3cret-of-the-shop") == std::string::npos);
  CHECK(failed.body.find("given-in-the-body") == std::string::npos);
  CHECK(text_of(body_of(owner.post("/api/monitors/test", body_of_monitor(target.address()))), "/status") == "up");
  CHECK(owner.get("/api/monitors").body.find("\"data\":[]") != std::string::npos);

  auto const masked = owner.post(
      "/api/monitors/test", body_of_monitor(target.address(), R"({"auth":{"type":"bearer","token":"********"}})"));
  CHECK(code_of(masked) == "validation_failed");
  CHECK(text_of(body_of(masked), "/details/0/field") == "/config/auth/token");
  CHECK(code_of(owner.post("/api/monitors/test", body_of_monitor("169.254.169.254"))) == "validation_failed");
  auto viewer = fleet.client(0, fleet.make_member(tenant, "project_viewer").token);
  CHECK(code_of(viewer.post("/api/monitors/test", body_of_monitor(target.address()))) == "permission_denied");

  extra_instance without({"SVC_CHECKS_WORKERS=0"});
  auto const none = without.client(tenant.token).post("/api/monitors/test", body_of_monitor(target.address()));
  CHECK(none.status == 503);
  CHECK(none.body.find("checks.workers") != std::string::npos);
}

TEST_CASE("a request holds its slot while it waits for a check, and only requests that wait need one") {
  auto const tenant = shared_fleet().make_tenant();
  // An organisation has a quarter of the slots.
  extra_instance narrow({"SVC_WORKERS=1", "SVC_HTTP_OUTSIDE_WAITS=4"});
  auto owner = narrow.client(tenant.token);
  silent_port silent;
  auto const id = make_monitor(owner, silent.address(), silent_config);
  auto const check = "/api/monitors/" + id + "/check";
  std::thread waiter([&] {
    api_client asking(narrow.url(), narrow.ca_file(), tenant.token, 60s);
    CHECK(asking.post(check + "?wait=50").status == 202);
  });
  auto const open = "SELECT count(*) FROM check_requests WHERE closed_at IS NULL AND monitor_id = '" + id + "'";
  CHECK(comes_true([&] { return shared_fleet().sql(open).at(0).at(0) == "1"; }, 20s));
  CHECK(code_of(owner.post(check + "?wait=50")) == "overloaded");
  CHECK(owner.post(check).status == 202);
  CHECK(narrow.process().stop() == 0);
  waiter.join();
}

TEST_CASE("an attempt counts in two classes, in both or in neither") {
  auto const tenant = shared_fleet().make_tenant();
  extra_instance narrow({"SVC_LIMITS_PROBE_LIMIT=2", "SVC_LIMITS_CLI_LIMIT=5"});
  auto owner = narrow.client(tenant.token);
  watched_target target;
  auto const body = body_of_monitor(target.address());
  for (int left : {1, 0}) {
    auto const got = owner.post("/api/monitors/test", body);
    CHECK(got.status == 200);
    CHECK(got.header("ratelimit-policy") == "\"probe\";q=2;w=60");
    CHECK(got.number("x-ratelimit-remaining") == left);
  }
  for (int i = 0; i < 3; ++i) {
    auto const full = owner.post("/api/monitors/test", body);
    CHECK(code_of(full) == "rate_limited");
    CHECK(full.header("ratelimit-policy") == "\"probe\";q=2;w=60");
    CHECK(full.number("retry-after") >= 1);
  }
  CHECK(owner.get("/api/monitors").number("x-ratelimit-remaining") == 2);
  for (int i = 0; i < 2; ++i) CHECK(owner.get("/api/monitors").status == 200);
  auto const both = owner.post("/api/monitors/test", body);
  CHECK(code_of(both) == "rate_limited");
}

TEST_CASE("a request that waits outside takes no slot from others, and an organization only its share of them") {
  auto& fleet = shared_fleet();
  extra_instance narrow({"SVC_WORKERS=1", "SVC_HTTP_IN_FLIGHT=2", "SVC_HTTP_OUTSIDE_WAITS=4"});
  silent_port silent;
  auto const body = body_of_monitor(silent.address(), silent_config);
  std::vector<std::thread> waiting;
  std::atomic<int> ended{0};
  std::vector<tenant> tenants;
  for (int i = 0; i < 4; ++i) tenants.push_back(fleet.make_tenant());
  for (auto const& each : tenants)
    waiting.emplace_back([&, token = each.token] {
      api_client owner(narrow.url(), narrow.ca_file(), token, 60s);
      auto got = owner.post("/api/monitors/test", body);
      // Two requests at a time, until they wait.
      while (got.status == 503) got = owner.post("/api/monitors/test", body);
      ended += got.status == 200 && text_of(body_of(got), "/status") == "down" ? 1 : 0;
    });
  auto first = narrow.client(tenants[0].token);
  auto fifth = narrow.client(fleet.make_tenant().token);
  CHECK(comes_true([&] { return silent.taken() == 4; }, 20s));
  CHECK(code_of(fifth.post("/api/monitors/test", body)) == "overloaded");
  CHECK(code_of(first.post("/api/monitors/test", body)) == "overloaded");
  CHECK(first.get("/api/monitors").status == 200);
  silent.close_taken();
  for (auto& each : waiting) each.join();
  CHECK(ended == 4);
  watched_target target;
  CHECK(fifth.post("/api/monitors/test", body_of_monitor(target.address())).status == 200);
}

}  // namespace
}  // namespace svc::test
