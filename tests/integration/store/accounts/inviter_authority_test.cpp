// The authority of inviters: whom they may invite, and what becomes of invitations when they lose it.
#include "invitation_fixture.hpp"

using namespace svc;
using namespace svc::test;

TEST_CASE("nobody invites above the own role, not by a renewal either, nor into projects of others") {
  using enum organization_role;
  invitation_fixture db;
  CHECK(db.invite("a@new.test", {}, org_owner, org_admin).error().code == errc::permission_denied);
  CHECK(db.invite("a@new.test", {}, org_admin, org_member).error().code == errc::permission_denied);
  CHECK(db.invite("a@new.test", {}, org_admin, org_admin).has_value());
  auto const owner = db.invite("b@new.test", {}, org_owner, org_owner);
  REQUIRE(owner.has_value());
  CHECK(db.renew(owner->id, new_digest(), org_admin).error().code == errc::permission_denied);
  CHECK(db.renew(owner->id, new_digest(), org_owner).has_value());

  auto const other = *db.wait(db.directory.create_organization("other", "Other", db.actor, db.soon()));
  auto const foreign = *db.wait(db.directory.create_project(other, "theirs", "Theirs", db.actor, db.soon()));
  store::new_invitation wanted{.email = "c@new.test", .role = org_member, .projects = {}};
  wanted.projects = {{db.project, role::project_viewer}, {foreign, role::project_viewer}};
  auto const refused = db.wait(db.invitations.create(db.organization, wanted, {}, db.inviter(), db.soon()));
  REQUIRE(refused.has_error());
  CHECK(refused.error().code == errc::validation_failed);
  CHECK(refused.error().details.front().field == "/projects/1/projectId");
  CHECK(db.wait(db.invitations.revoke(other, owner->id, db.inviter(), db.soon())).error().code == errc::not_found);
  CHECK(db.wait(db.invitations.renew(other, owner->id, {}, db.inviter(), db.soon())).error().code == errc::not_found);
}

TEST_CASE("only owners replace, renew and revoke an invitation to become an owner, also an expired one") {
  using enum organization_role;
  invitation_fixture db;
  auto const secret = new_digest();
  auto const owner = db.invite("b@new.test", secret, org_owner, org_owner);
  REQUIRE(owner.has_value());
  auto const refused = [&] {
    CHECK(db.invite("B@new.test", {}, org_member, org_admin).error().code == errc::permission_denied);
    CHECK(db.renew(owner->id, {}, org_admin).error().code == errc::permission_denied);
    CHECK(db.revoke(owner->id, org_admin).error().code == errc::permission_denied);
  };
  refused();
  CHECK(db.is_open(secret));
  CHECK(db.audit_rows("invitation.revoked") == 0);
  db.must({{"owner_invitation_expired_test", "UPDATE invitations SET expires_at = clock_timestamp()"}});
  refused();
  CHECK(db.renew(owner->id, secret, org_owner).has_value());

  // An administrator who was an owner at the admission.
  auto const was_owner = db.by_session(org_owner);
  REQUIRE(db.wait(db.directory.set_organization_role(db.organization, db.ada, "org_admin", db.actor, db.soon()))
              .outcome.has_value());
  CHECK_THROWS_AS((void)db.wait(db.invitations.revoke(db.organization, owner->id, was_owner, db.soon())),
                  write_refused);
  CHECK_THROWS_AS(
      (void)db.wait(db.invitations.create(
          db.organization, {.email = "b@new.test", .role = org_member, .projects = {}}, {}, was_owner, db.soon())),
      write_refused);
  REQUIRE(db.wait(db.directory.set_organization_role(db.organization, db.ada, "org_owner", db.actor, db.soon()))
              .outcome.has_value());
  CHECK(db.is_open(secret));
  CHECK(db.invite("b@new.test", {}, org_member, org_owner).has_value());
  CHECK_FALSE(db.is_open(secret));
}

