// Runner tokens and runners, as administrators of an organisation and of its projects see and change them.
#include "../acme.hpp"

#include "svc/store/accounts/organization_runner_store.hpp"
#include "svc/store/runners/runner_token_store.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>

using namespace svc;
using namespace svc::test;

namespace {

struct runner_administration : acme {
  store::organization_runner_store runners{pool};
  store::runner_token_store by_operator{pool};

  store::runner_scope everywhere() const { return {.organization = organization}; }
  store::runner_scope in_project() const { return {.organization = organization, .project = project}; }
  task<result<store::shown_runner_token>> create_task(store::runner_scope scope, std::string token_name) {
    auto minted = mint_runner_token();
    audit_actor agent{.user = ada, .name = "Ada"};
    return runners.create(scope, std::move(token_name), std::move(minted.start), minted.digest, std::move(agent),
                          soon());
  }
  result<store::shown_runner_token> create(store::runner_scope scope, std::string token_name) {
    return wait(create_task(scope, std::move(token_name)));
  }
  result<> revoke(store::runner_scope scope, uuid id) { return wait(runners.revoke(scope, id, actor, soon())); }
  std::vector<std::string> names_in(store::runner_scope scope) {
    std::vector<std::string> out;
    for (auto const& each : wait(runners.tokens(scope, {}, soon())).rows) out.push_back(each.name);
    return out;
  }
  std::vector<std::string> runners_in(store::runner_scope scope) {
    std::vector<std::string> out;
    for (auto const& each : wait(runners.runners(scope, {}, soon())).rows) out.push_back(each.name);
    return out;
  }
  void register_runner(uuid token, std::string const& runner_name) {
    must({{"runner_register_test",
           "INSERT INTO runners (id, token_id, name, version, labels, slots)"
           " VALUES (gen_random_uuid(), $1, $2, '1', '{linux}', 4)"},
          postgres::parameters(token, runner_name)});
  }
};

task<> create_at_once(runner_administration& db, std::string token_name, std::vector<errc>& refusals, int& left) {
  auto const done = co_await db.create_task(db.everywhere(), std::move(token_name));
  if (!done) refusals.push_back(done.error().code);
  --left;
}

}  // namespace

TEST_CASE("an organization sees all of its runner tokens, a project only its own, and both see their users") {
  runner_administration db;
  auto const shared = db.create(db.everywhere(), "shared");
  REQUIRE(shared.has_value());
  CHECK_FALSE(shared->project);
  REQUIRE(shared->creator);
  CHECK(shared->creator->name == "Ada");
  auto const own = db.create(db.in_project(), "own");
  REQUIRE(own.has_value());
  REQUIRE(own->project);
  CHECK(own->project->slug == "shop");
  CHECK(db.create(db.in_project(), "shared").error().code == errc::name_taken);
  auto const second = *db.wait(db.directory.create_project(db.organization, "web", "Web", db.actor, db.soon()));
  store::runner_scope const in_second{db.organization, second};
  REQUIRE(db.create(in_second, "of web").has_value());
  CHECK(db.names_in(db.everywhere()) == std::vector<std::string>{"shared", "own", "of web"});
  CHECK(db.names_in(db.in_project()) == std::vector<std::string>{"own"});

  db.register_runner(shared->id, "large");
  db.register_runner(own->id, "small");
  auto const listed = db.wait(db.runners.tokens(db.everywhere(), {}, db.soon())).rows;
  CHECK(listed[0].runners == 1);
  CHECK(listed[0].last_seen_at.has_value());
  CHECK(db.runners_in(db.everywhere()) == std::vector<std::string>{"large", "small"});
  CHECK(db.runners_in(db.in_project()) == std::vector<std::string>{"large", "small"});
  CHECK(db.runners_in(in_second) == std::vector<std::string>{"large"});
  auto const runner = db.wait(db.runners.runners(db.in_project(), {}, db.soon())).rows[0];
  CHECK(runner.labels == R"(["linux"])");
  CHECK(runner.slots == 4);
  CHECK(runner.token.name == "shared");

  // A project revokes only its own tokens, an organisation those of its projects as well.
  CHECK(db.revoke(db.in_project(), shared->id).error().code == errc::not_found);
  CHECK(db.revoke({uuid::generate_v7()}, own->id).error().code == errc::not_found);
  REQUIRE(db.revoke(db.everywhere(), own->id).has_value());
  CHECK(db.revoke(db.everywhere(), own->id).error().code == errc::not_found);
  CHECK(db.runners_in(db.in_project()) == std::vector<std::string>{"large"});
  CHECK(db.audit_rows("runner.created") == 3);
  CHECK(db.audit_rows("runner.revoked") == 1);
  CHECK(db.create(db.everywhere(), "own").has_value());
}

TEST_CASE(
    "an organization has 50 unrevoked runner tokens and the newest 200 revoked ones, however many are created at "
    "once") {
  runner_administration db;
  std::vector<errc> refusals;
  int left = 64;
  for (int i = 0; i < 64; ++i)
    asio::co_spawn(db.io, create_at_once(db, "t" + std::to_string(i), refusals, left), asio::detached);
  db.io.restart();
  while (left > 0 && db.io.run_one() > 0) {
  }
  CHECK(left == 0);
  CHECK(refusals == std::vector(14, errc::runner_token_limit_reached));
  CHECK(db.names_in(db.everywhere()).size() == 20);  // a page
  auto const minted = mint_runner_token();
  CHECK(db.wait(db.by_operator.create({.organization = db.organization,
                                       .project = std::nullopt,
                                       .name = "operator",
                                       .start = minted.start,
                                       .digest = minted.digest},
                                      db.actor, db.soon()))
            .error()
            .code == errc::runner_token_limit_reached);

  // The oldest of 201 revoked ones goes with its runner, and no other.
  auto const oldest = db.wait(db.runners.tokens(db.everywhere(), {}, db.soon())).rows.front().id;
  db.register_runner(oldest, "gone");
  REQUIRE(db.revoke(db.everywhere(), oldest).has_value());
  db.must({{"runner_revoked_test",
            "INSERT INTO runner_tokens (id, organization_id, name, start, digest, revoked_at)"
            " SELECT gen_random_uuid(), $1, 'old ' || n, 'svc_runner_', sha256(convert_to('old ' || n, 'UTF8')),"
            " clock_timestamp() + interval '1 second' FROM generate_series(1, 199) n"},
           postgres::parameters(db.organization)});
  auto const revoked = [&] {
    return db.number({{"runner_count_test", "SELECT count(*) FROM runner_tokens WHERE revoked_at IS NOT NULL"}});
  };
  CHECK(revoked() == 200);
  auto const next = db.wait(db.runners.tokens(db.everywhere(), {}, db.soon())).rows.front().id;
  REQUIRE(db.wait(db.by_operator.revoke(next, db.actor, db.soon())).has_value());
  CHECK(revoked() == 200);
  auto const rest = db.must({{"runner_rest_test",
                              "SELECT (SELECT count(*) FROM runner_tokens WHERE id = ANY ($1::uuid[])),"
                              " (SELECT count(*) FROM runners),"
                              " (SELECT count(*) FROM runner_tokens WHERE revoked_at IS NULL)"},
                             postgres::parameters(std::vector<uuid>{oldest})});
  CHECK(rest.front().integer(0) == 0);
  CHECK(rest.front().integer(1) == 0);
  CHECK(rest.front().integer(2) == 48);
}
