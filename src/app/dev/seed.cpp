#include "app/dev/seed.hpp"

#include "app/dev/data_directory.hpp"
#include "app/migrations/migrator.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/token.hpp"

#include <boost/json.hpp>

#include <exception>
#include <stdexcept>
#include <utility>

namespace svc::app::dev {

namespace {

std::string member(boost::json::object const& object, std::string_view name) {
  auto const* const value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

}  // namespace

credentials read_credentials(std::string const& path) {
  auto const text = read_file(path);
  if (!text) return {};
  boost::system::error_code ec;
  auto const value = boost::json::parse(*text, ec);
  if (ec || !value.is_object())
    throw std::runtime_error(path + " is not a JSON object; `svcd dev --reset` starts over");
  auto const& o = value.get_object();
  return {.organization = member(o, "organizationId"),
          .project = member(o, "projectId"),
          .user = member(o, "userId"),
          .job = member(o, "jobId"),
          .test = member(o, "testId"),
          .token = secret_string(member(o, "token")),
          .trigger_key = secret_string(member(o, "triggerKey")),
          .runner_token = secret_string(member(o, "runnerToken"))};
}

void write_credentials(std::string const& path, credentials const& credentials) {
  boost::json::object const o{{"organizationId", credentials.organization},
                              {"projectId", credentials.project},
                              {"userId", credentials.user},
                              {"jobId", credentials.job},
                              {"testId", credentials.test},
                              {"token", credentials.token.reveal()},
                              {"triggerKey", credentials.trigger_key.reveal()},
                              {"runnerToken", credentials.runner_token.reveal()}};
  write_file(path, boost::json::serialize(o) + "\n");
}

namespace {

// Each returns the id in the database, which an older credentials file may not contain.
constexpr std::string_view organization_sql = R"(
WITH made AS (INSERT INTO organizations (id, slug, name) VALUES ($1, 'demo', 'Demo')
              ON CONFLICT (slug) DO NOTHING RETURNING id)
SELECT id FROM made UNION ALL SELECT id FROM organizations WHERE slug = 'demo' LIMIT 1)";
constexpr std::string_view user_sql = R"(
WITH made AS (INSERT INTO users (id, email, name) VALUES ($1, 'demo@localhost', 'Demo User')
              ON CONFLICT (lower(email)) DO NOTHING RETURNING id)
SELECT id FROM made UNION ALL SELECT id FROM users WHERE lower(email) = 'demo@localhost' LIMIT 1)";
constexpr std::string_view project_sql = R"(
WITH made AS (INSERT INTO projects (id, organization_id, slug, name) VALUES ($1, $2, 'demo', 'Demo')
              ON CONFLICT (organization_id, slug) DO NOTHING RETURNING id)
SELECT id FROM made UNION ALL SELECT id FROM projects WHERE organization_id = $2 AND slug = 'demo' LIMIT 1)";
constexpr std::string_view subject_sql = "INSERT INTO subjects (id) VALUES ($1) ON CONFLICT DO NOTHING";
constexpr std::string_view membership_sql =
    "INSERT INTO organization_members (organization_id, user_id, role) VALUES ($1, $2, 'org_owner') "
    "ON CONFLICT DO NOTHING";
constexpr std::string_view test_sql =
    "INSERT INTO tests (id, project_id, title, type, priority, script) VALUES ($1, $2, $3, 'command', 'medium', $4)";
constexpr std::string_view job_sql =
    "INSERT INTO jobs (id, project_id, name, job_type, created_by) VALUES ($1, $2, $3, 'command', $4)";
constexpr std::string_view job_test_sql =
    "INSERT INTO job_tests (project_id, job_id, test_id, position) VALUES ($1, $2, $3, 0)";
constexpr std::string_view has_test_sql = "SELECT FROM tests WHERE id = $1";
constexpr std::string_view has_job_sql = "SELECT FROM jobs WHERE id = $1 AND deleted_at IS NULL";
constexpr std::string_view has_secret_sql = R"(
SELECT t.revoked_at IS NULL AND s.state <> 'dead' AND t.job_id IS NOT DISTINCT FROM $2
  FROM token_secrets s JOIN tokens t ON t.id = s.token_id WHERE s.digest = decode($1, 'hex'))";
