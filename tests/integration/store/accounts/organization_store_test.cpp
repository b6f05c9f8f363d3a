// The name and the sign-in policy of an organisation.
#include "../acme.hpp"

#include "svc/store/accounts/organization_store.hpp"

#include <algorithm>

using namespace svc;
using namespace svc::test;

namespace {

struct organization_fixture : acme {
  store::organization_store organizations{pool};

  /// Returns Ada as the actor of a session that began with this method.
  audit_actor signed_in(std::string const& method, std::string const& provider = {}) {
    auto const id = uuid::generate_v7();
    must({{"policy_session_test",
           "INSERT INTO sessions (id, user_id, digest, method, provider, expires_at)"
           " VALUES ($1, $2, sha256(convert_to($1::uuid::text, 'UTF8')), $3, nullif($4, ''),"
           "         clock_timestamp() + interval '1 hour')"},
          postgres::parameters(id, ada, method, provider)});
    return {.user = ada, .name = "Ada", .session = id};
  }
  store::change<store::shown_organization> set(store::sign_in_policy policy, audit_actor agent,
                                               version_condition expected = {}) {
    return wait(
        organizations.set_policy(organization, std::move(policy), std::move(expected), std::move(agent), soon()));
  }
};

version_condition only_version(std::int64_t version) {
  return {.match = std::vector{version}};
}

}  // namespace

TEST_CASE("an organization is renamed by the version that was read") {
  organization_fixture db;
  auto const before = *db.wait(db.organizations.read(db.organization, db.soon()));
  CHECK(before.slug == "acme");
  CHECK(before.policy == R"({"signIn": "any", "providers": []})");
  auto const renamed = db.wait(
      db.organizations.rename(db.organization, "Acme Ltd", only_version(before.version), db.actor, db.soon()));
  REQUIRE(renamed.outcome.has_value());
  CHECK(renamed.outcome->name == "Acme Ltd");
  CHECK(renamed.outcome->version == before.version + 1);
  CHECK(db.audit_rows("organization.updated") == 1);
  auto const late =
      db.wait(db.organizations.rename(db.organization, "Other", only_version(before.version), db.actor, db.soon()));
  CHECK(late.outcome.error().code == errc::precondition_failed);
  CHECK(db.wait(db.organizations.read(db.organization, db.soon()))->name == "Acme Ltd");
  auto const nobody = db.wait(db.organizations.rename(uuid::generate_v7(), "Other", {}, db.actor, db.soon()));
  CHECK(nobody.outcome.error().code == errc::not_found);
  CHECK(db.wait(db.organizations.read(uuid::generate_v7(), db.soon())).error().code == errc::not_found);
  CHECK(db.audit_rows("organization.updated") == 1);
}

TEST_CASE("nobody sets a sign-in policy that the own session does not meet, and a policy bumps all members") {
  organization_fixture db;
  struct {
    char const* name;
    store::sign_in_policy policy;
    audit_actor actor;
    bool allowed;
  } const cases[] = {
      {"any by link", {}, db.signed_in("link"), true},
      {"oidc by link", {.only_oidc = true}, db.signed_in("link"), false},
      {"oidc by password", {.only_oidc = true}, db.signed_in("password"), false},
      {"oidc by oidc", {.only_oidc = true}, db.signed_in("oidc", "one"), true},
      {"own provider", {.only_oidc = true, .providers = {"two", "one"}}, db.signed_in("oidc", "one"), true},
      {"other provider", {.only_oidc = true, .providers = {"two"}}, db.signed_in("oidc", "one"), false},
      {"operator", {.only_oidc = true, .providers = {"two"}}, db.actor, true},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const epochs = db.epochs();
    auto const rows = db.audit_rows("organization.policy_set");
    auto const done = db.set(c.policy, c.actor);
    CHECK(done.outcome.has_value() == c.allowed);
    CHECK(db.audit_rows("organization.policy_set") == rows + (c.allowed ? 1 : 0));
    if (!c.allowed) {
      CHECK(done.outcome.error().code == errc::policy_would_lock_out);
      CHECK(db.epochs() == epochs);
      continue;
    }
    auto bumped = subjects_of(done.touched), members = std::vector{db.ada, db.ed, db.vi};
    std::ranges::sort(bumped);
    std::ranges::sort(members);
    CHECK(bumped == members);
  }
  CHECK(db.wait(db.organizations.read(db.organization, db.soon()))->policy ==
        R"({"signIn": "oidc", "providers": ["two"]})");
  CHECK(db.set({}, db.actor, only_version(1)).outcome.error().code == errc::precondition_failed);
}
