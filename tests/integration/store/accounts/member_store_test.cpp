// Members of an organisation: who may change them, the last owner, and what a removal stops.
#include "../shop.hpp"

#include "store/sql/settled.hpp"
#include "svc/store/accounts/member_store.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>
#include <thread>

using namespace svc;
using namespace svc::test;

namespace {

struct member_fixture : acme {
  store::member_store members{pool};

  store::member_editor editor(organization_role role = organization_role::org_owner) {
    return {.actor = actor, .role = role};
  }
  /// Returns a member who changes members by a session.
  store::member_editor by_session(uuid user, organization_role role) {
    auto const id = uuid::generate_v7();
    auto const secret = id.to_string();
    must({{"member_session_test",
           "INSERT INTO sessions (id, user_id, digest, method, expires_at)"
           " VALUES ($1, $2, sha256(convert_to($3, 'UTF8')), 'link', clock_timestamp() + interval '1 hour')"},
          postgres::parameters(id, user, secret)});
    audit_actor agent{.user = user, .name = "someone", .session = id};
    agent.permit = write_permit{.token = id,
                                .subject = user,
                                .epoch = epoch(user),
                                .roles = organization_roles_with(organization_permission::member_update),
                                .secret = sha256(secret),
                                .session = session_place{.organization = organization}};
    return {.actor = std::move(agent), .role = role};
  }
  std::optional<errc> set(uuid user, organization_role role, store::member_editor agent) {
    auto const done = wait(members.set_role(organization, user, role, std::move(agent), soon()));
    return done.outcome ? std::nullopt : std::optional(done.outcome.error().code);
  }
  std::string role_of(uuid user) {
    auto const found = must({{"member_role_test",
                              "SELECT coalesce((SELECT role FROM organization_members WHERE organization_id = $1"
                              " AND user_id = $2), 'none')"},
                             postgres::parameters(organization, user)});
    return std::string(found.front().text(0));
  }
  std::int64_t owners() {
    return number({{"member_owners_test",
                    "SELECT count(*) FROM organization_members WHERE organization_id = $1 AND role = 'org_owner'"},
                   postgres::parameters(organization)});
  }
  std::vector<store::impacted_token> impact_on(uuid user) {
    return wait(members.impact(organization, user, {}, soon())).value().stopped.rows;
  }
};

task<> remove_owner(member_fixture& db, uuid user, std::vector<errc>& refusals, int& left) {
  auto const done = co_await db.members.remove(db.organization, user, db.editor(), db.soon());
  if (!done.outcome) refusals.push_back(done.outcome.error().code);
  --left;
}

task<> demote_counted(member_fixture& db, uuid user, std::optional<errc>& refusal, int& left) {
  auto const done =
      co_await db.members.set_role(db.organization, user, organization_role::org_admin, db.editor(), db.soon());
  if (!done.outcome) refusal = done.outcome.error().code;
  --left;
}

/// Waits until the other transaction holds its locks.
void until_held(member_fixture& db) {
  postgres::query const ready{{"member_test_held",
                               "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 1 AND granted"
                               " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"}};
  auto const until = steady::now() + std::chrono::seconds(20);
  while (db.number(ready) != 1) REQUIRE(steady::now() < until);
}

}  // namespace

TEST_CASE("only owners set and remove owners, the last owner stays, and groups keep their roles") {
  using enum organization_role;
  struct {
    organization_role agent;
    store::held_membership held;
    organization_role wanted;
    std::optional<errc> refusal;
  } const cases[] = {
      {org_admin, {org_member, false, 0}, org_admin, {}},
      {org_admin, {org_admin, false, 0}, org_member, {}},
      {org_admin, {org_admin, false, 0}, none, {}},
      {org_admin, {org_member, false, 0}, org_owner, errc::permission_denied},
      {org_admin, {org_owner, false, 1}, org_admin, errc::permission_denied},
      {org_admin, {org_owner, false, 1}, none, errc::permission_denied},
      {org_admin, {org_owner, false, 0}, none, errc::permission_denied},
      {org_admin, {org_owner, false, 0}, org_owner, errc::permission_denied},
      {org_owner, {org_owner, false, 1}, org_member, {}},
      {org_owner, {org_owner, false, 1}, none, {}},
      {org_owner, {org_owner, false, 0}, org_member, errc::last_owner},
      {org_owner, {org_owner, false, 0}, none, errc::last_owner},
      {org_owner, {org_owner, false, 0}, org_owner, {}},
      {org_owner, {org_member, true, 0}, org_admin, errc::role_managed_by_provider},
      {org_owner, {org_member, true, 0}, org_owner, errc::role_managed_by_provider},
      {org_owner, {org_member, true, 0}, none, errc::role_managed_by_provider},
      {org_owner, {org_member, true, 0}, org_member, {}},
  };
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    CAPTURE(i);
    auto const& c = cases[i];
    CHECK(store::refusal_of_member_change(c.agent, c.held, c.wanted) == c.refusal);
  }
}