// Takes the lowest free slot; the schema's constraint enforces the limit. If the name is in use, the id is appended
// to it.
constexpr std::string_view token_sql = R"(
INSERT INTO tokens (id, kind, project_id, job_id, owner_id, created_by, name, start, slot)
SELECT $1::uuid, $2, $3::uuid, $4::uuid, $5::uuid, $5::uuid,
       'demo' || CASE WHEN EXISTS (SELECT FROM tokens o WHERE o.project_id = $3::uuid AND o.name = 'demo'
                                      AND o.job_id IS NOT DISTINCT FROM $4::uuid AND o.revoked_at IS NULL)
                      THEN ' ' || $1::text ELSE '' END,
       $6, (SELECT min(s) FROM generate_series(1, 21) s WHERE NOT EXISTS (
              SELECT FROM tokens o WHERE o.project_id = $3::uuid AND o.job_id IS NOT DISTINCT FROM $4::uuid
                 AND o.revoked_at IS NULL AND o.slot = s)))";
constexpr std::string_view secret_sql =
    "INSERT INTO token_secrets (digest, token_id, state, start) VALUES (decode($1, 'hex'), $2, 'current', $3)";
constexpr std::string_view has_runner_sql =
    "SELECT FROM runner_tokens WHERE digest = decode($1, 'hex') AND revoked_at IS NULL";
constexpr std::string_view runner_sql = R"(
INSERT INTO runner_tokens (id, organization_id, name, start, digest)
SELECT $1::uuid, $2::uuid,
       'dev' || CASE WHEN EXISTS (SELECT FROM runner_tokens WHERE organization_id = $2::uuid AND name = 'dev'
                                     AND revoked_at IS NULL) THEN ' ' || $1::text ELSE '' END,
       $3, decode($4, 'hex'))";
constexpr std::string_view audit_sql = R"(
INSERT INTO audit_log (id, organization_id, project_id, action, actor_name, resource, resource_id)
VALUES ($1, $2, $3, $4, 'svcd dev', $5, $6))";

constexpr milliseconds link_patience{5000};
// The service's own links expire; this one ends with `svcd dev`.
constexpr std::string_view link_sql =
    "INSERT INTO links (id, user_id, kind, expires_at) VALUES ($1, $2, 'dev', clock_timestamp() + interval '10 "
    "years')";
constexpr std::string_view link_secret_sql =
    "INSERT INTO one_time_secrets (digest, link_id, mailed) VALUES (decode($1, 'hex'), $2, false)";
constexpr std::string_view delete_links_sql = "DELETE FROM links WHERE kind = 'dev'";

constexpr std::string_view script = R"sh(echo "Hello from $(uname -s)"
echo "It is $(date -u +%H:%M:%S) UTC"
for step in 1 2 3;
do
  echo "step $step of 3"
  sleep 0.3
done
echo "done"
)sh";

std::string fresh_id() {
  return uuid::generate_v7().to_string();
}

class seeder {
 public:
  seeder(database_session& database, credentials& credentials) : database_(database), credentials_(credentials) {}

  void run() {
    identity();
    test();
    job();
    secret(credentials_.token, token_kind::cli, std::nullopt, "cli_token");
    secret(credentials_.trigger_key, token_kind::trigger, credentials_.job, "trigger_key");
    runner();
  }

 private:
  using values = database_session::values;

  std::vector<database_session::row> sql(std::string_view text, values const& values) {
    return database_.run(std::string(text), values);
  }
  void audit(std::string_view resource, std::string const& id) {
    sql(audit_sql, {fresh_id(), credentials_.organization, credentials_.project, std::string(resource) + ".created",
                    std::string(resource), id});
  }

  std::string known_id(std::string_view text, values const& values) { return sql(text, values).at(0).at(0).value(); }

  void identity() {
    auto const id_or_fresh = [](std::string const& id) { return id.empty() ? fresh_id() : id; };
    credentials_.organization = known_id(organization_sql, {id_or_fresh(credentials_.organization)});
    credentials_.user = known_id(user_sql, {id_or_fresh(credentials_.user)});
    credentials_.project = known_id(project_sql, {id_or_fresh(credentials_.project), credentials_.organization});
    sql(subject_sql, {credentials_.user});
    sql(membership_sql, {credentials_.organization, credentials_.user});
  }

