#include "app/migrations/migrator.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

namespace svc::app {
namespace {

TEST_CASE("the embedded migrations are complete and in order") {
  auto const& all = embedded_migrations();
  REQUIRE_FALSE(all.empty());
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].version == static_cast<int>(i) + 1);
    CHECK_FALSE(all[i].sql.empty());
    CHECK(all[i].checksum.size() == 64);
  }
  CHECK(all[0].name == "identity");
}

// Each file of a release is applied somewhere, so that a changed comment would stop the upgrade of that installation.
TEST_CASE("a file that a release has applied keeps its text, and the two texts of V041 are one") {
  auto const& all = embedded_migrations();
  REQUIRE(all.size() >= 41);
  CHECK(all[40].checksum == "9164bd63238d7a2a3094c692c7b341999da4d4456316ed74682c8b29aff3c39f");
  std::vector<applied_migration> applied;
  for (auto const& each : all) applied.push_back({each.version, each.name, each.checksum, each.compatible_from});
  applied[40].checksum = "765be6d59d297bd8568dcf45f106dfeb3d6239f4f9481e4f446b3feb8c1638e8";
  CHECK(plan_migrations(all, applied).problems.empty());
  applied[40].checksum.back() = '0';
  CHECK(plan_migrations(all, applied).problems.size() == 1);
}

TEST_CASE("a migration's name is V<digits>__<name>.sql") {
  auto const good = make_migration("V012__add_index.sql", "SELECT 1");
  CHECK(good.version == 12);
  CHECK(good.name == "add_index");
  CHECK(good.checksum == "e004ebd5b5532a4b85984a62f8ad48a81aa3460c1ca07701f386135d72cdecf5");
  for (auto const* bad : {"V1_a.sql", "V__a.sql", "V0__a.sql", "Vx__a.sql", "V1x__a.sql", "1__a.sql", "V1__.sql",
                          "V1__a.txt", "V-1__a.sql", ""}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(make_migration(bad, ""), std::logic_error);
  }
}

TEST_CASE("a missing right of the service's login is reported with the command that grants it") {
  for (auto const& [words, state] :
       {std::pair{"permission denied for table jobs", "42501"},
        {"PostgreSQL: the server's timeline cannot be entered: 42501 permission denied for function begin_timeline",
         ""}}) {
    auto const said = with_remedy_of_login({words, state});
    CAPTURE(said);
    CHECK(said.starts_with("the login of postgres.url lacks the rights of the service: GRANT svc_service TO it"));
    CHECK(said.find(words) != said.npos);
  }
  CHECK(with_remedy_of_login({"the server is away", ""}) == "the server is away");
}

struct plan_case {
  char const* name;
  std::vector<int> ours;
  std::vector<std::pair<int, char const*>> applied;  ///< version and content
  std::vector<int> pending;
  std::vector<std::string> problems;
};

TEST_CASE("the applied migrations decide which program may run") {
  plan_case const cases[] = {
      {"empty database", {1, 2}, {}, {1, 2}, {}},
      {"up to date", {1, 2}, {{1, "a"}, {2, "a"}}, {}, {}},
      {"one migration behind", {1, 2, 3}, {{1, "a"}, {2, "a"}}, {3}, {}},
      {"changed file", {1, 2}, {{1, "b"}}, {2}, {"V001 n has changed since it was applied"}},
      {"newer database",
       {1},
       {{1, "a"}, {2, "a"}},
       {},
       {"V002 n was applied, and svcd must know it to work with it: the database is newer than this program. Start a "
        "newer svcd, or restore a backup made before"}},
      {"hole", {1, 2, 3}, {{1, "a"}, {3, "a"}}, {}, {"V002 n was never applied, but a later one was"}},
      {"long version", {1000}, {{1000, "b"}}, {}, {"V1000 n has changed since it was applied"}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    std::vector<migration> ours;
    for (int const v : c.ours) ours.push_back(make_migration("V" + std::to_string(v) + "__n.sql", "a"));
    std::vector<applied_migration> applied;
    for (auto const& [v, content] : c.applied)
      applied.push_back({v, "n", make_migration("V1__n.sql", content).checksum, v});

    auto const plan = plan_migrations(ours, applied);
    std::vector<int> pending;
    for (auto const* p : plan.pending) pending.push_back(p->version);
    CHECK(pending == c.pending);
    CHECK(plan.problems == c.problems);
    CHECK(plan.current() == (c.pending.empty() && c.problems.empty()));
  }
}

TEST_CASE("a program works with a newer schema if each migration that it lacks says so") {
  std::vector<migration> ours{make_migration("V001__a.sql", ""), make_migration("V002__b.sql", "")};
  auto const plan = [&](std::vector<std::pair<int, int>> const& more) {
    std::vector<applied_migration> applied;
    for (auto const& m : ours) applied.push_back({m.version, m.name, m.checksum, m.compatible_from});
    for (auto const& [version, first] : more) applied.push_back({version, "n", "", first});
    return plan_migrations(ours, applied);
  };
  auto const good = plan({{3, 2}, {4, 1}});
  CHECK(good.current());
  CHECK(good.newer == std::vector<std::string>{"V003 n", "V004 n"});
  for (auto const& bad : {std::vector<std::pair<int, int>>{{3, 3}}, {{3, 2}, {4, 3}}, {{3, 3}, {4, 2}}}) {
    auto const refused = plan(bad);
    CHECK_FALSE(refused.current());
    CHECK(refused.problems.size() == 1);
  }
}

}  // namespace
}  // namespace svc::app
