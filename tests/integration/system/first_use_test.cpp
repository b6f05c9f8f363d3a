#include "doors.hpp"
#include "faults.hpp"
#include "support/together.hpp"

#include <atomic>
#include <cstdlib>

namespace svc::test {
namespace {

/// Statements that read a token with all that belongs to it.
long long auth_reads(fleet const& of) {
  auto const rows = of.sql(
      "SELECT coalesce(sum(calls), 0) FROM pg_stat_statements WHERE query LIKE"
      " '%FROM token_secrets sec%WHERE sec.digest = $1%'");
  return std::atoll(rows[0][0].c_str());
}

std::size_t workers_of(fleet const& of, std::size_t instance) {
  return body_of(of.pages(instance).get("/readyz?verbose")).at("workers").as_array().size();
}

TEST_CASE("200 first uses of a token at once: no worker reads it twice") {
  constexpr int uses = 200;
  fleet fleet(1);
  auto const tenant = fleet.make_tenant();
  std::vector<api_client> clients;
  for (int i = 0; i < uses; ++i) {
    clients.push_back(fleet.client(0, tenant.token));
    clients.back().get("/livez");
  }
  auto const before = auth_reads(fleet);
  std::atomic<int> passed = 0;
  together(uses, [&](int i) {
    if (clients[static_cast<std::size_t>(i)].get("/api/auth/whoami").status == 200) ++passed;
  });
  auto const reads = auth_reads(fleet) - before;
  CHECK(passed == uses);
  CHECK(reads >= 1);
  CHECK(reads <= static_cast<long long>(workers_of(fleet, 0)));
}

TEST_CASE("unknown tokens: reads stay within the budget, beyond it 503 and never 401; a known token passes") {
  constexpr int budget = 10, unknown = 300;
  fleet fleet(1, {"SVC_AUTH_UNSEEN_READS=" + std::to_string(budget)});
  auto const tenant = fleet.make_tenant();
  auto doors = doors_of(fleet, tenant.token);
  REQUIRE(whoami(doors) == "200");
  auto const before = auth_reads(fleet);
  auto const start = clock::now();
  long long refused = 0, unavailable = 0;
  for (int i = 0; i < unknown; ++i) {
    auto& door = doors[static_cast<std::size_t>(i) % doors.size()];
    // Without a checksum: only the database can say that it is unknown.
    door.use("svc_live_unknown" + std::to_string(100'000 + i));
    auto const got = door.get("/api/auth/whoami");
    if (got.status == 401) ++refused;
    if (got.status == 503) {
      ++unavailable;
      CHECK(got.number("retry-after") >= 1);
    }
    if (i % 50 == 0) {
      door.use(tenant.token);
      CHECK(door.get("/api/auth/whoami").status == 200);
    }
  }
  auto const reads = auth_reads(fleet) - before;
  auto const seconds_begun = 2 + std::chrono::duration_cast<seconds>(clock::now() - start).count();
  CHECK(refused + unavailable == unknown);
  CHECK(refused == reads);
  CHECK(reads <= seconds_begun * budget);
  CHECK(unavailable > unknown / 2);
  MESSAGE(reads << " reads for " << unknown << " unknown tokens");
}

}  // namespace
}  // namespace svc::test