  void test() {
    if (!credentials_.test.empty() && !sql(has_test_sql, {credentials_.test}).empty()) return;
    if (credentials_.test.empty()) credentials_.test = fresh_id();
    sql(test_sql, {credentials_.test, credentials_.project, "Say hello", std::string(script)});
    audit("test", credentials_.test);
  }

  void job() {
    if (!credentials_.job.empty() && !sql(has_job_sql, {credentials_.job}).empty()) return;
    // A deleted job keeps its row, so the next one needs an id of its own.
    credentials_.job = fresh_id();
    sql(job_sql, {credentials_.job, credentials_.project, "Hello", credentials_.user});
    sql(job_test_sql, {credentials_.project, credentials_.job, credentials_.test});
    audit("job", credentials_.job);
  }

  void secret(secret_string& text, token_kind kind, std::optional<std::string> const& job,
              std::string_view resource) {
    if (!text.empty()) {
      auto const rows = sql(has_secret_sql, {to_hex(sha256(text.reveal())), job});
      if (!rows.empty() && rows[0][0] == "t") return;
    }
    auto minted = mint_token(kind);
    text = minted.key;
    auto const id = fresh_id();
    if (is_trigger_key(kind)) sql(subject_sql, {id});
    sql(token_sql, {id, std::string(to_string(kind)), credentials_.project, job, credentials_.user, minted.start});
    sql(secret_sql, {to_hex(minted.digest), id, minted.start});
    audit(resource, id);
  }

  /// For the runner that `svcd dev` starts.
  void runner() {
    if (!credentials_.runner_token.empty() &&
        !sql(has_runner_sql, {to_hex(sha256(credentials_.runner_token.reveal()))}).empty())
      return;
    auto minted = mint_runner_token();
    credentials_.runner_token = minted.key;
    auto const id = fresh_id();
    sql(runner_sql, {id, credentials_.organization, minted.start, to_hex(minted.digest)});
    audit("runner", id);
  }

  database_session& database_;
  credentials& credentials_;
};

bool exists(database_session& database, std::string const& sql) {
  return !database.run(sql).empty();
}

}  // namespace

void prepare_database(secret_string const& maintenance, secret_string const& database) {
  constexpr milliseconds patience{5000};
  {
    database_session session(maintenance, patience);
    if (!exists(session, "SELECT FROM pg_database WHERE datname = 'svc'")) session.run("CREATE DATABASE svc");
  }
  std::string sentences;
  if (migrate(database, false, patience, [&](std::string const& s) { sentences += s + "\n"; }) != 0)
    throw std::runtime_error("the schema cannot be brought up to date:\n" + sentences +
                             "If the data directory belongs to another build: --reset empties it, --data-dir names "
                             "another one");
  database_session session(database, patience);
  if (!exists(session, "SELECT FROM pg_roles WHERE rolname = 'svc_app'"))
    session.run("CREATE ROLE svc_app LOGIN IN ROLE svc_service");
  if (exists(session, "SELECT FROM pg_settings WHERE name = 'shared_preload_libraries' AND setting <> ''"))
    session.run("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
}

credentials seed(database_session& database, std::string const& credentials_file) {
  auto credentials = read_credentials(credentials_file);
  database.run("BEGIN");
  seeder(database, credentials).run();
  write_credentials(credentials_file, credentials);
  database.run("COMMIT");
  return credentials;
}

sign_in_link::sign_in_link(secret_string database, std::string const& user) : database_(std::move(database)) {
  auto const minted = mint_link_secret();
  auto const id = fresh_id();
  database_session session(database_, link_patience);
  session.run("BEGIN");
  session.run(std::string(delete_links_sql));
  session.run(std::string(link_sql), {id, user});
  session.run(std::string(link_secret_sql), {to_hex(minted.digest), id});
  session.run("COMMIT");
  secret_ = minted.key;
}

sign_in_link::~sign_in_link() {
  try {
    database_session(database_, link_patience).run(std::string(delete_links_sql));
  } catch (std::exception const&) {
    // The store is gone. The next start deletes the link before it serves.
  }
}

}  // namespace svc::app::dev
