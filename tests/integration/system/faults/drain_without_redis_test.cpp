#include "faults.hpp"
#include "support/metrics_page.hpp"

#include <functional>
#include <string>

namespace svc::test {
namespace {

constexpr std::size_t workers = 2;

/// The worker that owns the windows of this user while Redis is lost, as `access::fallback` chooses it.
std::size_t owner_of(std::string const& user) {
  return std::hash<std::string>()(user) % workers;
}

}  // namespace

TEST_CASE("SIGTERM without Redis: a request whose window another, idle worker owns is still answered") {
  // A request in progress outlives the drain of the idle worker by seconds.
  fleet fleet(2, {"SVC_WORKERS=" + std::to_string(workers), "SVC_REDIS_DEADLINE=50ms", "SVC_HTTP_DEADLINE=40s",
                  "SVC_DRAIN_DELAY=1s", "SVC_DRAIN_TIMEOUT=30s"});
  // The listener gives the only connection to the first worker.
  auto tenant = fleet.make_tenant();
  while (owner_of(tenant.user_id) != 1) tenant = fleet.make_member(tenant, "org_owner");
  kill_store(fleet, "redis");
  auto pages = fleet.pages(1);
  REQUIRE(comes_true([&] { return limits_of(fleet, 1) == "local"; }, patience));
  REQUIRE(pages.post("/debug/failpoints", "auth.after_read=delay:4000*1").status == 200);
  answer got;
  std::thread request([&] {
    try {
      auto client = fleet.client(1, tenant.token);
      got = client.get("/api/auth/whoami");
    } catch (std::exception const& e) {
      got.body = e.what();  // no answer
    }
  });
  bool const connected =
      comes_true([&] { return sum_of(pages.get("/metrics").body, "svc_connections{worker=\"0\"}") == 1; }, patience,
                 milliseconds(50));
  fleet.process(1).signal(SIGTERM);
  request.join();
  CHECK(connected);
  CHECK_MESSAGE(got.status == 200, got.body);
  CHECK(fleet.process(1).wait() == 0);
}

}  // namespace svc::test