TEST_CASE("an inviter who has lost the role since the admission invites, renews and revokes nothing") {
  using enum organization_role;
  invitation_fixture db;
  auto const inviter = db.by_session(org_owner);
  auto const create = [&](std::string const& email, organization_role role) {
    return db.wait(db.invitations.create(db.organization, {.email = email, .role = role, .projects = {}}, {}, inviter,
                                         db.soon()));
  };
  auto const set_role = [&](char const* role) {
    REQUIRE(db.wait(db.directory.set_organization_role(db.organization, db.ada, role, db.actor, db.soon()))
                .outcome.has_value());
  };
  auto const owner = create("a@new.test", org_owner), member = create("b@new.test", org_member);
  REQUIRE(owner.has_value());
  REQUIRE(member.has_value());
  set_role("org_admin");
  CHECK_THROWS_AS((void)create("c@new.test", org_owner), write_refused);
  CHECK_THROWS_AS((void)db.wait(db.invitations.renew(db.organization, owner->id, {}, inviter, db.soon())),
                  write_refused);
  CHECK(create("d@new.test", org_member).has_value());
  set_role("org_member");
  CHECK_THROWS_AS((void)create("e@new.test", org_member), write_refused);
  CHECK_THROWS_AS((void)db.wait(db.invitations.renew(db.organization, member->id, {}, inviter, db.soon())),
                  write_refused);
  CHECK_THROWS_AS((void)db.wait(db.invitations.revoke(db.organization, member->id, inviter, db.soon())),
                  write_refused);
  CHECK(db.text("SELECT count(*)::text FROM invitations WHERE revoked_at IS NULL") == "3");
}

TEST_CASE("an invitation whose inviter was removed, demoted or banned is over until somebody renews it") {
  invitation_fixture db;
  auto const ben = db.stranger("Ben"), eve = db.stranger("Eve");
  auto const as_owner = new_digest(), as_member = new_digest();
  auto const owner = db.invite("ben@other.test", as_owner, organization_role::org_owner);
  REQUIRE(owner.has_value());
  REQUIRE(db.invite("eve@other.test", as_member).has_value());
  auto const set_role = [&](uuid user, char const* role) {
    REQUIRE(db.wait(db.directory.set_organization_role(db.organization, user, role, db.actor, db.soon()))
                .outcome.has_value());
  };
  auto const is_ada_able = [&](bool owners, bool members) {
    CHECK(db.is_open(as_owner) == owners);
    CHECK(db.is_open(as_member) == members);
    auto const rows = db.all();
    CHECK(rows[1].state == (owners ? "open" : "expired"));
    CHECK(rows[0].state == (members ? "open" : "expired"));
    if (!owners) CHECK(db.accept(as_owner, ben) == errc::link_over);
    if (!members) CHECK(db.accept(as_member, eve) == errc::link_over);
    if (!members) CHECK(db.accept_as_new(as_member) == errc::link_over);
  };
  is_ada_able(true, true);
  set_role(db.ed, "org_owner");
  set_role(db.ada, "org_admin");
  is_ada_able(false, true);
  set_role(db.ada, "org_member");
  is_ada_able(false, false);
  set_role(db.ada, "org_owner");
  is_ada_able(true, true);
  db.must(
      {{"invitation_ban_test", "UPDATE users SET disabled_at = now() WHERE id = $1"}, postgres::parameters(db.ada)});
  is_ada_able(false, false);
  db.must(
      {{"invitation_unban_test", "UPDATE users SET disabled_at = NULL WHERE id = $1"}, postgres::parameters(db.ada)});
  REQUIRE(db.wait(db.directory.remove_member(db.organization, db.ada, db.actor, db.soon())).outcome.has_value());
  is_ada_able(false, false);

  // A renewal makes the invitation that of the other owner.
  auto const renewed = new_digest();
  auto agent = db.inviter();
  agent.actor.user = db.ed;
  auto const again = db.wait(db.invitations.renew(db.organization, owner->id, renewed, agent, db.soon()));
  REQUIRE(again.has_value());
  CHECK(again->state == "open");
  CHECK(again->inviter == db.ed);
  CHECK_FALSE(db.accept(renewed, ben));
}
