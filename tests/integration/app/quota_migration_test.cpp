// V018 on a database that is in use: existing data is counted, whatever was written meanwhile.
#include "app/migrations/database_session.hpp"
#include "app/migrations/migrator.hpp"
#include "support/private_postgres.hpp"

#include <doctest/doctest.h>

namespace svc::app {
namespace {

constexpr int quotas = 18;

TEST_CASE("the usage of a project is counted at the upgrade, also beyond every quota") {
  test::private_postgres const server;
  database_session db(secret_string(server.url()), milliseconds(20'000));
  for (auto const& migration : embedded_migrations())
    if (migration.version < quotas) db.run(std::string(migration.sql));
  db.run(R"(
INSERT INTO users (id, email, name) VALUES (gen_random_uuid(), 'a@example.org', 'a');
INSERT INTO organizations (id, slug, name) VALUES (gen_random_uuid(), 'o', 'o');
INSERT INTO projects (id, organization_id, slug, name) SELECT gen_random_uuid(), id, s, s FROM organizations,
  (VALUES ('full'), ('small'), ('empty')) p (s);
INSERT INTO tests (id, project_id, title, type, priority, script)
  SELECT gen_random_uuid(), id, 't', 'command', 'low', repeat('ä', 10) FROM projects, generate_series(1, 3000)
   WHERE slug = 'full';
INSERT INTO jobs (id, project_id, name, job_type, created_by, deleted_at)
  SELECT gen_random_uuid(), p.id, 'j', 'command', u.id, CASE WHEN n % 3 = 0 THEN now() END
    FROM projects p, users u, generate_series(1, 900) n WHERE p.slug = 'full';
INSERT INTO tests (id, project_id, title, type, priority, script)
  SELECT gen_random_uuid(), id, 't', 'command', 'low', '' FROM projects WHERE slug = 'small';
INSERT INTO project_keys (project_id, key_id, master_key_id, wrapped)
  SELECT id, gen_random_uuid(), 'm', '' FROM projects WHERE slug = 'full';
INSERT INTO variables (id, project_id, key, sealed, key_id, is_secret)
  SELECT gen_random_uuid(), project_id, 'V' || n, decode(repeat('00', 28 + 2000), 'hex'), key_id, true
    FROM project_keys, generate_series(1, 1700) n)");
  for (auto const& migration : embedded_migrations())
    if (migration.version == quotas) db.run(std::string(migration.sql));
  auto const reported = [&] {
    return *db.run(
                  "SELECT string_agg(p.slug || ' ' || u.kind || ' ' || u.used || ' ' || u.bytes, ', ' ORDER BY "
                  "p.slug,"
                  " u.kind) FROM project_usage u JOIN projects p ON p.id = u.project_id")
                .at(0)
                .at(0);
  };
  CHECK(reported() == "full jobs 600 0, full tests 3000 60000, full variables 1700 3400000, small tests 1 0");
  db.run(
      "UPDATE jobs SET deleted_at = now() WHERE id IN (SELECT id FROM jobs WHERE deleted_at IS NULL LIMIT 100);"
      "DELETE FROM tests WHERE script = ''");
  CHECK(reported() == "full jobs 500 0, full tests 3000 60000, full variables 1700 3400000, small tests 0 0");
}

}  // namespace
}  // namespace svc::app
