#include "support/fleet.hpp"
#include "support/together.hpp"

#include <doctest/doctest.h>

#include <set>

namespace svc::test {
namespace {

constexpr int racers = 64;

struct window_case {
  std::string name;
  std::string path;  ///< of the list
  std::string full;  ///< code of the refusal
  int held_before;   ///< by the token that asks
  int most;
  int rounds;
};

/// Callers on both instances, connected beforehand so that all of them ask at the same time.
std::vector<api_client> make_callers(fleet const& fleet, std::string const& token) {
  std::vector<api_client> all;
  for (std::size_t i = 0; i < racers; ++i) {
    all.push_back(fleet.client(i % fleet.size(), token));
    REQUIRE(all.back().get("/livez").status == 200);
  }
  return all;
}

/// Each caller asks once, with its own name.
std::vector<answer> ask_together(std::vector<api_client>& all, std::string const& path) {
  std::vector<answer> answers(all.size());
  together(racers, [&](int i) {
    auto const position = static_cast<std::size_t>(i);
    answers[position] = all[position].post(path, R"({"name":"n)" + std::to_string(i) + R"("})");
  });
  return answers;
}

/// The results of one round.
struct round_seen {
  int made = 0;
  int full = 0;  ///< refused because of the limit
};

round_seen look(window_case const& window, std::vector<answer> const& answers) {
  round_seen seen;
  for (auto const& got : answers) {
    if (got.status == 201) ++seen.made;
    if (got.status == 409 && code_of(got) == window.full) ++seen.full;
  }
  return seen;
}

/// Deletes everything from the list except what was there before; returns how many distinct names there were.
std::size_t clear(api_client& client, std::string const& path, std::string const& keep) {
  std::set<std::string> names;
  auto const list = body_of(client.get(path + "?limit=100"));
  for (auto const& row : list.at("data").as_array()) {
    names.insert(text_of(row, "/name"));
    auto const id = text_of(row, "/id");
    if (id != keep) CHECK(client.del(path + "/" + id).status == 204);
  }
  CHECK(names.size() == list.at("data").as_array().size());
  return names.size();
}

void race(fleet& fleet, tenant const& tenant, window_case const& window) {
  CAPTURE(window.name);
  auto all = make_callers(fleet, tenant.token);
  for (int round = 0; round < window.rounds; ++round) {
    CAPTURE(round);
    auto const seen = look(window, ask_together(all, window.path));
    CHECK(seen.made == window.most - window.held_before);
    CHECK(seen.made + seen.full == racers);
    CHECK(clear(all.front(), window.path, tenant.token_id) == static_cast<std::size_t>(window.most));
  }
}

constexpr char const* tokens_full = "token_limit_reached";

TEST_CASE("64 at once never make a 21st token of a project, and leave no place empty") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  race(fleet, tenant, {"tokens", "/api/cli-tokens", tokens_full, 1, 20, 20});
}

TEST_CASE("64 at once never make an 11th trigger key of a job") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto const job = body_of(fleet.client(0, tenant.token).post("/api/jobs", R"({"name":"j","jobType":"command"})"));
  race(fleet, tenant,
       {"keys", "/api/jobs/" + text_of(job, "/id") + "/trigger-keys", "trigger_key_limit_reached", 0, 10, 5});
}

TEST_CASE("64 at once make one token with one name") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto all = make_callers(fleet, tenant.token);
  std::vector<int> status(all.size());
  std::vector<std::string> code(all.size());
  together(racers, [&](int i) {
    auto const position = static_cast<std::size_t>(i);
    auto const got = all[position].post("/api/cli-tokens", R"({"name":"the one"})");
    status[position] = got.status;
    code[position] = code_of(got);
  });
  CHECK(std::count(status.begin(), status.end(), 201) == 1);
  CHECK(std::count(code.begin(), code.end(), "name_taken") == racers - 1);
}

TEST_CASE("the full project names the expired tokens that can be deleted; disabled and expired ones count") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  std::string last;
  for (int i = 0; i < 19; ++i) {
    auto const got = owner.post("/api/cli-tokens", R"({"name":"n)" + std::to_string(i) + R"("})");
    REQUIRE(got.status == 201);
    last = text_of(body_of(got), "/token/id");
  }
  CHECK(owner.patch("/api/cli-tokens/" + last, R"({"enabled":false})").status == 200);
  auto const full = owner.post("/api/cli-tokens", R"({"name":"more"})");
  CHECK(full.status == 409);
  CHECK(full.body.find("n18") == std::string::npos);
  fleet.sql("UPDATE tokens SET expires_at = clock_timestamp() WHERE id = '" + last + "'");
  auto const still = owner.post("/api/cli-tokens", R"({"name":"more"})");
  CHECK(code_of(still) == tokens_full);
  CHECK(still.body.find("n18") != std::string::npos);
  CHECK(owner.del("/api/cli-tokens/" + last).status == 204);
  CHECK(owner.post("/api/cli-tokens", R"({"name":"more"})").status == 201);
}

TEST_CASE("the bound checker sees tokens that do not count") {
  fleet fleet(1);
  fleet.sql("ALTER TABLE tokens DROP CONSTRAINT tokens_slot_range");
  fleet.sql("DROP INDEX tokens_project_slot_unique");
  fleet.sql("CREATE FUNCTION no_slot() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.slot := 0; RETURN NEW; END'");
  fleet.sql("CREATE TRIGGER no_slot BEFORE INSERT ON tokens FOR EACH ROW EXECUTE FUNCTION no_slot()");
  auto const tenant = fleet.make_tenant();
  window_case const window{"tokens", "/api/cli-tokens", tokens_full, 1, 20, 1};
  auto all = make_callers(fleet, tenant.token);
  CHECK(look(window, ask_together(all, window.path)).made > window.most);
  CHECK(clear(all.front(), window.path, tenant.token_id) > static_cast<std::size_t>(window.most));
}

}  // namespace
}  // namespace svc::test
