#include "svc/store/accounts/identity_store.hpp"

#include "integration/store/shop.hpp"
#include "svc/core/bytes.hpp"
#include "svc/core/random.hpp"

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <thread>

namespace svc::test {
namespace {

using store::identity_terms;

sha256_digest any_digest() {
  sha256_digest out;
  random_bytes(out);
  return out;
}

identity ann_at(std::string provider, std::string subject = "person-1", std::string email = "ann@corp.example") {
  return {.provider = provider,
          .issuer = "https://" + provider + ".example",
          .subject = std::move(subject),
          .email = std::move(email),
          .name = "Ann"};
}

identity_terms managed_terms(std::vector<store::named_role> roles = {{"acme", "", "org_member"}},
                             bool manages_roles = true) {
  return {.email_is_verified = true,
          .domain_is_managed = true,
          .manages_roles = manages_roles,
          .roles = std::move(roles)};
}

/// Organizations acme (projects shop and old, which is archived) and other.
struct identity_place : migrated_database {
  identity_place() {
    as_owner(
        "INSERT INTO organizations (id, slug, name) VALUES ('00000000-0000-0000-0000-0000000000a1', 'acme', 'Acme'),"
        " ('00000000-0000-0000-0000-0000000000a2', 'other', 'Other');"
        "INSERT INTO projects (id, organization_id, slug, name, archived_at) VALUES"
        " ('00000000-0000-0000-0000-0000000000b1', '00000000-0000-0000-0000-0000000000a1', 'shop', 'Shop', NULL),"
        " ('00000000-0000-0000-0000-0000000000b2', '00000000-0000-0000-0000-0000000000a1', 'old', 'Old', now())");
  }

  store::new_session session(std::string provider) {
    return {.digest = any_digest(), .method = "oidc", .provider = std::move(provider), .ip = "192.0.2.1"};
  }
  store::change<store::signed_in> sign_in(identity person, identity_terms terms) {
    auto const provider = person.provider;
    return wait(identities.sign_in(std::move(person), std::move(terms), session(provider), soon()));
  }
  /// "ok", or the sentence of the refusal.
  std::string outcome(identity person, identity_terms terms) {
    auto const done = sign_in(std::move(person), std::move(terms));
    if (done.outcome) return "ok";
    CHECK(done.outcome.error().code == errc::sign_in_refused);
    CHECK(done.outcome.error().details.front().field == "reason");
    return done.outcome.error().message;
  }
  uuid account(std::string const& email) {
    auto const id = uuid::generate_v7();
    as_owner("INSERT INTO subjects (id) VALUES ('" + id.to_string() +
             "'); INSERT INTO users (id, email, name) VALUES ('" + id.to_string() + "', '" + email + "', 'Ann')");
    return id;
  }
  /// Returns an owner of both organisations.
  uuid inviter() {
    auto const id = account("owner@acme.example");
    as_owner("INSERT INTO organization_members (organization_id, user_id, role) SELECT o.id, '" + id.to_string() +
             "', 'org_owner' FROM organizations o");
    return id;
  }
  /// All rows of a query's first column, joined.
  std::string list(std::string const& sql) {
    std::string out;
    auto const rows = must({{"test_list", sql, true}});
    for (int i = 0; i < rows.size(); ++i) out.append(out.empty() ? "" : " ").append(rows[i].text(0));
    return out;
  }
  /// All roles but those of `inviter`.
  std::string roles() {
    std::string const others =
        " WHERE m.user_id NOT IN (SELECT u.id FROM users u WHERE u.email = 'owner@acme.example')";
    return list(
        "SELECT o.slug || '=' || m.role || coalesce('@' || m.source, '') FROM organization_members m"
        " JOIN organizations o ON o.id = m.organization_id" +
        others +
        " UNION ALL SELECT p.slug || '=' || m.role || coalesce('@' || m.source, '') FROM project_members m"
        " JOIN projects p ON p.id = m.project_id" +
        others + " ORDER BY 1");
  }
  std::string audits() { return list("SELECT action FROM audit_log ORDER BY id"); }
  std::string live_sessions() {
    return list("SELECT coalesce(provider, method) FROM sessions WHERE ended_at IS NULL ORDER BY 1");
  }

