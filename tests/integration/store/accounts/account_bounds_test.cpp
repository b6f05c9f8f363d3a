// Bounds of the tables of sign-in, as the database itself keeps them (schema V064).
#include "../acme.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

using namespace svc;
using namespace svc::test;

namespace {

constexpr postgres::statement insert_session{"bounds_session_test", R"(
INSERT INTO sessions (id, user_id, digest, method, expires_at)
VALUES ($1::uuid, $2, sha256(convert_to($1::uuid::text, 'UTF8')), 'password', clock_timestamp() + interval '1 hour'))"};
constexpr postgres::statement trim{"bounds_trim_test", "SELECT trim_sessions($1)"};
constexpr postgres::statement insert_link{"bounds_link_test", R"(
INSERT INTO links (id, user_id, kind, expires_at) VALUES ($1, $2, 'recovery', clock_timestamp() + interval '1 hour'))"};
constexpr postgres::statement insert_secret{"bounds_secret_test", R"(
INSERT INTO one_time_secrets (digest, link_id, mailed) VALUES (sha256(convert_to($1::text, 'UTF8')), $2, true))"};
constexpr postgres::statement insert_mail{"bounds_mail_test", R"(
INSERT INTO system_mails (id, kind, recipient, link_id) VALUES ($1, 'recovery', 'ada@acme.test', $2))"};
constexpr postgres::statement invite{"bounds_invite_test", R"(
INSERT INTO invitations (id, organization_id, email, role, invited_by, expires_at)
VALUES ($1::uuid, $2, $1::uuid::text || '@acme.test', 'org_member', $3, clock_timestamp() + interval '7 days'))"};

task<> run_all(postgres::pool& pool, std::vector<postgres::query> batch, int& left, int& done) {
  auto const result = co_await pool.run(std::move(batch), migrated_database::soon());
  if (result) ++done;
  --left;
}

/// Runs the batches at once, and returns how many succeeded.
int run_at_once(acme& db, std::vector<std::vector<postgres::query>> batches) {
  int left = static_cast<int>(batches.size()), done = 0;
  for (auto& batch : batches) asio::co_spawn(db.io, run_all(db.pool, std::move(batch), left, done), asio::detached);
  db.io.restart();
  while (left > 0 && db.io.run_one() > 0) {
  }
  return done;
}

std::int64_t rows_where(acme& db, std::string const& condition) {
  auto const name = "bounds_rows_test_" + std::to_string(std::hash<std::string>()(condition));
  auto const sql = "SELECT count(*) FROM " + condition;
  return db.number({{name, sql}});
}

}  // namespace

TEST_CASE("a user has 50 live sessions and 50 ended ones, however many sign-ins arrive at once") {
  acme db;
  auto const sign_ins = [&] {
    std::vector<std::vector<postgres::query>> batches;
    for (int i = 0; i < 64; ++i)
      batches.push_back({{insert_session, postgres::parameters(uuid::generate_v7(), db.ada)},
                         {trim, postgres::parameters(db.ada)}});
    CHECK(run_at_once(db, std::move(batches)) == 64);
  };
  sign_ins();
  CHECK(rows_where(db, "sessions WHERE ended_at IS NULL") == 50);
  CHECK(rows_where(db, "sessions WHERE ended_reason = 'surplus' AND expires_at <= clock_timestamp()") == 14);
  CHECK(rows_where(db,
                   "sessions l, sessions e WHERE l.ended_at IS NULL AND e.ended_at IS NOT NULL"
                   " AND e.created_at > l.created_at") == 0);
  sign_ins();
  CHECK(rows_where(db, "sessions WHERE ended_at IS NULL") == 50);
  CHECK(rows_where(db, "sessions WHERE ended_at IS NOT NULL") == 50);
}

TEST_CASE("a user has five open links, a link twelve secrets and one open mail") {
  acme db;
  std::vector<std::vector<postgres::query>> links;
  for (int i = 0; i < 64; ++i) links.push_back({{insert_link, postgres::parameters(uuid::generate_v7(), db.ada)}});
  CHECK(run_at_once(db, std::move(links)) == 64);
  CHECK(rows_where(db, "links") == 5);

  auto const link = db.must({{"bounds_newest_test", "SELECT id FROM links ORDER BY id DESC LIMIT 1"}}).front().id(0);
  std::vector<std::vector<postgres::query>> secrets, mails;
  for (int i = 0; i < 32; ++i) {
    secrets.push_back({{insert_secret, postgres::parameters(std::to_string(i), link)}});
    mails.push_back({{insert_mail, postgres::parameters(uuid::generate_v7(), link)}});
  }
  CHECK(run_at_once(db, std::move(secrets)) == 12);
  CHECK(run_at_once(db, std::move(mails)) == 1);
  auto const surplus = db.run({insert_secret, postgres::parameters("surplus", link)});
  REQUIRE(surplus.has_error());
  CHECK(surplus.error().constraint == "one_time_secrets_bound");

  // All that belongs to a link goes with it.
  db.must({{"bounds_delete_test", "DELETE FROM links"}});
  CHECK(rows_where(db, "one_time_secrets") == 0);
  CHECK(rows_where(db, "system_mails") == 0);
}

