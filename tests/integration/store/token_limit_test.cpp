#include "acme.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

using namespace svc;
using namespace svc::test;

namespace {

constexpr int attempts = 64;

struct outcomes {
  int created = 0, full = 0, other = 0, left = attempts;
};

task<> create_one(store::token_store& tokens, store::new_token token, outcomes& all) {
  auto const made = co_await tokens.create(std::move(token), {}, migrated_database::soon());
  if (made.outcome)
    ++all.created;
  else if (made.outcome.error().code == errc::token_limit_reached ||
           made.outcome.error().code == errc::trigger_key_limit_reached)
    ++all.full;
  else
    ++all.other;
  --all.left;
}

/// Directly into the tables, like a client that does not know the store's locks.
task<> insert_one(postgres::pool& pool, postgres::query insert, outcomes& all) {
  auto const done = co_await pool.run(std::move(insert), migrated_database::soon());
  ++(done ? all.created : done.error().unique_violation() || done.error().check_violation() ? all.full : all.other);
  --all.left;
}

void finish(acme& db, outcomes const& all) {
  db.io.restart();
  while (all.left > 0 && db.io.run_one() > 0) {
  }
}

std::int64_t live_tokens(acme& db) {
  return db.number({{"live_test", "SELECT count(*) FROM tokens WHERE revoked_at IS NULL"}});
}

}  // namespace

TEST_CASE("64 creations at once make exactly 20 tokens, and exactly 10 keys of a job") {
  struct {
    bool keys;
    int most;
  } const cases[] = {{false, 20}, {true, 10}};
  for (auto const& c : cases) {
    acme db;
    outcomes all;
    for (int i = 0; i < attempts; ++i) {
      std::string const name = "t" + std::to_string(i);
      asio::co_spawn(db.io, create_one(db.tokens, c.keys ? db.key(db.ed, name) : db.cli(db.ed, name), all),
                     asio::detached);
    }
    finish(db, all);
    CHECK(all.created == c.most);
    CHECK(all.full == attempts - c.most);
    CHECK(all.other == 0);
    CHECK(live_tokens(db) == c.most);
  }
}

TEST_CASE("64 inserts at once in SQL as the service's role cannot make a 21st token or an 11th key") {
  constexpr postgres::statement insert{"limit_insert_test", R"(
INSERT INTO tokens (id, kind, project_id, job_id, owner_id, created_by, name, start, slot)
VALUES ($1, $2, $3, $4, $5, $5, $6, 'x', $7))"};
  for (bool const keys : {false, true}) {
    acme db;
    outcomes all;
    for (int i = 0; i < attempts; ++i) {
      std::optional<uuid> job;
      if (keys) job = db.build;
      // Every possible slot number, also outside the range.
      postgres::query query{insert, postgres::parameters(uuid::generate_v7(), keys ? "trigger" : "cli", db.project,
                                                         job, db.ed, "t" + std::to_string(i), i % 32)};
      asio::co_spawn(db.io, insert_one(db.pool, std::move(query), all), asio::detached);
    }
    finish(db, all);
    CHECK(all.created == (keys ? 10 : 20));
    CHECK(all.other == 0);
    CHECK(live_tokens(db) == all.created);
  }
}

TEST_CASE("a full project names the expired tokens that can be deleted; disabled and expired ones count") {
  acme db;
  for (int i = 0; i < 20; ++i) {
    store::new_token token = db.cli(db.ed, "t" + std::to_string(i));
    token.enabled = i != 3;
    if (i == 7) token.expires_at = parse_rfc3339("2020-01-01T00:00:00Z");
    db.make(token);
  }
  auto const refused = db.wait(db.tokens.create(db.cli(db.ed, "t20"), db.actor, db.soon()));
  REQUIRE_FALSE(refused.outcome.has_value());
  CHECK(refused.outcome.error().code == errc::token_limit_reached);
  CHECK(refused.outcome.error().message.find("\"t7\"") != std::string::npos);
  auto const taken = db.wait(db.tokens.create(db.cli(db.ed, "t1"), db.actor, db.soon()));
  CHECK(taken.outcome.error().code == errc::name_taken);
}

TEST_CASE("the audit log can be written and read by the service, not changed") {
  acme db;
  CHECK(db.number({{"audit_count_test", "SELECT count(*) FROM audit_log"}}) > 0);
  for (char const* sql : {"UPDATE audit_log SET action = 'x'", "DELETE FROM audit_log", "TRUNCATE audit_log",
                          "UPDATE audit_log_first SET action = 'x'", "DELETE FROM audit_log_first",
                          "TRUNCATE audit_log_first", "DROP TABLE audit_log_first",
                          "UPDATE time_partitions SET to_time = now()", "SELECT drop_partition('audit_log_first')"}) {
    CAPTURE(sql);
    bool denied = false;
    try {
      denied = db.run({{sql, sql}}).has_error();
    } catch (unavailable const&) {
      denied = true;  // insufficient_privilege cannot be caused by input
    }
    CHECK(denied);
  }
  CHECK(db.number({{"audit_count_test", "SELECT count(*) FROM audit_log"}}) > 0);
}
