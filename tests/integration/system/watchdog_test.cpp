// A turn that keeps a worker is noticed: in the log while it lasts, in the metrics afterwards.
#include "faults.hpp"
#include "said.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace svc::test {
namespace {

/// Of the values of all workers.
double greatest(std::string const& page, std::string const& name) {
  double most = -1;
  for (auto at = page.find("\n" + name); at != std::string::npos; at = page.find("\n" + name, at + 1))
    most = std::max(most, std::stod(page.substr(page.find(' ', at + name.size()))));
  return most;
}

TEST_CASE("a coroutine that keeps its worker for more than a second is told while it lasts, and its end too") {
  fleet fleet(1, {"SVC_WORKERS=2"});
  auto const tenant = fleet.make_tenant();
  auto client = fleet.client(0, tenant.token);
  auto const metrics = [&] { return fleet.pages(0).get("/metrics").body; };
  CHECK(client.get("/api/auth/whoami").status == 200);
  CHECK(metrics().find("svc_worker_stalls_total{worker=\"0\"} 0") != std::string::npos);
  REQUIRE(fleet.pages(0).post("/debug/failpoints", "pipeline.before_handler=block:2200*1").status == 200);
  // The answer comes, only late: nobody is cut off.
  CHECK(client.get("/api/auth/whoami").status == 200);
  auto const& log = fleet.dev().process();
  CHECK(said(log, "one turn keeps a worker", 1));
  CHECK(said(log, "kept by one turn serves again", 1));
  // Processor time: on a busy machine less than the block lasted.
  auto const shown = [&] {
    auto const page = metrics();
    return greatest(page, "svc_worker_stalls_total{") == 1 &&
           greatest(page, "svc_worker_longest_turn_seconds{") > 0.25;
  };
  CHECK(comes_true(shown, patience));
}

}  // namespace
}  // namespace svc::test
