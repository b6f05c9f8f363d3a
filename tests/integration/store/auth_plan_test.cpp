// The statement behind every token that no cache knows: planned once for a connection, and for tables of any size.
#include "shop.hpp"
#include "svc/store/tokens/auth_reader.hpp"

using namespace svc;
using namespace svc::test;

TEST_CASE("tokens are read by a plan that is made once, and that still fits when the tables have grown") {
  shop db;
  postgres::pool pool(db.io, {.url = secret_string(db.url()), .size = 1});
  pool.start();
  store::postgres_auth_reader reader(pool);
  // So small that reading them whole is cheapest, which is known.
  db.as_owner("ANALYZE");
  std::vector<sha256_digest> const nobody{sha256(std::string_view("nobody"))};
  for (int i = 0; i < 20; ++i) CHECK(db.wait(reader.read(nobody, db.soon())).records.empty());
  auto const plans =
      db.wait(pool.run(postgres::query{{"plans_of_auth",
                                        "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE name = "
                                        "'auth_read'"}},
                       db.soon()))
          .value();
  CHECK(plans.front().integer(0) >= 10);
  CHECK(plans.front().integer(1) <= 5);
  std::string const plan = db.plan_of(pool, "auth_read", "ARRAY[sha256('nobody')]");
  CAPTURE(plan);
  for (auto const* table : {"token_secrets", "tokens", "users", "projects", "organizations", "subjects", "jobs",
                            "organization_members", "project_members"}) {
    CAPTURE(std::string(table));
    auto const position = plan.find(" on " + std::string(table) + " ");
    REQUIRE(position != std::string::npos);
    // The next line is that of its key.
    auto const next = plan.find_first_not_of(' ', plan.find('\n', position) + 1);
    CHECK(plan.substr(next, 11) == "Index Cond:");
  }
  CHECK(plan.find("Seq Scan") == std::string::npos);
}
