#include "acme.hpp"

using namespace svc;
using namespace svc::test;

namespace {

std::int64_t count(acme& db, char const* table) {
  return db.number({{table, table}});
}

constexpr auto tokens_sql = "SELECT count(*) FROM tokens";
constexpr auto audit_sql = "SELECT count(*) FROM audit_log WHERE action LIKE '%.created' AND resource LIKE '%\\_%'";

}  // namespace

TEST_CASE("an import stores the rows of the file, and its tokens authenticate by their digests") {
  acme db;
  store::new_token old = db.cli(db.ed, "old");
  old.digest = sha256("svc_live_0123456789abcdef0123456789abcdef");
  old.enabled = false;
  store::new_token key = db.key(db.vi, "old key");
  key.kind = token_kind::legacy_trigger;
  key.digest = sha256("job_0123456789abcdef0123456789abcdef");
  key.expires_at = parse_rfc3339("2030-01-01T00:00:00Z");
  auto const made = db.wait(db.tokens.import({old, key}, db.actor, db.soon()));
  REQUIRE(made.outcome.has_value());
  CHECK(made.outcome->size() == 2);
  CHECK(db.read(old.digest).state == token_state::disabled);
  token_record const seen = db.read(key.digest);
  CHECK(seen.state == token_state::usable);
  CHECK(seen.caller.kind == token_kind::legacy_trigger);
  CHECK(seen.caller.expires_at == key.expires_at);
  CHECK(seen.caller.subject == made.outcome->at(1).id);
  CHECK(count(db, audit_sql) == 2);
}

TEST_CASE("an import is all or nothing, and its refusal names the row") {
  acme db;
  store::new_token const stored = db.cli(db.ada, "stored");
  db.make(stored);
  store::new_token twice = db.cli(db.ed, "twice");
  twice.digest = stored.digest;
  store::new_token foreign = db.key(db.ed, "foreign");
  foreign.scope.job = uuid::generate_v7();
  std::vector<store::new_token> many;
  for (int i = 0; i < 20; ++i) many.push_back(db.cli(db.ed, "m" + std::to_string(i)));
  uuid const nobody = *db.wait(db.directory.create_user("n@else.test", "N", db.actor, db.soon()));
  struct {
    char const* name;
    std::vector<store::new_token> rows;
    errc expected;
    std::string row;
  } const cases[] = {
      {"a 21st token", many, errc::token_limit_reached, "/19"},
      {"a name in use", {db.cli(db.ed, "a"), db.cli(db.ed, "stored")}, errc::name_taken, "/1"},
      {"a name twice", {db.cli(db.ed, "a"), db.cli(db.ed, "b"), db.cli(db.ed, "a")}, errc::name_taken, "/2"},
      {"a stored digest", {db.cli(db.ed, "a"), twice}, errc::name_taken, "/1"},
      {"no such job", {foreign}, errc::not_found, "/0"},
      {"an owner outside", {db.cli(nobody, "a")}, errc::owner_removed, "/0"},
  };
  std::int64_t const audited = count(db, audit_sql);
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const done = db.wait(db.tokens.import(c.rows, db.actor, db.soon()));
    REQUIRE_FALSE(done.outcome.has_value());
    CHECK(done.outcome.error().code == c.expected);
    REQUIRE(done.outcome.error().details.size() == 1);
    CHECK(done.outcome.error().details[0].field == c.row);
    CHECK(count(db, tokens_sql) == 1);
    CHECK(count(db, audit_sql) == audited);
  }
}
