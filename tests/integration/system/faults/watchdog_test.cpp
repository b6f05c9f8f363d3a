// A turn that blocks a worker is noticed: in the log while it lasts, in the metrics afterwards.
#include "faults.hpp"
#include "support/metrics_page.hpp"
#include "support/service.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

TEST_CASE("a coroutine that keeps its worker for more than a second is reported while it lasts, and its end too") {
  fleet fleet(1, {"SVC_WORKERS=2"});
  auto const tenant = fleet.make_tenant();
  auto client = fleet.client(0, tenant.token);
  auto const metrics = [&] { return fleet.pages(0).get("/metrics").body; };
  CHECK(client.get("/api/auth/whoami").status == 200);
  CHECK(metrics().find("svc_worker_stalls_total{worker=\"0\"} 0") != std::string::npos);
  REQUIRE(fleet.pages(0).post("/debug/failpoints", "pipeline.before_handler=block:4500*1").status == 200);
  // The answer comes, only late: no client is cut off.
  CHECK(client.get("/api/auth/whoami").status == 200);
  auto const& log = fleet.dev().process();
  CHECK(logged(log, "one turn of its event loop blocks a worker", 1));
  CHECK(logged(log, "that one turn had blocked serves again", 1));
  // It is processor time: on a busy machine less than the duration of the block.
  auto const shown = [&] {
    auto const page = metrics();
    return greatest_of(page, "svc_worker_stalls_total{") == 1 &&
           greatest_of(page, "svc_worker_longest_turn_seconds{") > 0.25;
  };
  CHECK(comes_true(shown, patience));
}

}  // namespace
}  // namespace svc::test
