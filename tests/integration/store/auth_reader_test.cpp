#include "acme.hpp"

using namespace svc;
using namespace svc::test;

TEST_CASE("the auth read sees each state in its order of precedence") {
  acme db;
  store::new_token const token = db.cli(db.ed, "ci");
  store::stored_token const stored = db.make(token);
  store::new_token const key = db.key(db.ed, "pipeline");
  store::stored_token const stored_key = db.make(key);

  token_record const first = db.read(token.digest);
  CHECK(first.state == token_state::usable);
  CHECK(first.caller.kind == token_kind::cli);
  CHECK(first.caller.token_id == stored.id);
  CHECK(first.caller.token_name == "ci");
  CHECK(first.caller.owner_id == db.ed);
  CHECK(first.caller.owner_name == "Ed");
  CHECK(first.caller.owner_role == role::project_editor);
  CHECK(first.caller.project_id == db.project);
  CHECK(first.caller.organization_id == db.organization);
  CHECK(first.caller.project_slug == "shop");
  CHECK(first.caller.organization_slug == "acme");
  CHECK_FALSE(first.caller.job_id);
  CHECK(first.caller.subject == db.ed);
  CHECK(first.caller.epoch == db.epoch(db.ed));
  CHECK_FALSE(first.caller.expires_at);
  CHECK_FALSE(first.pending);
  CHECK(first.max_age_micros >= 27'000'000);
  CHECK(first.max_age_micros <= 33'000'000);
  CHECK(first.read_at >= stored.created_at);

  token_record const of_key = db.read(key.digest);
  CHECK(of_key.state == token_state::usable);
  CHECK(of_key.caller.job_id == db.build);
  CHECK(of_key.caller.subject == stored_key.id);
  CHECK(of_key.caller.epoch == db.epoch(stored_key.id));

  // Each step adds one reason that takes precedence over the ones before it.
  struct {
    char const* name;
    std::string change;
    token_state cli, trigger;
  } const steps[] = {
      {"archived", "UPDATE projects SET archived_at = now()", token_state::project_archived,
       token_state::project_archived},
      {"no role", "DELETE FROM project_members WHERE role = 'project_editor'", token_state::owner_without_role,
       token_state::owner_without_role},
      {"no member", "DELETE FROM organization_members WHERE user_id = '" + db.ed.to_string() + "'",
       token_state::owner_removed, token_state::owner_removed},
      {"banned", "UPDATE users SET disabled_at = now() WHERE name = 'Ed'", token_state::owner_disabled,
       token_state::owner_disabled},
      {"switched off", "UPDATE tokens SET enabled = false", token_state::disabled, token_state::disabled},
      {"dead secret", "UPDATE token_secrets SET state = 'dead'", token_state::secret_rotated,
       token_state::secret_rotated},
      {"deleted job", "UPDATE jobs SET deleted_at = now()", token_state::secret_rotated, token_state::revoked},
      {"revoked", "UPDATE tokens SET revoked_at = now()", token_state::revoked, token_state::revoked},
  };
  for (auto const& step : steps) {
    CAPTURE(step.name);
    db.as_owner(step.change);
    CHECK(db.read(token.digest).state == step.cli);
    CHECK(db.read(key.digest).state == step.trigger);
  }
}

TEST_CASE("an unknown digest gives nothing, and ends by time are decided at use") {
  acme db;
  CHECK(db.wait(db.reader.read({sha256("nobody")}, db.soon())).records.empty());

  store::new_token token = db.cli(db.ada, "short");
  token.expires_in = 60;
  store::stored_token const stored = db.make(token);
  db.as_owner("UPDATE token_secrets SET state = 'pending', valid_until = '2020-01-01T00:00:00Z'");
  token_record const seen = db.read(token.digest);
  CHECK(seen.state == token_state::usable);
  CHECK(seen.pending);
  CHECK(seen.valid_until == parse_rfc3339("2020-01-01T00:00:00Z"));
  CHECK(seen.caller.expires_at == stored.expires_at);
  CHECK(*stored.expires_at - stored.created_at == std::chrono::seconds(60));
  CHECK(seen.caller.owner_role == role::org_owner);
}

TEST_CASE("a member who was removed and returned does not bring tokens back") {
  acme db;
  store::new_token const token = db.cli(db.ed, "ci");
  db.make(token);
  REQUIRE(db.wait(db.directory.remove_member(db.organization, db.ed, db.actor, db.soon())).outcome.has_value());
  CHECK(db.read(token.digest).state == token_state::owner_removed);
  REQUIRE(db.wait(db.directory.set_organization_role(db.organization, db.ed, "org_admin", db.actor, db.soon()))
              .outcome.has_value());
  CHECK(db.read(token.digest).state == token_state::owner_removed);
}

TEST_CASE("several tokens are read at once, those that are unknown left out") {
  acme db;
  auto const token = db.cli(db.ada, "one"), other = db.cli(db.ed, "other");
  auto const first = db.make(token), second = db.make(other);
  auto const before = db.pool.stats();
  auto const sent = steady::now();
  auto reading = db.wait(db.reader.read({token.digest, sha256("nobody"), other.digest}, db.soon()));
  CHECK(db.pool.stats().queries == before.queries + 1);
  CHECK(db.pool.stats().transactions == before.transactions + 1);
  CHECK(reading.sent >= sent);
  REQUIRE(reading.records.size() == 2);
  CHECK(reading.records.at(token.digest)->caller.token_id == first.id);
  CHECK(reading.records.at(other.digest)->caller.token_id == second.id);
}
