// Invitations into an organisation: who may invite whom, how they are accepted, and the number of members.
#include "../acme.hpp"

#include "svc/core/random.hpp"
#include "svc/store/accounts/invitation_store.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>

using namespace svc;
using namespace svc::test;

namespace {

sha256_digest new_digest() {
  sha256_digest out;
  random_bytes(out);
  return out;
}

struct invitation_fixture : acme {
  quota_table quotas{.members = 6};
  store::invitation_store invitations{pool, {}, quotas};

  /// Returns Ada as an inviter by a session.
  store::member_editor by_session(organization_role role) {
    auto const id = uuid::generate_v7();
    auto const secret = id.to_string();
    must({{"invitation_session_test",
           "INSERT INTO sessions (id, user_id, digest, method, expires_at)"
           " VALUES ($1, $2, sha256(convert_to($3, 'UTF8')), 'link', clock_timestamp() + interval '1 hour')"},
          postgres::parameters(id, ada, secret)});
    audit_actor agent{.user = ada, .name = "Ada", .session = id};
    agent.permit = write_permit{.token = id,
                                .subject = ada,
                                .epoch = epoch(ada),
                                .roles = organization_roles_with(organization_permission::member_update),
                                .secret = sha256(secret),
                                .session = session_place{.organization = organization}};
    return {.actor = std::move(agent), .role = role};
  }
  store::member_editor inviter(organization_role role = organization_role::org_owner) {
    audit_actor agent{.user = ada, .name = "Ada"};
    return {.actor = std::move(agent), .role = role};
  }
  result<store::shown_invitation> invite(std::string email, std::optional<sha256_digest> copied = {},
                                         organization_role role = organization_role::org_member,
                                         organization_role agent = organization_role::org_owner) {
    store::new_invitation wanted{.email = std::move(email), .role = role, .projects = {}};
    wanted.projects.push_back({project, role::project_editor});
    return wait(invitations.create(organization, std::move(wanted), copied, inviter(agent), soon()));
  }
  result<store::shown_invitation> renew(uuid id, std::optional<sha256_digest> copied = {},
                                        organization_role agent = organization_role::org_owner) {
    return wait(invitations.renew(organization, id, copied, inviter(agent), soon()));
  }
  result<> revoke(uuid id, organization_role agent = organization_role::org_owner) {
    return wait(invitations.revoke(organization, id, inviter(agent), soon()));
  }
  std::optional<errc> accept(sha256_digest const& secret, uuid user) {
    audit_actor const agent{.user = user, .name = "someone"};
    auto const done = wait(invitations.accept(secret, agent, soon()));
    return done.outcome ? std::nullopt : std::optional(done.outcome.error().code);
  }
  task<store::change<store::signed_in>> accept_task(sha256_digest secret, std::string name) {
    return invitations.accept_as_new(secret, std::move(name), "hash",
                                     {.digest = new_digest(), .method = "password", .ip = "192.0.2.1"}, soon());
  }
  std::optional<errc> accept_as_new(sha256_digest const& secret) {
    auto const done = wait(accept_task(secret, "New"));
    return done.outcome ? std::nullopt : std::optional(done.outcome.error().code);
  }
  bool is_open(sha256_digest const& secret) { return wait(invitations.preview(secret, soon())).has_value(); }
  uuid stranger(std::string const& name) {
    return *wait(directory.create_user(name + "@other.test", name, actor, soon()));
  }
  std::vector<store::shown_invitation> all() { return wait(invitations.list(organization, {}, soon())).rows; }
  std::string text(std::string const& sql) {
    auto const found = must({{"invitation_text_test", sql, true}});
    return found.empty() ? "nothing" : std::string(found.front().text(0));
  }
};

task<> accept_at_once(invitation_fixture& db, sha256_digest secret, std::vector<errc>& refusals, int& left) {
  auto const done = co_await db.accept_task(secret, "New");
  if (!done.outcome) refusals.push_back(done.outcome.error().code);
  --left;
}

/// Accepts with new accounts at once, and returns the refusals.
std::vector<errc> accept_all(invitation_fixture& db, std::vector<sha256_digest> const& secrets) {
  std::vector<errc> refusals;
  int left = static_cast<int>(secrets.size());
  for (auto const& each : secrets) asio::co_spawn(db.io, accept_at_once(db, each, refusals, left), asio::detached);
  db.io.restart();
  while (left > 0 && db.io.run_one() > 0) {
  }
  CHECK(left == 0);
  return refusals;
}

}  // namespace

