#include "integration/system/faults/faults.hpp"
#include "integration/system/overload/worker_connections.hpp"
#include "integration/system/revocation/auth_reads.hpp"
#include "support/together.hpp"

#include <atomic>

namespace svc::test {
namespace {

std::size_t workers_of(fleet const& fleet, std::size_t instance) {
  return body_of(fleet.pages(instance).get("/readyz?verbose")).at("workers").as_array().size();
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
  auto const before = count_auth_reads(fleet);
  std::atomic<int> passed = 0;
  together(uses, [&](int i) {
    if (clients[static_cast<std::size_t>(i)].get("/api/auth/whoami").status == 200) ++passed;
  });
  auto const reads = (count_auth_reads(fleet) - before).statements;
  CHECK(passed == uses);
  CHECK(reads >= 1);
  CHECK(reads <= static_cast<long long>(workers_of(fleet, 0)));
}

TEST_CASE("unknown tokens: their statements stay within the rate, each is refused, and a known token never waits") {
  constexpr int rate = 10, guessers = 30, of_each = 10;
  fleet fleet(1, {"SVC_AUTH_UNSEEN_READS=" + std::to_string(rate)});
  auto const tenant = fleet.make_tenant();
  auto connections = connections_of(fleet, tenant.token);
  REQUIRE(whoami(connections) == "200");
  auto const before = count_auth_reads(fleet);
  auto const start = clock::now();
  std::atomic<int> refused = 0, guessing = guessers;
  int passed = 0, asked = 0;
  together(guessers + 1, [&](int me) {
    if (me == guessers) {
      for (; guessing > 0; ++asked) passed += connections[0].get("/api/auth/whoami").status == 200 ? 1 : 0;
      return;
    }
    auto connection = fleet.client(0);
    for (int i = 0; i < of_each; ++i) {
      // Without a checksum: only the database can tell that it is unknown.
      connection.use("svc_live_unknown" + std::to_string(100'000 + me * of_each + i));
      if (connection.get("/api/auth/whoami").status == 401) ++refused;
    }
    --guessing;
  });
  auto const reads = (count_auth_reads(fleet) - before).statements;
  auto const seconds_begun = 2 + std::chrono::duration_cast<seconds>(clock::now() - start).count();
  CHECK(refused == guessers * of_each);
  CHECK(reads <= seconds_begun * rate);
  CHECK(reads < refused / 3);
  CHECK(asked > 0);
  CHECK(passed == asked);
  MESSAGE(reads << " statements for " << refused.load() << " unknown tokens");
}

}  // namespace
}  // namespace svc::test
