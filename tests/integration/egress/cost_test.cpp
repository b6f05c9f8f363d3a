#include "integration/egress/cost.hpp"
#include "integration/egress/fixture.hpp"
#include "integration/egress/nginx.hpp"

using namespace svc;
using namespace svc::egress;

TEST_CASE("a check costs little (TEST_CHECK_COST=1000: the number of checks)") {
  int const count = cost_count();
  auto const ca = make_throwaway_ca("DNS:a.test");
  temporary_directory files;
  auto const authority = files.write("ca.pem", ca.authority);
  nginx plain(ca, "", "TLSv1.3"), secure(ca, "ssl", "TLSv1.3");
  egress_fixture fixture(knowing({{"a.test", {"127.0.0.1"}}}), authority);
  auto const check = [&](nginx const& which) {
    auto request = to(which.url("a.test"));
    request.address_age = 60s;
    auto const got = fixture.fetch(request);
    CHECK(got.status == 200);
  };
  for (auto const* which : {&plain, &secure}) {
    auto const until = deadline::after(10s);
    while (fixture.code_of_get(which->url("a.test")) == "connect_refused" && !until.passed()) usleep(10'000);
  }
  bare_handshakes bare(authority);
  auto const http = cost_of(count, [&] { check(plain); });
  auto const https = cost_of(count, [&] { check(secure); });
  auto const handshake = cost_of(count, [&] { bare.shake_hands(secure.port()); });
  MESSAGE("CPU of one of ", count, " in µs: http ", http, ", https ", https, ", TLS handshake alone ", handshake);
}