TEST_CASE("a role is changed with its audit row and its bump, and the same role changes nothing") {
  using enum organization_role;
  member_fixture db;
  auto const before = db.epoch(db.ed);
  auto const done = db.wait(db.members.set_role(db.organization, db.ed, org_admin, db.editor(), db.soon()));
  REQUIRE(done.outcome.has_value());
  CHECK(done.outcome->role == "org_admin");
  CHECK(done.outcome->email == "Ed@acme.test");
  CHECK_FALSE(done.outcome->source);
  CHECK(subjects_of(done.touched) == std::vector{db.ed});
  CHECK(db.epoch(db.ed) > before);
  auto const rows = db.audit_rows("member.role_set");
  auto const again = db.wait(db.members.set_role(db.organization, db.ed, org_admin, db.editor(), db.soon()));
  CHECK(again.outcome.has_value());
  REQUIRE(again.touched.size() == 1);
  CHECK(again.touched.front().epoch == db.epoch(db.ed));
  CHECK(db.audit_rows("member.role_set") == rows);
  CHECK(db.set(uuid::generate_v7(), org_admin, db.editor()) == errc::not_found);
  CHECK(db.set(db.ada, org_member, db.editor()) == errc::last_owner);
  CHECK(db.set(db.vi, org_owner, db.editor(org_admin)) == errc::permission_denied);
  db.must({{"member_managed_test", "UPDATE organization_members SET source = 'idp' WHERE user_id = $1"},
           postgres::parameters(db.vi)});
  CHECK(db.set(db.vi, org_admin, db.editor()) == errc::role_managed_by_provider);
  CHECK(db.wait(db.members.remove(db.organization, db.vi, db.editor(), db.soon())).outcome.error().code ==
        errc::role_managed_by_provider);
}

TEST_CASE("a list shows members with their roles in projects, page by page") {
  member_fixture db;
  auto const all = db.wait(db.members.list(db.organization, {}, db.soon()));
  CHECK(all.total == 3);
  REQUIRE(all.rows.size() == 3);
  CHECK(all.rows[0].id == db.ada);
  CHECK(all.rows[0].projects == "[]");
  CHECK(all.rows[1].id == db.ed);
  CHECK(all.rows[1].projects.find("project_editor") != std::string::npos);
  auto const first = db.wait(db.members.list(db.organization, {.number = 1, .limit = 2}, db.soon()));
  REQUIRE(first.next);
  auto const last =
      db.wait(db.members.list(db.organization, {.number = 2, .limit = 2, .after = first.next}, db.soon()));
  REQUIRE(last.rows.size() == 1);
  CHECK(last.rows[0].id == db.vi);
  CHECK(db.wait(db.members.list(uuid::generate_v7(), {}, db.soon())).rows.empty());
}

TEST_CASE("a removal ends all credentials that its impact has listed, and none elsewhere") {
  member_fixture db;
  auto const other = *db.wait(db.directory.create_organization("other", "Other", db.actor, db.soon()));
  auto const theirs = *db.wait(db.directory.create_project(other, "theirs", "Theirs", db.actor, db.soon()));
  REQUIRE(db.wait(db.directory.set_organization_role(other, db.ed, "org_admin", db.actor, db.soon()))
              .outcome.has_value());
  auto const token = db.make(db.cli(db.ed, "ci")), key = db.make(db.key(db.ed, "hook"));
  auto elsewhere = db.cli(db.ed, "elsewhere");
  elsewhere.scope = {theirs};
  auto const kept = db.make(elsewhere);

  auto const listed = db.impact_on(db.ed);
  REQUIRE(listed.size() == 2);
  CHECK(listed[0].id == token.id);
  CHECK(listed[0].kind == token_kind::cli);
  CHECK(listed[1].id == key.id);
  CHECK(listed[1].job == db.build);
  CHECK(db.impact_on(db.vi).empty());
  CHECK(db.wait(db.members.impact(db.organization, uuid::generate_v7(), {}, db.soon())).error().code ==
        errc::not_found);

  auto const done = db.wait(db.members.remove(db.organization, db.ed, db.editor(), db.soon()));
  REQUIRE(done.outcome.has_value());
  auto bumped = subjects_of(done.touched), wanted = std::vector{db.ed, key.id};
  std::ranges::sort(bumped);
  std::ranges::sort(wanted);
  CHECK(bumped == wanted);
  CHECK(db.role_of(db.ed) == "none");
  CHECK(db.number(
            {{"member_stopped_test", "SELECT count(*) FROM tokens WHERE owner_id = $1 AND owner_left_at IS NOT NULL"},
             postgres::parameters(db.ed)}) == 2);
  CHECK(db.number({{"member_kept_test", "SELECT count(*) FROM tokens WHERE id = $1 AND owner_left_at IS NULL"},
                   postgres::parameters(kept.id)}) == 1);
  CHECK(db.number({{"member_project_roles_test", "SELECT count(*) FROM project_members WHERE user_id = $1"},
                   postgres::parameters(db.ed)}) == 0);
  CHECK(db.audit_rows("member.removed") == 1);
  CHECK(db.audit_rows("cli_token.disabled") == 1);
  CHECK(db.audit_rows("trigger_key.disabled") == 1);
  auto const again = db.wait(db.members.remove(db.organization, db.ed, db.editor(), db.soon()));
  CHECK(again.outcome.error().code == errc::not_found);
}

