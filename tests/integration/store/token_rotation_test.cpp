#include "acme.hpp"

using namespace svc;
using namespace svc::test;

namespace {

/// A token and the names of its secrets, in the order in which they were created.
struct rotating : acme {
  explicit rotating(bool trigger_key = false, std::optional<std::int64_t> expires_in = {}) {
    store::new_token wanted = trigger_key ? key(ed, "pipeline") : cli(ed, "ci");
    wanted.expires_in = expires_in;
    scope = wanted.scope;
    secrets.push_back(wanted.digest);
    token = make(wanted);
  }

  store::change<store::stored_token> rotate(store::rotation rotation, std::optional<uuid> by_user = {}) {
    minted_token const minted = mint_token(token.kind);
    rotation.digest = minted.digest;
    rotation.start = minted.start;
    auto done =
        wait(tokens.rotate(scope, token.id, rotation, as(by_user.value_or(ed), role::project_editor).actor, soon()));
    if (done.outcome) secrets.push_back(minted.digest);
    return done;
  }
  bool use(std::size_t which) {
    auto const done =
        wait(tokens.confirm(scope, token.id, secrets.at(which), as(ed, role::project_editor).actor, soon()));
    REQUIRE(done.touched.size() == 1);
    CHECK(done.touched[0].subject == token.subject());
    CHECK(done.touched[0].epoch == epoch(token.subject()));
    return done.outcome.value();
  }
  /// One letter per secret, as a request that starts now would find it: g(ood), p(ending), x.
  std::string states() {
    std::string out;
    for (auto const& digest : secrets) {
      token_record const seen = read(digest);
      bool const over = seen.valid_until && *seen.valid_until <= seen.read_at;
      bool const good = seen.state == token_state::usable && !over;
      CHECK((good || seen.state == token_state::secret_rotated || over));
      out += !good ? 'x' : seen.pending ? 'p' : 'g';
    }
    return out;
  }

  store::token_scope scope{};
  store::stored_token token{};
  std::vector<sha256_digest> secrets{};
};

}  // namespace