TEST_CASE("an invitation makes a new account with its roles, once, and a copied link proves no mailbox") {
  invitation_fixture db;
  auto const secret = new_digest();
  auto const made = db.invite("ben@new.test", secret);
  REQUIRE(made.has_value());
  CHECK(made->state == "open");
  CHECK(made->inviter_name == "Ada");
  CHECK_FALSE(made->delivery);
  CHECK(made->projects.find("\"shop\"") != std::string::npos);
  CHECK(made->expires_at.micros - made->created_at.micros > 6LL * 86'400 * 1'000'000);
  auto const preview = db.wait(db.invitations.preview(secret, db.soon()));
  REQUIRE(preview.has_value());
  CHECK(preview->email == "ben@new.test");
  CHECK(preview->organization_slug == "acme");
  CHECK_FALSE(preview->has_account);

  auto const done = db.wait(db.accept_task(secret, "Ben"));
  REQUIRE(done.outcome.has_value());
  CHECK(done.outcome->email == "ben@new.test");
  CHECK_FALSE(done.touched.empty());
  CHECK(db.text("SELECT m.role || ' ' || r.role || ' ' || (u.email_verified_at IS NULL) FROM users u"
                " JOIN organization_members m ON m.user_id = u.id JOIN project_members r ON r.user_id = u.id"
                " WHERE u.email = 'ben@new.test'") == "org_member project_editor true");
  CHECK(db.text("SELECT hash FROM passwords") == "hash");
  CHECK_FALSE(db.is_open(secret));
  CHECK(db.accept_as_new(secret) == errc::link_over);
  CHECK(db.accept(secret, done.outcome->user) == errc::link_over);
  CHECK(db.all().front().state == "accepted");
  CHECK(db.revoke(made->id).error().code == errc::not_found);
  CHECK(db.renew(made->id).error().code == errc::not_found);
  CHECK(db.invite("Ben@new.test").error().code == errc::already_member);
  for (char const* action : {"invitation.created", "invitation.accepted", "user.created", "password.set"})
    CHECK(db.audit_rows(action) >= 1);
  CHECK(db.text("SELECT count(*)::text FROM audit_log WHERE details::text LIKE '%@new.test%'") == "0");
}

TEST_CASE("a mailed invitation waits for its mail, and its secret proves the mailbox") {
  invitation_fixture db;
  auto const made = db.invite("ben@new.test");
  REQUIRE(made.has_value());
  REQUIRE(made->delivery);
  CHECK(made->delivery->state == "waiting");
  CHECK(made->delivery->attempts == 0);
  CHECK(db.text("SELECT kind || ' ' || recipient || ' ' || state || ' ' || (due_at <= clock_timestamp())"
                " FROM system_mails") == "invitation ben@new.test waiting true");
  auto const secret = new_digest();
  db.must({{"invitation_mailed_test",
            "INSERT INTO one_time_secrets (digest, invitation_id, mailed) VALUES ($1, $2, true)"},
           postgres::parameters(byte_view(secret), made->id)});
  // The reason why a mail waits may be other organisations' mails, which are no business of this one.
  db.must({{"invitation_postponed_test", "UPDATE system_mails SET reason = 'too_many_mails'"}});
  CHECK_FALSE(db.all().front().delivery->reason);
  db.must({{"invitation_failed_test",
            "UPDATE system_mails SET state = 'failed', attempt = 10, reason = '550 no such mailbox',"
            " due_at = NULL, ended_at = clock_timestamp()"}});
  auto const shown = db.all().front().delivery;
  REQUIRE(shown);
  CHECK(shown->state == "failed");
  CHECK(shown->attempts == 10);
  CHECK(shown->reason == "550 no such mailbox");
  CHECK_FALSE(db.accept_as_new(secret));
  CHECK(db.text("SELECT (email_verified_at IS NOT NULL)::text FROM users WHERE email = 'ben@new.test'") == "true");
}

TEST_CASE("an existing account accepts only its own invitation, and is never opened by the link") {
  invitation_fixture db;
  auto const ben = db.stranger("Ben"), eve = db.stranger("Eve");
  auto const secret = new_digest();
  REQUIRE(db.invite("ben@other.test", secret).has_value());
  CHECK(db.wait(db.invitations.preview(secret, db.soon()))->has_account);
  CHECK(db.accept_as_new(secret) == errc::account_exists);
  CHECK(db.accept(secret, eve) == errc::permission_denied);
  CHECK(db.accept(new_digest(), ben) == errc::link_over);
  auto const before = db.epoch(ben);
  CHECK_FALSE(db.accept(secret, ben));
  CHECK(db.epoch(ben) > before);
  CHECK(db.accept(secret, ben) == errc::link_over);
  CHECK(db.text("SELECT (email_verified_at IS NULL)::text FROM users WHERE name = 'Ben'") == "true");

  // The person became a member in another way meanwhile.
  auto const second = new_digest();
  REQUIRE(db.invite("eve@other.test", second).has_value());
  REQUIRE(db.wait(db.directory.set_organization_role(db.organization, eve, "org_admin", db.actor, db.soon()))
              .outcome.has_value());
  CHECK(db.accept(second, eve) == errc::already_member);
  CHECK(db.text("SELECT m.role FROM organization_members m JOIN users u ON u.id = m.user_id WHERE u.name = 'Eve'") ==
        "org_admin");
}

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

TEST_CASE("a renewal, a new invitation of the address and a revocation end the earlier links and mails") {
  invitation_fixture db;
  auto const first = new_digest(), second = new_digest(), third = new_digest();
  auto const made = db.invite("ben@new.test", first);
  REQUIRE(made.has_value());
  REQUIRE(db.renew(made->id, second).has_value());
  CHECK_FALSE(db.is_open(first));
  CHECK(db.is_open(second));
  auto const mailed = db.renew(made->id);
  REQUIRE(mailed.has_value());
  CHECK(mailed->delivery.has_value());
  CHECK_FALSE(db.is_open(second));
  // The service has started to send the mail.
  db.must({{"invitation_sending_test",
            "UPDATE system_mails SET state = 'sending', claim_id = gen_random_uuid(), attempt = 1"}});
  auto const again = db.invite("BEN@new.test", third);
  REQUIRE(again.has_value());
  CHECK(db.text("SELECT count(*)::text FROM system_mails") == "0");
  auto const rows = db.all();
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].state == "open");
  CHECK(rows[1].state == "revoked");
  REQUIRE(db.revoke(again->id).has_value());
  CHECK_FALSE(db.is_open(third));
  CHECK(db.accept_as_new(third) == errc::link_over);
  CHECK(db.revoke(again->id).error().code == errc::not_found);
  CHECK(db.audit_rows("invitation.revoked") == 2);
  CHECK(db.audit_rows("invitation.renewed") == 2);

  // An expired invitation is renewed as well.
  auto const old = db.invite("dan@new.test", new_digest());
  db.must({{"invitation_expire_test", "UPDATE invitations SET expires_at = clock_timestamp() WHERE id = $1"},
           postgres::parameters(old->id)});
  CHECK(db.all().front().state == "expired");
  auto const fresh = new_digest();
  REQUIRE(db.renew(old->id, fresh).has_value());
  CHECK(db.is_open(fresh));
}

