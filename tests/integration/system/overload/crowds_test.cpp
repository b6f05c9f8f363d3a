// One client takes as much as it can get: streams, connections without a token, connections of the admin listener.
// The service still serves others. `TEST_CROWD=5000`: the number of connections.
#include "integration/system/extra_instance.hpp"
#include "integration/system/faults/faults.hpp"
#include "integration/system/jobs.hpp"
#include "support/stalled_clients.hpp"

#include <doctest/doctest.h>

#include <sys/resource.h>
#include <algorithm>
#include <deque>

namespace svc::test {
namespace {

/// Viewers of a queued run.
class viewers {
 public:
  viewers(extra_instance const& instance, std::string run) : instance_(instance), run_(std::move(run)) {}

  /// Opens one more stream and returns its status; the stream stays open when it is served.
  int open(std::string const& token) {
    auto& made = all_.emplace_back(instance_.url(), instance_.ca_file());
    auto const got = made.open_stream("GET /api/runs/" + run_ +
                                      "/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token + "\r\n\r\n");
    if (got.status != 200) all_.pop_back();
    return got.status;
  }
  void close_one() { all_.pop_front(); }
  void close_all() { all_.clear(); }

 private:
  extra_instance const& instance_;
  std::string run_;
  std::deque<support::https_client> all_{};
};

std::string make_run(api_client client) {
  return text_of(body_of(client.post(trigger_path(make_job(client)))), "/data/runId");
}

/// A client with a separate address.
stall idle_client() {
  return {.name = "idle", .opening = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n", .reads = false};
}

std::size_t connections_of(extra_instance const& instance) {
  std::size_t sum = 0;
  auto const page = body_of(instance.pages().get("/readyz?verbose"));
  for (auto const& worker : page.at("workers").as_array()) sum += worker.at("connections").to_number<std::size_t>();
  return sum;
}

/// The value of a metric without labels.
std::string metric(extra_instance const& instance, std::string const& name) {
  auto const page = instance.pages().get("/metrics").body;
  auto const position = page.find("\n" + name + " ");
  return position == page.npos
             ? ""
             : page.substr(position + name.size() + 2, page.find('\n', position + 1) - position - name.size() - 2);
}

TEST_CASE("a viewer has 20 streams; the next is refused, and others keep watching") {
  extra_instance const instance({"SVC_WORKERS=2", "SVC_HTTP_STREAMS_PER_PROJECT=25"});
  auto const tenant = shared_fleet().make_tenant();
  auto const greedy = shared_fleet().make_member(tenant, "project_viewer");
  auto const run = make_run(instance.client(tenant.token));
  viewers many(instance, run), others(instance, run);
  for (int i = 0; i < 20; ++i) REQUIRE(many.open(greedy.token) == 200);
  auto const refused = instance.client(greedy.token).get("/api/runs/" + run + "/stream");
  CHECK(refused.status == 409);
  CHECK(code_of(refused) == "stream_limit_reached");
  for (int i = 0; i < 5; ++i) CHECK(others.open(tenant.token) == 200);
  // Now the project has all its streams; other projects have their own.
  CHECK(others.open(tenant.token) == 409);
  auto const stranger = shared_fleet().make_tenant();
  viewers elsewhere(instance, make_run(instance.client(stranger.token)));
  CHECK(elsewhere.open(stranger.token) == 200);
  // A viewer that leaves makes room, and a refused viewer takes none.
  many.close_one();
  CHECK(comes_true([&] { return others.open(tenant.token) == 200; }, patience));
  many.close_one();
  CHECK(comes_true([&] { return many.open(greedy.token) == 200; }, patience));
  many.close_all();
  for (int i = 0; i < 19; ++i) {
    CHECK(comes_true([&] { return many.open(greedy.token) == 200; }, patience));
  }
}

/// Allows this process that many descriptors.
void allow_files(std::size_t count) {
  rlimit files{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &files) == 0);
  files.rlim_cur = std::max<rlim_t>(files.rlim_cur, std::min<rlim_t>(files.rlim_max, count));
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &files) == 0);
}

TEST_CASE("connections without a token keep nobody out: at the bound, idle ones of the largest holder are closed") {
  auto const count = static_cast<std::size_t>(long_form("TEST_CROWD", 300));
  auto const bound = count / 4;
  allow_files(count + 1000);
  extra_instance const instance({"SVC_WORKERS=1", "SVC_HTTP_IDLE_TIMEOUT=300s",
                                 "SVC_HTTP_CONNECTIONS=" + std::to_string(bound), "SVC_HTTP_RESERVED_CONNECTIONS=8",
                                 "SVC_HTTP_CONNECTIONS_PER_ADDRESS=1000000", "SVC_LIMITS_HEALTH_LIMIT=1000000"});
  auto const tenant = shared_fleet().make_tenant();
  viewers watching(instance, make_run(instance.client(tenant.token)));
  REQUIRE(watching.open(tenant.token) == 200);
  std::vector<api_client> crowd;
  for (std::size_t i = 0; i < count; ++i) {
    crowd.push_back(instance.client());
    CHECK(crowd.back().get("/livez").status == 200);
    if (i % 10 != 0) continue;
    // Other clients are served meanwhile.
    CHECK(instance.client().get("/api/health").status == 200);
    CHECK(instance.client(tenant.token).get("/api/auth/whoami").status == 200);
    CHECK(connections_of(instance) <= bound + 8);
  }
  // A stream is not an idle connection: it still exists.
  CHECK(metric(instance, "svc_streams") == "1");
}

TEST_CASE("an address has limited connections until a request is admitted; those of its users do not count") {
  extra_instance const instance({"SVC_WORKERS=2", "SVC_HTTP_CONNECTIONS_PER_ADDRESS=10",
                                 "SVC_HTTP_CONNECTIONS_PER_USER=50", "SVC_HTTP_IDLE_TIMEOUT=300s"});
  auto const tenant = shared_fleet().make_tenant();
  // A fleet of CI clients behind the address of this test.
  std::vector<api_client> builds;
  for (int i = 0; i < 40; ++i) {
    builds.push_back(instance.client(tenant.token));
    REQUIRE(builds.back().get("/api/auth/whoami").status == 200);
  }
  CHECK(connections_of(instance) >= 40);
  // From another address without a token, connections beyond the tenth are closed.
  stalled_clients const crowd(instance.url(), idle_client(), 30);
  REQUIRE(comes_true([&] { return crowd.ended() >= 20 && connections_of(instance) <= 50; }, seconds(60)));
  CHECK(crowd.stalling() >= 10);
  // A user that has many connections loses its own.
  for (int i = 0; i < 20; ++i) {
    builds.push_back(instance.client(tenant.token));
    REQUIRE(builds.back().get("/api/auth/whoami").status == 200);
  }
  CHECK(comes_true([&] { return connections_of(instance) <= 60; }, patience));
}

TEST_CASE("when all connections are busy, health is answered and others get a time to retry") {
  extra_instance const instance({"SVC_WORKERS=1", "SVC_HTTP_CONNECTIONS=12", "SVC_HTTP_RESERVED_CONNECTIONS=8",
                                 "SVC_LIMITS_HEALTH_LIMIT=1000000"});
  auto const tenant = shared_fleet().make_tenant();
  viewers many(instance, make_run(instance.client(tenant.token)));
  auto const whoami = [&] { return instance.client(tenant.token).get("/api/auth/whoami"); };
  for (int i = 0; i < 12; ++i) {
    REQUIRE(comes_true([&] { return many.open(tenant.token) == 200; }, patience));
  }
  for (int i = 0; i < 5; ++i) {
    CHECK(instance.client().get("/livez").status == 200);
    CHECK(instance.client().get("/readyz").status == 200);
    CHECK(instance.client().get("/api/health").status == 200);
    auto const busy = whoami();
    CHECK(busy.status == 503);
    CHECK(code_of(busy) == "overloaded");
  }
  // This also holds while silent connections compete for the reserve.
  stalled_clients const crowd(instance.url(), {.name = "silent"}, 30);
  REQUIRE(comes_true([&] { return crowd.stalling() >= 8; }, seconds(60)));
  // A client that arrives while no place of the reserve is free in time is closed, and tries again.
  auto const is_served = [](auto const& ask) {
    try {
      return ask().status == 200;
    } catch (std::runtime_error const&) {
      return false;
    }
  };
  for (int i = 0; i < 5; ++i)
    CHECK(comes_true([&] { return is_served([&] { return instance.client().get("/livez"); }); }, seconds(1)));
  many.close_one();
  CHECK(comes_true([&] { return is_served(whoami); }, patience));
}

TEST_CASE("the admin listener has few connections, and always room for a new one") {
  extra_instance const instance({"SVC_ADMIN_CONNECTIONS=4"});
  std::vector<api_client> all;
  for (int i = 0; i < 20; ++i) {
    all.push_back(instance.pages());
    CHECK(all.back().get("/livez").status == 200);
  }
}

}  // namespace
}  // namespace svc::test