TEST_CASE("links of one kind displace none of another kind") {
  acme db;
  auto const first = uuid::generate_v7();
  db.must({{"bounds_first_link_test",
            "INSERT INTO links (id, user_id, kind, expires_at)"
            " VALUES ($1, $2, 'first', clock_timestamp() + interval '1 day')"},
           postgres::parameters(first, db.ada)});
  for (int i = 0; i < 8; ++i) db.must({insert_link, postgres::parameters(uuid::generate_v7(), db.ada)});
  CHECK(rows_where(db, "links WHERE kind = 'recovery'") == 5);
  CHECK(rows_where(db, "links WHERE kind = 'first'") == 1);
}

TEST_CASE("an organization has 200 open invitations and the newest 500 closed ones") {
  acme db;
  std::vector<std::vector<postgres::query>> batches;
  for (int i = 0; i < 232; ++i)
    batches.push_back({{invite, postgres::parameters(uuid::generate_v7(), db.organization, db.ada)}});
  CHECK(run_at_once(db, std::move(batches)) == 200);
  auto const surplus = db.run({invite, postgres::parameters(uuid::generate_v7(), db.organization, db.ada)});
  REQUIRE(surplus.has_error());
  CHECK(surplus.error().constraint == "invitations_open_bound");

  db.must({{"bounds_revoke_test", "UPDATE invitations SET revoked_at = clock_timestamp()"}});
  db.must({{"bounds_expired_test",
            "INSERT INTO invitations (id, organization_id, email, role, invited_by, expires_at)"
            " SELECT gen_random_uuid(), $1, n || '@old.test', 'org_member', $2, clock_timestamp() - interval '1 day'"
            "   FROM generate_series(1, 301) n"},
           postgres::parameters(db.organization, db.ada)});
  CHECK(rows_where(db, "invitations") == 500);
  CHECK(db.run({invite, postgres::parameters(uuid::generate_v7(), db.organization, db.ada)}).has_value());
  CHECK(rows_where(db, "invitations") == 501);
}

TEST_CASE(
    "sessions, links, invitations and mails that are over are deleted in batches, mails beyond 10 000 at once") {
  acme db;
  auto const link = uuid::generate_v7();
  db.must({insert_link, postgres::parameters(link, db.ada)});
  db.must({{"bounds_old_sessions_test",
            "INSERT INTO sessions (id, user_id, digest, method, expires_at)"
            " SELECT gen_random_uuid(), $1, sha256(n::text::bytea), 'password',"
            "        clock_timestamp() - CASE WHEN n > 6 THEN 31 ELSE 29 END * interval '1 day'"
            "   FROM generate_series(1, 10) n"},
           postgres::parameters(db.ada)});
  db.must({{"bounds_old_links_test",
            "INSERT INTO links (id, user_id, kind, expires_at)"
            " SELECT gen_random_uuid(), $1, 'first', clock_timestamp() - d * interval '1 day'"
            "   FROM unnest(ARRAY[6, 8, 9]) d"},
           postgres::parameters(db.ada)});
  db.must(
      {{"bounds_old_invitations_test",
        "INSERT INTO invitations (id, organization_id, email, role, invited_by, expires_at)"
        " SELECT gen_random_uuid(), $1, d || '@old.test', 'org_member', $2, clock_timestamp() - d * interval '1 day'"
        "   FROM unnest(ARRAY[29, 31]) d"},
       postgres::parameters(db.organization, db.ada)});
  db.must({{"bounds_old_mails_test",
            "INSERT INTO system_mails (id, kind, recipient, link_id, state, due_at, ended_at)"
            " SELECT gen_random_uuid(), 'recovery', 'ada@acme.test', $1, 'sent', NULL,"
            "        clock_timestamp() - CASE WHEN n > 3 THEN n * interval '1 second' ELSE interval '8 days' END"
            "   FROM generate_series(1, 10006) n"},
           postgres::parameters(link)});
  db.must({{"bounds_budgets_test",
            "INSERT INTO system_mail_budgets (kind, recipient, full_at)"
            " SELECT 'invitation', sha256(n::text::bytea), clock_timestamp() + (n - 4) * interval '1 hour'"
            "   FROM generate_series(1, 8) n"}});
  auto const sweep = [&](std::int64_t at_most) {
    return db.number({{"bounds_sweep_test", "SELECT delete_ended_accounts($1)"}, postgres::parameters(at_most)});
  };
  CHECK(sweep(2) == 2 + 2 + 1 + 2 + 2);
  CHECK(sweep(500) == 2 + 0 + 0 + 4 + 2);
  CHECK(sweep(500) == 0);
  CHECK(rows_where(db, "sessions") == 6);
  CHECK(rows_where(db, "links") == 2);
  CHECK(rows_where(db, "invitations") == 1);
  CHECK(rows_where(db, "system_mails") == 10'000);
  CHECK(rows_where(db, "system_mail_budgets") == 4);
}