TEST_CASE("the 201st open invitation is refused, also by the renewal of an expired one") {
  invitation_fixture db;
  auto const expired = db.invite("old@new.test");
  REQUIRE(expired.has_value());
  db.must({{"invitation_expire_test", "UPDATE invitations SET expires_at = clock_timestamp() WHERE id = $1"},
           postgres::parameters(expired->id)});
  db.must({{"invitation_many_test",
            "INSERT INTO invitations (id, organization_id, email, role, invited_by, expires_at)"
            " SELECT gen_random_uuid(), $1, n || '@many.test', 'org_member', $2, clock_timestamp() + interval '1 day'"
            "   FROM generate_series(1, 199) n"},
           postgres::parameters(db.organization, db.ada)});
  auto const last = db.invite("last@new.test");
  REQUIRE(last.has_value());
  CHECK(db.invite("more@new.test").error().code == errc::invitation_limit_reached);
  CHECK(db.renew(expired->id).error().code == errc::invitation_limit_reached);
  CHECK(db.renew(last->id).has_value());
  REQUIRE(db.revoke(last->id).has_value());
  CHECK(db.renew(expired->id).has_value());
}

TEST_CASE("an organization has its quota of members, however many accept at once") {
  invitation_fixture db;  // three members of six
  std::vector<sha256_digest> secrets;
  for (int i = 0; i < 32; ++i) {
    secrets.push_back(new_digest());
    REQUIRE(db.invite("p" + std::to_string(i) + "@new.test", secrets.back()).has_value());
  }
  CHECK(accept_all(db, secrets) == std::vector(29, errc::member_limit_reached));
  CHECK(db.text("SELECT count(*)::text FROM organization_members") == "6");
  CHECK(db.invite("one.more@new.test").error().code == errc::member_limit_reached);
  auto const ben = db.stranger("Ben");
  db.quotas.members = 7;
  store::invitation_store larger(db.pool, {}, db.quotas);
  auto const secret = new_digest();
  REQUIRE(db.wait(larger.create(db.organization,
                                {.email = "ben@other.test", .role = organization_role::org_member, .projects = {}},
                                secret, db.inviter(), db.soon()))
              .has_value());
  CHECK(db.accept(secret, ben) == errc::member_limit_reached);
}

TEST_CASE("if many people accept one invitation at once, one succeeds") {
  invitation_fixture db;
  auto const secret = new_digest();
  REQUIRE(db.invite("ben@new.test", secret).has_value());
  CHECK(accept_all(db, std::vector(64, secret)) == std::vector(63, errc::link_over));
  CHECK(db.text("SELECT count(*)::text FROM users WHERE email = 'ben@new.test'") == "1");
}
