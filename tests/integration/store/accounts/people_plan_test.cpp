// The pages of accounts, members and projects, and the reads of a sign-in, use indexes of the user, the organisation
// or the project, however many others there are.
#include "../shop.hpp"

#include "svc/store/accounts/account_store.hpp"
#include "svc/store/accounts/identity_store.hpp"
#include "svc/store/accounts/member_store.hpp"
#include "svc/store/accounts/organization_store.hpp"
#include "svc/store/accounts/project_store.hpp"
#include "svc/store/accounts/session_store.hpp"
#include "svc/store/accounts/sign_in_store.hpp"

#include <cstdio>

using namespace svc;
using namespace svc::test;

namespace {

/// 200 organisations with five projects and 25 members each; `acme` has 100 more projects and 1 000 more members, who
/// have roles in three of them.
void fill_memberships(shop& db) {
  db.as_owner(
      "INSERT INTO organizations (id, slug, name) SELECT gen_random_uuid(), 'o' || i, 'O' FROM generate_series(1, "
      "200) i;"
      "INSERT INTO projects (id, organization_id, slug, name) SELECT gen_random_uuid(), o.id, 'p' || i, 'P'"
      " FROM organizations o, generate_series(1, 100) i WHERE i <= 5 OR o.slug = 'acme';"
      "WITH made AS (INSERT INTO subjects (id) SELECT gen_random_uuid() FROM generate_series(1, 5000) RETURNING id)"
      " INSERT INTO users (id, email, name) SELECT id, id || '@many.test', 'Many' FROM made;"
      "INSERT INTO organization_members (organization_id, user_id, role) SELECT o.id, u.id, 'org_member'"
      " FROM (SELECT id, slug, row_number() OVER (ORDER BY slug) AS n FROM organizations) o"
      " JOIN (SELECT id, row_number() OVER () AS n FROM users WHERE email LIKE '%@many.test') u"
      " ON o.slug = 'acme' AND u.n <= 1000 OR o.slug <> 'acme' AND u.n % 200 + 2 = o.n;"
      "INSERT INTO project_members (project_id, user_id, role) SELECT p.id, m.user_id, 'project_viewer'"
      " FROM organization_members m JOIN users u ON u.id = m.user_id AND u.email LIKE '%@many.test'"
      " JOIN projects p USING (organization_id) WHERE p.slug IN ('shop', 'p1', 'p2')");
}

/// Each user has four sessions, a password, an identity and a link; there are 20 000 tokens. Ada has 40 sessions and
/// five tokens more.
void fill_credentials(shop& db) {
  std::string const ada = "'" + db.ada.to_string() + "'";
  db.as_owner(
      "INSERT INTO sessions (id, user_id, digest, method, last_ip, user_agent, expires_at) SELECT gen_random_uuid(),"
      " u.id, sha256(convert_to(u.id::text || i, 'UTF8')), 'link', '127.0.0.1', 'a test', now() + interval '1 day'"
      " FROM users u, generate_series(1, 44) i WHERE i <= 4 OR u.id = " +
      ada +
      ";"
      "INSERT INTO passwords (user_id, hash) SELECT id, '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$aGFzaA' FROM "
      "users;"
      "INSERT INTO identities (user_id, provider, issuer, subject, email)"
      " SELECT id, 'corp', 'https://corp.example', id::text, email FROM users WHERE email LIKE '%@many.test';"
      "INSERT INTO links (id, user_id, kind, expires_at)"
      " SELECT gen_random_uuid(), id, 'recovery', now() + interval '1 hour' FROM users;"
      "INSERT INTO one_time_secrets (digest, link_id, mailed)"
      " SELECT sha256(convert_to(id::text, 'UTF8')), id, true FROM links;"
      "WITH places AS (SELECT id, row_number() OVER () - 1 AS n FROM projects WHERE slug LIKE 'p%'),"
      " made AS (INSERT INTO subjects (id) SELECT gen_random_uuid() FROM generate_series(1, 20000) RETURNING id),"
      " keys AS (SELECT id, row_number() OVER () - 1 AS n FROM made),"
      " people AS (SELECT id, row_number() OVER () - 1 AS n FROM users WHERE email LIKE '%@many.test')"
      " INSERT INTO tokens (id, kind, project_id, owner_id, created_by, name, start, slot)"
      " SELECT k.id, 'cli', p.id, o.id, o.id, 'token ' || k.n, 'svc_', 1 + k.n / 1100 FROM keys k"
      " JOIN places p ON p.n = k.n % 1100 JOIN LATERAL (SELECT CASE WHEN k.n < 5 THEN " +
      ada +
      "::uuid ELSE u.id END AS id FROM people u WHERE u.n = k.n % 4000) o ON true;"
      "INSERT INTO token_last_use (token_id, used_at) SELECT id, now() FROM tokens;"
      "ANALYZE");
}

/// Calls each method whose statements `people_cases` explains, so that the only connection has prepared them.
void prepare_people(shop& db, postgres::pool& pool) {
  store::account_store accounts(pool);
  store::member_store members(pool);
  store::project_store projects(pool, {});
  store::sign_in_store sign_ins(pool);
  uuid const session = uuid::generate_v7();
  CHECK(db.wait(accounts.read(db.ada, session, db.soon())).has_error());
  CHECK(db.wait(accounts.tokens(db.ada, {}, db.soon())).total == 5);
  CHECK(db.wait(accounts.projects(db.ada, session, {}, {}, db.soon())).total == 102);
  CHECK(db.wait(store::session_store(pool).list(db.ada, db.soon())).size() == 44);
  CHECK(db.wait(members.list(db.organization, {}, db.soon())).total == 1003);
  CHECK(db.wait(members.impact(db.organization, db.ada, {}, db.soon())).has_value());
  CHECK(db.wait(store::organization_store(pool).read(db.organization, db.soon())).has_value());
  CHECK(db.wait(projects.list(db.organization, {}, db.soon())).total == 102);
  CHECK(db.wait(projects.read(db.organization, db.project, db.soon())).has_value());
  CHECK(db.wait(projects.members(db.project, {}, db.soon())).total == 1002);
  CHECK(db.wait(sign_ins.preview_link(sha256(std::string_view("nobody")), db.soon())).has_error());
  CHECK(db.wait(sign_ins.find_password("ada@acme.test", db.soon())).has_value());
  identity const stranger{
      .provider = "corp", .issuer = "https://corp.example", .subject = "nobody", .email = "a@b.test"};
  CHECK(
      db.wait(store::identity_store(pool).sign_in(stranger, {}, {.method = "oidc"}, db.soon())).outcome.has_error());
}

std::vector<plan_case> people_cases(shop const& db) {
  std::string const ada = "'" + db.ada.to_string() + "'", organization = "'" + db.organization.to_string() + "'";
  std::string const project = "'" + db.project.to_string() + "'", page = ", 21, 0, NULL, NULL";
  std::string const session = ", gen_random_uuid()", person = "'https://corp.example', 'nobody', 'ada@acme.test'";
  return {
      {"account_read", ada + session, {"users_pkey", "sessions_pkey"}},
      {"account_organizations", ada + session, {"organization_members_by_user", "organizations_pkey"}},
      {"account_tokens", ada + page, {"tokens_of_owner", "token_last_use_pkey"}},
      {"account_projects",
       ada + session + ", NULL" + page,
       {"organization_members_by_user", "projects_slug_unique", "project_members_pkey"}},
      {"sessions_list", ada + ", 43200", {"sessions_of_user"}},
      {"member_list", organization + page, {"organization_members_pkey", "project_members_by_user"}},
      {"member_impact", organization + ", " + ada + page, {"tokens_of_owner"}},
      {"organization_read", organization, {"organizations_pkey"}},
      {"project_list", organization + page, {"projects_slug_unique"}},
      {"project_read", organization + ", " + project, {"projects_pkey"}},
      {"project_member_list", project + page, {"project_members_pkey"}},
      {"link_preview", "sha256('nobody')", {"one_time_secrets_pkey", "links_pkey", "identities_pkey"}},
      {"account_find", "'ada@acme.test'", {"users_email_unique", "passwords_pkey", "identities_pkey"}},
      {"identity_read_facts", person + ", 'corp'", {"identities_subject_unique", "users_email_unique"}},
  };
}

}  // namespace

TEST_CASE("pages of people, organizations and projects, and the reads of a sign-in, find their rows by an index") {
  shop db;
  fill_memberships(db);
  fill_credentials(db);
  postgres::pool pool(db.io, {.url = secret_string(db.url()), .size = 1});
  pool.start();
  prepare_people(db, pool);
  db.check_plans(pool, people_cases(db), [](plan_case const& c, std::string const& plan) {
    std::printf("%7.2f ms  %s\n", execution_ms(plan), c.statement);
    CHECK(plan.find("Seq Scan") == std::string::npos);
    CHECK(execution_ms(plan) < 200);
  });
}
