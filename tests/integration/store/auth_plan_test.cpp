// The statement behind every token that no cache knows: planned once for a connection, and for tables of any size.
#include "shop.hpp"
#include "svc/store/tokens/auth_reader.hpp"

using namespace svc;
using namespace svc::test;

namespace {

/// The tables whose scan in the plan has no condition on an index in the next line.
std::vector<std::string> tables_without_key(std::string const& plan, std::vector<std::string> const& tables) {
  std::vector<std::string> out;
  for (auto const& table : tables) {
    auto const position = plan.find(" on " + table + " ");
    auto const next = plan.find_first_not_of(' ', plan.find('\n', position) + 1);
    if (position == std::string::npos || plan.substr(next, 11) != "Index Cond:") out.push_back(table);
  }
  return out;
}

}  // namespace

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

TEST_CASE("sessions are read by a plan that is made once, by either of their digests") {
  shop db;
  postgres::pool pool(db.io, {.url = secret_string(db.url()), .size = 1});
  pool.start();
  store::postgres_auth_reader reader(pool);
  db.as_owner("ANALYZE");
  std::vector<presented_session> const nobody{{sha256(std::string_view("nobody")), {}}};
  for (int i = 0; i < 20; ++i) CHECK(db.wait(reader.read_sessions(nobody, db.soon())).records.empty());
  auto const plans =
      db.wait(pool.run(postgres::query{{"plans_of_sessions",
                                        "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE name = "
                                        "'session_read'"}},
                       db.soon()))
          .value();
  CHECK(plans.front().integer(0) >= 10);
  CHECK(plans.front().integer(1) <= 5);
  std::string const plan =
      db.plan_of(pool, "session_read", "ARRAY[sha256('nobody')], ARRAY[2], ARRAY[gen_random_uuid()], 43200");
  CAPTURE(plan);
  CHECK(tables_without_key(plan, {"users", "projects", "organizations", "subjects", "organization_members",
                                  "project_members"}) == std::vector<std::string>{});
  CHECK(plan.find("sessions_digest_unique") != std::string::npos);
  CHECK(plan.find("sessions_previous_digest_unique") != std::string::npos);
  CHECK(plan.find("Seq Scan") == std::string::npos);
}