  store::identity_store identities{pool};
};

task<> count_sign_in(identity_place& place, std::size_t& succeeded) {
  auto const done =
      co_await place.identities.sign_in(ann_at("corp"), managed_terms(), place.session("corp"), place.soon());
  if (done.outcome) ++succeeded;
}

}  // namespace

TEST_CASE("a new person of a managed domain gets an account, the mapped roles and a session, in one step") {
  identity_place place;
  auto const done = place.sign_in(ann_at("corp"), managed_terms({{"acme", "", "org_member"},
                                                                 {"acme", "shop", "project_editor"},
                                                                 {"acme", "shop", "project_viewer"},
                                                                 {"none", "", "org_admin"},
                                                                 {"acme", "old", "project_admin"}}));
  REQUIRE(done.outcome.has_value());
  CHECK(done.outcome->name == "Ann");
  CHECK(done.outcome->email == "ann@corp.example");
  CHECK(place.roles() == "acme=org_member@corp shop=project_editor@corp");
  CHECK(place.live_sessions() == "corp");
  CHECK(place.audits() == "user.created member.role_set member.role_set session.created");
  CHECK(place.list("SELECT (email_verified_at IS NOT NULL)::text FROM users") == "true");
  REQUIRE(done.touched.size() == 1);
  CHECK(done.touched.front().subject == done.outcome->user);
}

TEST_CASE("a known identity signs in whatever its address, and its mapped roles follow its groups") {
  identity_place place;
  auto const first = place.sign_in(ann_at("corp"), managed_terms());
  REQUIRE(first.outcome.has_value());
  auto const moved = ann_at("corp", "person-1", "ann@elsewhere.example");
  auto const second = place.sign_in(moved, {.manages_roles = true, .roles = {{"acme", "", "org_admin"}}});
  REQUIRE(second.outcome.has_value());
  CHECK(second.outcome->user == first.outcome->user);
  CHECK(second.outcome->email == "ann@corp.example");
  CHECK(place.roles() == "acme=org_admin@corp");
  CHECK(place.outcome(moved, {.manages_roles = true}) == "ok");
  CHECK(place.roles().empty());
  CHECK(place.list("SELECT email FROM identities") == "ann@elsewhere.example");
}

TEST_CASE("roles by hand stay, an owner's role too, and a provider without groups releases its own") {
  identity_place place;
  REQUIRE(place.outcome(ann_at("corp"), managed_terms()) == "ok");
  place.as_owner("UPDATE organization_members SET role = 'org_owner'");
  CHECK(place.outcome(ann_at("corp"), managed_terms({})) == "ok");
  CHECK(place.roles() == "acme=org_owner@corp");
  place.as_owner("UPDATE organization_members SET role = 'org_admin'");
  CHECK(place.outcome(ann_at("corp"), managed_terms({}, false)) == "ok");
  CHECK(place.roles() == "acme=org_admin");
  CHECK(place.outcome(ann_at("corp"), managed_terms({{"acme", "", "org_member"}})) == "ok");
  CHECK(place.roles() == "acme=org_admin");
}

TEST_CASE("somebody who becomes an owner while the sign-in waits keeps the role, also the last owner") {
  for (auto const& terms : {managed_terms({{"acme", "", "org_admin"}}), managed_terms({})}) {
    identity_place place;
    REQUIRE(place.outcome(ann_at("corp"), managed_terms()) == "ok");
    std::thread operator_of_service([&] {
      place.as_owner(
          "SELECT FROM organizations WHERE slug = 'acme' FOR NO KEY UPDATE;"
          " SELECT pg_advisory_xact_lock_shared(1);" +
          std::string(until_another_waits) + "UPDATE organization_members SET role = 'org_owner'");
    });
    postgres::query const ready{{"identity_test_held",
                                 "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 1 AND granted"
                                 " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"}};
    auto const until = steady::now() + std::chrono::seconds(20);
    while (place.number(ready) != 1) REQUIRE(steady::now() < until);
    CHECK(place.outcome(ann_at("corp"), terms) == "ok");
    operator_of_service.join();
    CHECK(place.roles() == "acme=org_owner@corp");
    CHECK(place.list("SELECT count(*)::text FROM audit_log WHERE action = 'member.removed'") == "0");
    CHECK(place.list("SELECT count(*)::text FROM audit_log WHERE action = 'member.role_set'") == "1");
  }
}

TEST_CASE(
    "joining makes the provider the only method: a stranger who registered first loses password, sessions and "
    "links") {
  identity_place place;
  auto const user = place.account("Ann@Corp.example");
  REQUIRE(place.outcome(ann_at("old", "stranger", "x@free.example"), managed_terms()) == "ok");
  place.as_owner("UPDATE identities SET user_id = '" + user.to_string() + "'; UPDATE sessions SET user_id = '" +
                 user.to_string() + "'; INSERT INTO passwords (user_id, hash) VALUES ('" + user.to_string() +
                 "', 'h'); INSERT INTO links (id, user_id, kind, expires_at) VALUES (gen_random_uuid(), '" +
                 user.to_string() + "', 'first', now() + interval '1 day')");
  auto const done = place.sign_in(ann_at("corp"), managed_terms({{"acme", "", "org_member"}}, false));
  REQUIRE(done.outcome.has_value());
  CHECK(done.outcome->user == user);
  CHECK(place.list("SELECT provider FROM identities") == "corp");
  CHECK(place.list("SELECT hash FROM passwords").empty());
  CHECK(place.live_sessions() == "corp");
  CHECK(place.list("SELECT ended_reason FROM sessions WHERE ended_at IS NOT NULL") == "provider");
  CHECK(place.list("SELECT 'open' FROM links WHERE expires_at > now()").empty());
  CHECK(place.list("SELECT count(*)::text FROM organization_members WHERE source IS NULL") == "1");
  CHECK(place.list("SELECT count(*)::text FROM audit_log WHERE action IN ('identity.removed', 'identity.linked')") ==
        "2");
}

TEST_CASE("the other order: an account of the provider cannot be taken by another identity with its address") {
  identity_place place;
  REQUIRE(place.outcome(ann_at("corp"), managed_terms()) == "ok");
  CHECK(place.outcome(ann_at("corp", "person-2"), managed_terms()).find("another person") != std::string::npos);
  identity_terms foreign{.email_is_verified = true, .domain_is_foreign = true};
  CHECK(place.outcome(ann_at("partner", "person-3"), foreign).find("Another identity provider") != std::string::npos);
  identity_terms unmanaged{.email_is_verified = true};
  CHECK(place.outcome(ann_at("partner", "person-3"), unmanaged).find("exists") != std::string::npos);
  CHECK(place.list("SELECT count(*)::text FROM identities") == "1");
  CHECK(place.live_sessions() == "corp");
}

TEST_CASE("an unverified address, and a person without any membership, get neither account nor session") {
  identity_place place;
  auto unverified = managed_terms();
  unverified.email_is_verified = false;
  CHECK(place.outcome(ann_at("corp"), unverified).find("has not verified") != std::string::npos);
  CHECK(place.outcome(ann_at("corp"), managed_terms({{"none", "", "org_member"}})).find("not a member") !=
        std::string::npos);
  CHECK(place.list("SELECT count(*)::text FROM users") == "0");
  CHECK(place.live_sessions().empty());
  CHECK(place.audits().empty());
}

TEST_CASE("a banned account does not sign in") {
  identity_place place;
  REQUIRE(place.outcome(ann_at("corp"), managed_terms()) == "ok");
  place.as_owner("UPDATE users SET disabled_at = now()");
  CHECK(place.outcome(ann_at("corp"), managed_terms()).find("disabled") != std::string::npos);
}

TEST_CASE("an invitation of the same address makes a new account with its roles, once") {
  identity_place place;
  auto const inviter = place.inviter();
  auto const digest = any_digest();
  std::string const hex = to_hex(digest);
  place.as_owner(
      "INSERT INTO invitations (id, organization_id, email, role, projects, invited_by, expires_at) VALUES"
      " ('00000000-0000-0000-0000-0000000000c1', '00000000-0000-0000-0000-0000000000a1', 'Ann@Corp.example', "
      "'org_member',"
      " '[{\"project\": \"00000000-0000-0000-0000-0000000000b1\", \"role\": \"project_admin\"}]', '" +
      inviter.to_string() +
      "', now() + interval '1 day'); INSERT INTO one_time_secrets (digest, invitation_id, mailed)"
      " VALUES ('\\x" +
      hex + "', '00000000-0000-0000-0000-0000000000c1', true)");
  identity_terms terms{.email_is_verified = true, .invitation = digest};
  auto const is_open = [&](sha256_digest const& secret) {
    return place.wait(place.identities.has_open_invitation(secret, place.soon()));
  };
  CHECK(is_open(digest));
  CHECK_FALSE(is_open(any_digest()));
  CHECK(place.outcome(ann_at("partner", "x", "eve@corp.example"), terms).find("not a member") != std::string::npos);
  CHECK(place.outcome(ann_at("partner"), terms) == "ok");
  CHECK(place.roles() == "acme=org_member shop=project_admin");
  CHECK(place.list("SELECT (accepted_at IS NOT NULL)::text FROM invitations") == "true");
  CHECK_FALSE(is_open(digest));
  CHECK(place.outcome(ann_at("partner", "y", "ann@corp.example"), terms).find("exists") != std::string::npos);
}

TEST_CASE("a known person accepts an invitation by the sign-in that it starts, unless a member already") {
  identity_place place;
  auto const inviter = place.inviter();
  REQUIRE(place.outcome(ann_at("corp"), managed_terms({{"acme", "", "org_member"}})) == "ok");
  auto const invite = [&](std::string const& organization, std::string const& email) {
    auto const digest = any_digest();
    auto const id = uuid::generate_v7().to_string();
    place.as_owner("INSERT INTO invitations (id, organization_id, email, role, invited_by, expires_at) VALUES ('" +
                   id + "', '00000000-0000-0000-0000-0000000000" + organization + "', '" + email +
                   "', 'org_admin', '" + inviter.to_string() +
                   "', now() + interval '1 day'); INSERT INTO one_time_secrets (digest, invitation_id, mailed)" +
                   " VALUES ('\\x" + std::string(to_hex(digest)) + "', '" + id + "', false)");
    return digest;
  };
  auto terms = managed_terms({{"acme", "", "org_member"}});
  for (auto const& [organization, email] :
       {std::pair("a1", "ann@corp.example"), std::pair("a2", "eve@corp.example")}) {
    terms.invitation = invite(organization, email);
    CHECK(place.outcome(ann_at("corp"), terms) == "ok");
    CHECK(place.roles() == "acme=org_member@corp");
    CHECK(place.wait(place.identities.has_open_invitation(*terms.invitation, place.soon())));
  }
  terms.invitation = invite("a2", "Ann@corp.example");
  CHECK(place.outcome(ann_at("corp"), terms) == "ok");
  CHECK(place.roles() == "acme=org_member@corp other=org_admin");
  CHECK_FALSE(place.wait(place.identities.has_open_invitation(*terms.invitation, place.soon())));
}

TEST_CASE("a user's providers are those of the identities, the last used first") {
  identity_place place;
  auto const user = place.account("ann@corp.example");
  auto const providers = [&] { return place.wait(place.identities.providers_of(user, place.soon())); };
  CHECK(providers().empty());
  place.as_owner("INSERT INTO identities (user_id, provider, issuer, subject, email, last_used_at) SELECT '" +
                 user.to_string() +
                 "', p, 'https://' || p, 'x', 'ann@corp.example', now() - a FROM (VALUES ('corp', interval '2 days'),"
                 " ('partner', interval '1 day')) v (p, a)");
  CHECK(providers() == std::vector<std::string>{"partner", "corp"});
}

TEST_CASE("an organization that is full takes nobody by a provider") {
  identity_place place;
  REQUIRE(place.outcome(ann_at("corp"), managed_terms()) == "ok");
  store::identity_store bounded(place.pool, {}, {.members = 1});
  auto const done = place.wait(bounded.sign_in(ann_at("corp", "person-2", "ben@corp.example"), managed_terms(),
                                               place.session("corp"), place.soon()));
  CHECK(done.outcome.error().code == errc::member_limit_reached);
  CHECK(place.list("SELECT count(*)::text FROM users") == "1");
}

TEST_CASE("a role that a provider changes bumps the trigger keys of its user") {
  identity_place place;
  auto const done = place.sign_in(ann_at("corp"), managed_terms({{"acme", "shop", "project_editor"}}));
  auto const user = done.outcome->user.to_string();
  place.as_owner(
      "INSERT INTO jobs (id, project_id, name, job_type, created_by) SELECT '00000000-0000-0000-0000-0000000000d1', "
      "id, 'build',"
      " 'command', '" +
      user +
      "' FROM projects WHERE slug = 'shop'; INSERT INTO subjects (id) VALUES"
      " ('00000000-0000-0000-0000-0000000000e1'); INSERT INTO tokens (id, kind, project_id, job_id, owner_id, name, "
      "start,"
      " slot, created_by) SELECT '00000000-0000-0000-0000-0000000000e1', 'trigger', id,"
      " '00000000-0000-0000-0000-0000000000d1', '" +
      user + "', 'key', 'svc_trig_0000', 1, '" + user + "' FROM projects WHERE slug = 'shop'");
  auto const same = place.sign_in(ann_at("corp"), managed_terms({{"acme", "shop", "project_editor"}}));
  CHECK(same.touched.size() == 1);
  auto const changed = place.sign_in(ann_at("corp"), managed_terms({{"acme", "shop", "project_viewer"}}));
  CHECK(changed.touched.size() == 2);
}

TEST_CASE("a fresh sign-in replaces the secret of its own session, and of no other person's") {
  identity_place place;
  auto const done = place.sign_in(ann_at("corp"), managed_terms());
  REQUIRE(done.outcome.has_value());
  REQUIRE(place.outcome(ann_at("corp", "person-2", "ben@corp.example"), managed_terms()) == "ok");
  auto const refresh = [&](identity person, uuid session) {
    return place.wait(place.identities.refresh(std::move(person), session, place.session("corp"), place.soon()));
  };
  auto const other = refresh(ann_at("corp", "person-2", "ben@corp.example"), done.outcome->session);
  CHECK(other.outcome.error().code == errc::sign_in_refused);
  auto const unknown = refresh(ann_at("corp", "person-9"), done.outcome->session);
  CHECK(unknown.outcome.error().code == errc::sign_in_refused);
  auto const own = refresh(ann_at("corp"), done.outcome->session);
  REQUIRE(own.outcome.has_value());
  CHECK(own.touched.size() == 1);
  CHECK(place.list("SELECT count(*)::text FROM sessions WHERE previous_digest IS NOT NULL") == "1");
  CHECK(refresh(ann_at("corp"), uuid::generate_v7()).outcome.error().code == errc::session_ended);
}

TEST_CASE("sixteen sign-ins of one new person at once make one account and sixteen sessions") {
  identity_place place;
  std::size_t ended = 0, succeeded = 0;
  for (int i = 0; i < 16; ++i)
    asio::co_spawn(place.io, count_sign_in(place, succeeded), [&](std::exception_ptr const& failure) {
      CHECK(failure == nullptr);
      ++ended;
    });
  place.io.restart();
  while (ended < 16 && place.io.run_one() > 0) {
  }
  CHECK(succeeded == 16);
  CHECK(place.list("SELECT count(*)::text FROM users") == "1");
  CHECK(place.list("SELECT count(*)::text FROM identities") == "1");
  CHECK(place.list("SELECT count(*)::text FROM sessions WHERE ended_at IS NULL") == "16");
}

}  // namespace svc::test
