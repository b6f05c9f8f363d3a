// Invitations into an organisation: how they are accepted, renewed and revoked, and the number of members.
#include "invitation_fixture.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

using namespace svc;
using namespace svc::test;

namespace {

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