TEST_CASE("an impact shows the runner tokens that the member has made, which stay valid after the removal") {
  member_fixture db;
  auto const add = [&](char const* name, std::optional<uuid> project, uuid creator, char const* revoked) {
    db.must(
        {{std::string("member_runner_test_") + name,
          std::string("INSERT INTO runner_tokens (id, organization_id, project_id, name, start, digest, created_by,"
                      " revoked_at) VALUES ($1::uuid, $2, $3, $4, 'svc_runner_ab',"
                      " sha256(convert_to($1::uuid::text, 'UTF8')), $5, ") +
              revoked + ")"},
         postgres::parameters(uuid::generate_v7(), db.organization, project, std::string_view(name), creator)});
  };
  add("everywhere", {}, db.ed, "NULL");
  add("shop-only", db.project, db.ed, "NULL");
  add("revoked", {}, db.ed, "now()");
  add("adas", {}, db.ada, "NULL");
  auto const found = db.wait(db.members.impact(db.organization, db.ed, {}, db.soon())).value();
  CHECK(found.stopped.rows.empty());
  REQUIRE(found.runner_tokens.size() == 2);
  CHECK(found.runner_tokens[0].name == "everywhere");
  CHECK_FALSE(found.runner_tokens[0].project);
  CHECK(found.runner_tokens[1].name == "shop-only");
  CHECK(found.runner_tokens[1].project == db.project);
  CHECK(found.runner_tokens[1].project_name == "Shop");
  // The operator sees the same.
  auto const planned = db.wait(db.directory.impact_of_removal(db.organization, db.ed, db.soon()));
  CHECK(planned.stopped.empty());
  REQUIRE(planned.runner_tokens.size() == 2);
  CHECK(planned.runner_tokens[0].id == found.runner_tokens[0].id);
  CHECK(planned.runner_tokens[1].project == db.project);
  REQUIRE(db.wait(db.members.remove(db.organization, db.ed, db.editor(), db.soon())).outcome.has_value());
  CHECK(db.number({{"member_runners_kept_test", "SELECT count(*) FROM runner_tokens WHERE revoked_at IS NULL"}}) ==
        3);
}

TEST_CASE("a banned owner does not count: the last owner who can sign in stays") {
  using enum organization_role;
  member_fixture db;
  auto const bo = db.user("Bo", "org_owner");
  auto const ban = [&](uuid user, bool banned) {
    REQUIRE(db.wait(db.directory.set_banned(user, banned, db.actor, db.soon())).outcome.has_value());
  };
  auto const code = [&](uuid user) {
    auto const done = db.wait(db.members.remove(db.organization, user, db.editor(), db.soon()));
    return done.outcome ? std::nullopt : std::optional(done.outcome.error().code);
  };
  ban(bo, true);
  CHECK(db.wait(db.directory.without_owner(bo, db.soon())).empty());
  CHECK(db.set(db.ada, org_admin, db.editor()) == errc::last_owner);
  CHECK(code(db.ada) == errc::last_owner);
  ban(db.ada, true);
  // Nobody can sign in, so a removal of either would not help.
  CHECK(code(bo) == errc::last_owner);
  CHECK(db.wait(db.directory.without_owner(db.ada, db.soon())) == std::vector<std::string>{"acme"});
  ban(db.ada, false);
  CHECK(db.wait(db.directory.without_owner(bo, db.soon())).empty());
  CHECK(code(bo) == std::nullopt);
  CHECK(code(db.ada) == errc::last_owner);
  CHECK(db.owners() == 1);
}