TEST_CASE("every transition of a token's secrets") {
  // r: rotate with a day of grace, f: the same with first_use, 0: without grace; a digit after u: that secret is
  // used.
  struct {
    char const* name;
    char const* steps;
    char const* expected;
  } const cases[] = {
      {"rotated", "r", "gp"},
      {"the new one used: both work", "r u1", "gg"},
      {"the old one used: nothing is confirmed", "r u0", "gp"},
      {"used twice", "r u1 u1", "gg"},
      {"twice without use: the unused one dies", "r r", "gxp"},
      {"twice, and the dead one is used", "r r u1", "gxp"},
      {"twice with use: the first dies", "r u1 r", "xgp"},
      {"three times with use", "r u1 r u2 r", "xxgp"},
      {"no grace", "0", "xp"},
      {"no grace, used", "0 u1", "xg"},
      {"no grace, not used, rotated", "0 r", "xxp"},
      {"no grace, not used, rotated, used", "0 r u2", "xxg"},
      {"first use, not used yet", "f", "gp"},
      {"first use", "f u1", "xg"},
      {"first use, the old one goes on", "f u0", "gp"},
      {"first use twice, without use between", "f f u2", "xxg"},
      {"the last choice counts: grace", "f r u2", "gxg"},
      {"the last choice counts: first use", "r f u2", "xxg"},
      {"grace, then no grace without use", "r 0 u2", "xxg"},
  };
  for (bool const trigger_key : {false, true}) {
    for (auto const& c : cases) {
      CAPTURE(c.name);
      CAPTURE(trigger_key);
      rotating db(trigger_key);
      for (char const* step = c.steps; *step != '\0'; ++step) {
        std::int64_t const before = db.epoch(db.token.subject());
        if (*step == 'u') {
          std::size_t const which = static_cast<std::size_t>(*++step - '0');
          bool const was_pending = db.states().at(which) == 'p';
          CHECK(db.use(which) == was_pending);
          CHECK((db.epoch(db.token.subject()) > before) == was_pending);
        } else if (*step != ' ') {
          auto const done = db.rotate({.grace_seconds = *step == '0' ? 0 : 86'400, .end_at_first_use = *step == 'f'});
          REQUIRE(done.outcome.has_value());
          REQUIRE(done.touched.size() == 1);
          CHECK(done.touched[0].epoch > before);
          CHECK(done.touched[0].epoch == db.epoch(db.token.subject()));
        }
      }
      CHECK(db.states() == c.expected);
    }
  }
}

TEST_CASE("the answer and the rows of a rotation") {
  rotating db;
  auto const done = db.rotate({});
  REQUIRE(done.outcome.has_value());
  store::stored_token const& token = *done.outcome;
  CHECK(token.id == db.token.id);
  CHECK(token.version == 2);
  CHECK(token.start != db.token.start);
  CHECK_FALSE(token.expires_at);
  REQUIRE(token.previous);
  CHECK(token.previous->start == db.token.start);
  CHECK(token.previous->expires_at > token.created_at + std::chrono::hours(24));
  CHECK(db.audit_rows("cli_token.rotated") == 1);
  CHECK(db.audit_rows("cli_token.secret_ended") == 0);

  auto const same = [&](store::stored_token const& seen) {
    CHECK(seen.previous == token.previous);
    CHECK(seen.start == token.start);
    CHECK(seen.version == token.version);
  };
  same(*db.wait(db.tokens.get(db.scope, token.id, db.soon())).outcome);
  same(db.wait(db.tokens.list(db.scope, {}, db.soon()))->rows.at(0));
  // The first use changes nothing that users see, and no version.
  CHECK(db.use(1));
  CHECK(db.audit_rows("cli_token.secret_confirmed") == 1);
  same(*db.wait(db.tokens.get(db.scope, token.id, db.soon())).outcome);
  auto const off =
      db.wait(db.tokens.update(db.scope, token.id, {.name = "ci-2"}, as(db.ed, role::project_editor), db.soon()));
  CHECK(off.outcome->previous == token.previous);

  // After its end it is no longer shown.
  db.as_owner("UPDATE token_secrets SET valid_until = clock_timestamp() WHERE state = 'previous'");
  CHECK_FALSE(db.wait(db.tokens.get(db.scope, token.id, db.soon())).outcome->previous);
  CHECK_FALSE(db.wait(db.tokens.list(db.scope, {}, db.soon()))->rows.at(0).previous);
  CHECK(db.states() == "xg");
  auto const again = db.rotate({.grace_seconds = 0});
  CHECK_FALSE(again.outcome->previous);
  CHECK(db.audit_rows("cli_token.secret_ended") == 2);
}

TEST_CASE("first use ends the previous secret, which is audited and no longer shown") {
  rotating db(true);
  auto const done = db.rotate({.end_at_first_use = true});
  CHECK(done.outcome->previous);
  CHECK(db.use(1));
  CHECK_FALSE(db.wait(db.tokens.get(db.scope, db.token.id, db.soon())).outcome->previous);
  CHECK(db.audit_rows("trigger_key.rotated") == 1);
  CHECK(db.audit_rows("trigger_key.secret_confirmed") == 1);
  CHECK(db.audit_rows("trigger_key.secret_ended") == 1);
}

TEST_CASE("expiry: kept, renewed, and never a longer life for the previous secret") {
  struct {
    char const* name;
    std::optional<std::int64_t> had, wanted;
    std::int64_t grace;
    std::int64_t previous_ends;  ///< seconds
    std::optional<std::int64_t> token_ends;
  } const cases[] = {
      {"none", {}, {}, 3600, 3600, {}},
      {"kept, sooner than the grace", 600, {}, 3600, 600, 600},
      {"kept, later than the grace", 7200, {}, 3600, 3600, 7200},
      {"renewed: the old secret still ends as it would have", 600, 7200, 3600, 600, 7200},
      {"shortened", 7200, 60, 3600, 60, 60},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    rotating db(false, c.had);
    auto const done = db.rotate({.grace_seconds = c.grace, .expires_in = c.wanted});
    REQUIRE(done.outcome.has_value());
    // The rotation follows the creation within a minute, and the ends are exact to that.
    auto const from_creation = [&](timestamp t) {
      return static_cast<double>((t - db.token.created_at).count()) / 1e6;
    };
    REQUIRE(done.outcome->previous);
    CHECK(from_creation(done.outcome->previous->expires_at) >= static_cast<double>(c.previous_ends));
    CHECK(from_creation(done.outcome->previous->expires_at) < static_cast<double>(c.previous_ends) + 60);
    CHECK(done.outcome->expires_at.has_value() == c.token_ends.has_value());
    if (c.token_ends) {
      CHECK(from_creation(*done.outcome->expires_at) >= static_cast<double>(*c.token_ends));
      CHECK(from_creation(*done.outcome->expires_at) < static_cast<double>(*c.token_ends) + 60);
      CHECK(db.read(db.secrets[1]).caller.expires_at == done.outcome->expires_at);
    }
  }
}

TEST_CASE("a rotation with the unused secret is its first use") {
  rotating db;
  REQUIRE(db.rotate({}).outcome.has_value());
  auto const done = db.rotate({.presented = db.secrets[1]});
  REQUIRE(done.outcome.has_value());
  CHECK(db.states() == "xgp");
  CHECK(db.audit_rows("cli_token.secret_confirmed") == 1);
  // With the secret in use it is not.
  REQUIRE(db.rotate({.presented = db.secrets[1]}).outcome.has_value());
  CHECK(db.states() == "xgxp");
  CHECK(db.audit_rows("cli_token.secret_confirmed") == 1);
}

TEST_CASE("every refusal of a rotation; none leaves a trace") {
  struct {
    char const* name;
    char const* change;
    bool by_another;
    errc expected;
  } const cases[] = {
      {"another's", "SELECT", true, errc::not_token_owner},
      {"another's, disabled", "UPDATE tokens SET enabled = false", true, errc::not_token_owner},
      {"disabled", "UPDATE tokens SET enabled = false", false, errc::token_not_active},
      {"owner left", "UPDATE tokens SET owner_left_at = now()", false, errc::token_not_active},
      {"expired", "UPDATE tokens SET expires_at = now()", false, errc::token_not_active},
      {"revoked", "UPDATE tokens SET revoked_at = now()", false, errc::not_found},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    rotating db;
    db.as_owner(c.change);
    auto const done = db.rotate({}, c.by_another ? db.ada : db.ed);
    REQUIRE_FALSE(done.outcome.has_value());
    CHECK(done.outcome.error().code == c.expected);
    CHECK(done.touched.size() == 1);
    CHECK(db.audit_rows("cli_token.rotated") == 0);
    CHECK(db.number({{"secrets_test", "SELECT count(*) FROM token_secrets"}}) == 1);
  }
  rotating db;
  db.token.id = uuid::generate_v7();
  CHECK(db.rotate({}).outcome.error().code == errc::not_found);
}

TEST_CASE("a revoked token has no first use") {
  rotating db;
  REQUIRE(db.rotate({}).outcome.has_value());
  REQUIRE(db.wait(db.tokens.revoke(db.scope, db.token.id, as(db.ed, role::project_editor), db.soon()))
              .outcome.has_value());
  CHECK_FALSE(db.use(1));
  CHECK(db.audit_rows("cli_token.secret_confirmed") == 0);
}

TEST_CASE("a dead secret writes nothing, though its token is good") {
  rotating db;
  std::int64_t const seen = db.epoch(db.ed);
  auto const action = [&](std::size_t which) {
    audit_actor actor = as(db.ed, role::project_editor).actor;
    actor.permit = write_permit{db.token.id, db.ed, seen, {"project_editor"}, db.secrets.at(which)};
    return actor;
  };
  REQUIRE(db.rotate({.end_at_first_use = true}).outcome.has_value());
  auto const made = db.wait(db.tokens.create(db.cli(db.ed, "during"), action(0), db.soon()));
  CHECK(made.outcome.has_value());
  REQUIRE(db.use(1));
  try {
    auto const late = db.wait(db.tokens.create(db.cli(db.ed, "late"), action(0), db.soon()));
    FAIL("it was let through");
  } catch (write_refused const& refused) {
    CHECK(refused.code() == errc::secret_rotated);
  }
  CHECK(db.wait(db.tokens.create(db.cli(db.ed, "new"), action(1), db.soon())).outcome.has_value());
}

TEST_CASE("only the newest ten dead secrets of a token are kept") {
  rotating db;
  for (int i = 0; i < 14; ++i) REQUIRE(db.rotate({.grace_seconds = 0}).outcome.has_value());
  CHECK(db.number({{"dead_secrets_test", "SELECT count(*) FROM token_secrets WHERE state = 'dead'"}}) == 10);
  // The first ones are unknown now, and the last one that was replaced is known to be dead.
  CHECK(db.number({{"first_secret_test", "SELECT count(*) FROM token_secrets WHERE digest = $1"},
                   postgres::parameters(byte_view(db.secrets.front()))}) == 0);
  CHECK(db.read(db.secrets[db.secrets.size() - 3]).state == token_state::secret_rotated);
}
