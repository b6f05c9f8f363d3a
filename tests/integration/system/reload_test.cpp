// SIGHUP: the values that a running instance reloads from its file, that it names, and that it refuses.
#include "integration/system/faults/faults.hpp"
#include "support/service.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>
#include <iterator>

namespace svc::test {
namespace {

/// An instance whose file is replaced while it runs.
class reloaded_service {
 public:
  reloaded_service(fleet& fleet, std::string const& keys)
      : service_(fleet.dev(), keys + listener, {"SVC_WORKERS=3", "SVC_REDIS_DEADLINE=1s"}),
        ca_file_(fleet.text("caFile")) {
    std::ifstream base(fleet.text("configFile"));
    stores_.assign(std::istreambuf_iterator<char>(base), {});
  }

  service& process() { return service_.process(); }
  api_client pages() const { return {service_.admin_url(), {}, {}}; }
  boost::json::object state() const {
    return body_of(pages().get("/readyz?verbose")).at("configuration").as_object();
  }
  /// Writes these keys in addition to those of the stores, and requests a reload.
  void take(std::string const& keys) {
    auto const fresh = service_.config_file() + ".new";
    std::ofstream(fresh, std::ios::binary) << stores_ + keys + listener;
    REQUIRE(std::rename(fresh.c_str(), service_.config_file().c_str()) == 0);
    process().signal(SIGHUP);
  }
  /// Returns the limits of new connections, so that each worker has some.
  std::vector<long long> limits(std::string const& token) const {
    std::vector<long long> out;
    for (int i = 0; i < 12; ++i) out.push_back(client(token).get("/api/auth/whoami").number("x-ratelimit-limit"));
    return out;
  }
  api_client client(std::string const& token) const { return {"https://" + service_.address(0), ca_file_, token}; }
  auto lines(std::string_view part) {
    auto const text = process().err().text();
    int n = 0;
    for (auto sv = text.find(part); sv != std::string::npos; sv = text.find(part, sv + 1)) ++n;
    return n;
  }

 private:
  static constexpr char const* listener = "[[listeners]]\naddress = '127.0.0.1:0'\n";

  configured_service service_;
  std::string ca_file_, stores_{};
};

constexpr char const* loaded = "\"configuration loaded\"";
constexpr char const* refused = "the configuration cannot be used";

TEST_CASE("SIGHUP applies limits, refuses a broken file as a whole, and names keys that need a restart") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  reloaded_service service(fleet, "limits.cli.limit = 5001\n");
  CHECK(service.limits(tenant.token) == std::vector<long long>(12, 5001));
  api_client open_before = service.client(tenant.token);
  CHECK(open_before.get("/api/auth/whoami").number("x-ratelimit-limit") == 5001);

  service.take("limits.cli.limit = 4001\nhttp.deadline = '3s'\nredis.password = 'hunter2'\n");
  REQUIRE(logged(service.process(), loaded, 1));
  CHECK(service.limits(tenant.token) == std::vector<long long>(12, 4001));
  CHECK(open_before.get("/api/auth/whoami").number("x-ratelimit-limit") == 4001);
  CHECK(logged(service.process(), "\"changed\":\"limits.cli.limit\"", 1));
  for (auto const* key : {"\"http.deadline\"", "\"redis.password\""})
    CHECK(logged(service.process(), std::string("a changed key needs a restart to take effect\",\"key\":") + key, 1));
  CHECK(service.state().at("needRestart") == boost::json::value({"redis.password", "http.deadline"}));
  CHECK(service.pages().get("/debug/config").body.find("limit = 4001") != std::string::npos);

  service.take("limits.cli.limit = 3001\nlimits.feed.limit = 'many'\nredis.password = 'hunter2'\n");
  REQUIRE(logged(service.process(), refused, 1));
  CHECK(logged(service.process(), "limits.feed.limit: must be an integer", 1));
  CHECK(service.limits(tenant.token) == std::vector<long long>(12, 4001));
  CHECK(text_of(service.state(), "/state") == "refused");
  auto const metrics = service.pages().get("/metrics").body;
  for (auto const* line :
       {"svc_config_reloads_total{result=\"loaded\"} 1", "svc_config_reloads_total{result=\"refused\"} 1",
        "svc_config_keys_waiting_for_restart 2"}) {
    CAPTURE(line);
    CHECK(metrics.find(line) != std::string::npos);
  }

  service.take("limits.cli.limit = 2001\n");
  REQUIRE(logged(service.process(), loaded, 2));
  CHECK(service.limits(tenant.token) == std::vector<long long>(12, 2001));
  CHECK(text_of(service.state(), "/state") == "loaded");
  CHECK(service.state().at("needRestart") == boost::json::value(boost::json::array()));
  CHECK(service.lines(refused) == 1);
  CHECK(service.lines("hunter2") == 0);
  CHECK(service.process().stop() == 0);
}

TEST_CASE("SIGHUP takes the log's level and the proxies to trust") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  reloaded_service service(fleet, "");
  // If the proxy is trusted, the log has the request under the client's address.
  auto const ask_for = [&](std::string const& address) {
    auto client = service.client(tenant.token);
    CHECK(client.call("GET", "/api/auth/whoami", {}, {{"X-Forwarded-For", address}}).status == 200);
  };
  auto const client_is = [](std::string const& address) { return "\"client\":\"" + address + "\""; };
  ask_for("192.0.2.1");
  CHECK(logged(service.process(), client_is("127.0.0.1"), 1));
  service.take("trusted_proxies = ['127.0.0.0/8']\n");
  REQUIRE(logged(service.process(), loaded, 1));
  ask_for("192.0.2.2");
  CHECK(logged(service.process(), client_is("192.0.2.2"), 1));

  service.take("trusted_proxies = ['127.0.0.0/8']\nlog.level = 'error'\n");
  REQUIRE(logged(service.process(), loaded, 2));
  ask_for("192.0.2.3");
  service.take("trusted_proxies = ['127.0.0.0/8']\nclient_address_header = ''\n");
  REQUIRE(logged(service.process(), loaded, 3));
  ask_for("192.0.2.4");
  CHECK(logged(service.process(), client_is("127.0.0.1"), 2));
  CHECK(service.lines("192.0.2.") == 1);
}

}  // namespace
}  // namespace svc::test