TEST_CASE("a ban and a change of the other owner wait for each other, in both orders") {
  using enum organization_role;
  auto const id = [](uuid user) { return "'" + user.to_string() + "'"; };
  SUBCASE("the ban comes first, so the other owner stays") {
    member_fixture db;
    auto const bo = db.user("Bo", "org_owner");
    std::thread ban([&] {
      db.as_owner("UPDATE users SET disabled_at = now() WHERE id = " + id(bo) +
                  "; SELECT pg_advisory_xact_lock_shared(1);" + until_another_waits);
    });
    until_held(db);
    CHECK(db.set(db.ada, org_admin, db.editor()) == errc::last_owner);
    ban.join();
    CHECK(db.role_of(db.ada) == "org_owner");
  }
  SUBCASE("the change comes first, so the ban waits and finds the organisation without an owner") {
    member_fixture db;
    auto const bo = db.user("Bo", "org_owner");
    // Holds the organisation until the change and the ban wait: the change has the lock of the other owner by then.
    std::thread holder([&] {
      db.as_owner(
          "SELECT FROM organizations FOR NO KEY UPDATE; SELECT pg_advisory_xact_lock_shared(1);"
          "DO $$BEGIN FOR i IN 1..20000 LOOP EXIT WHEN (SELECT count(*) FROM pg_locks w WHERE NOT w.granted) >= 2;"
          " PERFORM pg_sleep(0.001); END LOOP; END$$;");
    });
    until_held(db);
    int left = 2;
    std::optional<errc> refusal;
    asio::co_spawn(db.io, demote_counted(db, db.ada, refusal, left), asio::detached);
    std::thread ban([&] {
      db.as_owner(
          "DO $$BEGIN FOR i IN 1..20000 LOOP EXIT WHEN EXISTS (SELECT FROM pg_locks WHERE NOT granted);"
          " PERFORM pg_sleep(0.001); END LOOP; END$$; UPDATE users SET disabled_at = now() WHERE id = " +
          id(bo));
    });
    --left;
    db.io.restart();
    while (left > 0 && db.io.run_one() > 0) {
    }
    holder.join();
    ban.join();
    CHECK(refusal == std::nullopt);
    CHECK(db.role_of(db.ada) == "org_admin");
    CHECK(db.wait(db.directory.without_owner(bo, db.soon())) == std::vector<std::string>{"acme"});
  }
}

TEST_CASE("if 64 owners are removed at once, one stays") {
  member_fixture db;
  std::vector<uuid> all{db.ada};
  for (int i = 1; i < 64; ++i) all.push_back(db.user("owner" + std::to_string(i), "org_owner"));
  REQUIRE(db.owners() == 64);
  std::vector<errc> refusals;
  int left = 64;
  for (auto const& each : all) asio::co_spawn(db.io, remove_owner(db, each, refusals, left), asio::detached);
  db.io.restart();
  while (left > 0 && db.io.run_one() > 0) {
  }
  CHECK(left == 0);
  CHECK(refusals == std::vector{errc::last_owner});
  CHECK(db.owners() == 1);
}

TEST_CASE("a role that was lost since the admission changes no member") {
  using enum organization_role;
  member_fixture db;
  auto const bo = db.user("Bo", "org_owner");
  auto const removed = db.by_session(bo, org_owner);
  REQUIRE(db.wait(db.members.remove(db.organization, bo, db.by_session(db.ada, org_owner), db.soon()))
              .outcome.has_value());
  CHECK_THROWS_AS((void)db.set(db.ed, org_admin, removed), write_refused);
  CHECK(db.role_of(db.ed) == "org_member");
  // An administrator still changes members, but no owner any more.
  auto const cy = db.user("Cy", "org_owner");
  auto const was_owner = db.by_session(cy, org_owner);
  REQUIRE(db.set(cy, org_admin, db.by_session(db.ada, org_owner)) == std::nullopt);
  CHECK_THROWS_AS((void)db.set(db.ed, org_owner, was_owner), write_refused);
  CHECK(db.set(db.ed, org_admin, was_owner) == std::nullopt);
  // Owners may go by themselves.
  REQUIRE(db.set(db.ed, org_owner, db.by_session(db.ada, org_owner)) == std::nullopt);
  CHECK(db.wait(db.members.remove(db.organization, db.ada, db.by_session(db.ada, org_owner), db.soon()))
            .outcome.has_value());
  CHECK(db.owners() == 1);
}
