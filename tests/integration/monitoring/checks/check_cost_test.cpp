#include "integration/egress/cost.hpp"
#include "integration/egress/nginx.hpp"
#include "integration/monitoring/checks/fixture.hpp"

namespace svc::checks {

TEST_CASE("a whole check costs little (TEST_CHECK_COST=1000: the number of checks)") {
  auto const ca = make_throwaway_ca("DNS:a.test");
  temporary_directory files;
  auto const authority = files.write("ca.pem", ca.authority);
  nginx plain(ca, "", "TLSv1.3"), secure(ca, "ssl", "TLSv1.3");
  probing probe(knowing({{"a.test", {"127.0.0.1"}}}), authority);
  auto const values = std::make_shared<check_values const>();
  auto const config_of = [](nginx const& which) {
    return parsed(
        {.target = which.url("a.test"), .config = R"({"keywordInBody":"GET","headers":{"X-A":"b"},"assertions":[
                     {"source":"header","property":"content-type","comparison":"contains","expected":"text"}]})"});
  };
  auto const run_check = [&](std::shared_ptr<check_config const> const& content) {
    return *run_task(probe.io, probe.made.run(content, values, deadline::after(60s)));
  };
  auto const http = config_of(plain), https = config_of(secure);
  auto const until = deadline::after(20s);
  for (auto const& each : {http, https})
    while (outcome(run_check(each)) != "up" && !until.passed()) usleep(10'000);
  int const count = cost_count();
  auto const of_check = [&](std::shared_ptr<check_config const> const& config) {
    return cost_of(count, [&] { CHECK(outcome(run_check(config)) == "up"); });
  };
  auto const of_http = of_check(http), of_https = of_check(https);
  bare_handshakes bare(authority);
  auto const of_handshake = cost_of(count, [&] { bare.shake_hands(secure.port()); });
  MESSAGE("CPU of one of ", count, " in µs: http check ", of_http, ", https check ", of_https,
          ", TLS handshake alone ", of_handshake, ", ratio ",
          static_cast<double>(of_https) / static_cast<double>(std::max(of_handshake, 1L)));
}

}  // namespace svc::checks
