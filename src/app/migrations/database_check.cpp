#include "app/migrations/database_check.hpp"

#include "app/maintenance/master_key_check.hpp"
#include "app/migrations/migrator.hpp"
#include "svc/core/numbers.hpp"
#include "svc/postgres/primary_watch.hpp"

#include <set>

namespace svc::app {
namespace {

using postgres::server_report;

constexpr milliseconds longest_look{5000};

struct url_of {
  std::string key;
  postgres::settings how;
  bool direct;  ///< no pooler may stand between
};

std::string name_of(url_of const& which, server_report const& one) {
  auto const server = one.at.text();
  return which.key + (server.empty() ? "" : ", " + server) + ": ";
}

std::string role_of(server_report const& one) {
  if (!one.who.known()) return "does not tell its role";
  if (one.who.standby) return "standby";
  return "primary, timeline " + std::to_string(one.who.timeline);
}

bool is_remote(server_report const& one) {
  auto const& host = one.at.host.empty() ? one.at.hostaddr : one.at.host;
  return !host.empty() && host[0] != '/' && host[0] != '@' && host != "localhost" && host != "127.0.0.1";
}

void look_at(url_of const& which, server_report const& one, postgres::look_around const& all, check_findings& into) {
  auto const name = name_of(which, one);
  if (!one.reached) return into.problems.push_back(name + "not reached: " + one.why);
  into.facts.push_back(name + role_of(one) + (one.encrypted ? ", TLS" : ", no TLS") +
                       (one.pooled ? ", through a pooler" : ""));
  if (all.primary && one.who.is_before(all.primary->who))
    into.problems.push_back(name + "a former primary still runs: timeline " +
                            std::to_string(all.primary->who.timeline) +
                            " exists. The service leaves it; stop it before other clients write there");
  if (which.direct && one.pooled)
    into.problems.push_back(name +
                            "`svcd migrate` needs the server itself, because its lock would not last in a pooler");
  if (!one.encrypted && is_remote(one))
    into.problems.push_back(name + "not encrypted: set sslmode=verify-full and sslrootcert in the URL");
}

/// Returns true if any of the servers answered.
bool look_at(url_of const& which, check_findings& into) {
  postgres::look_around const all(which.how, longest_look);
  std::set<std::int64_t> clusters;
  for (auto const& one : all.servers) {
    look_at(which, one, all, into);
    if (one.who.known()) clusters.insert(one.who.system);
  }
  if (clusters.size() > 1)
    into.problems.push_back(which.key + ": its servers belong to different clusters, none is another one's standby");
  bool const reached = !clusters.empty();
  if (reached && !all.primary) into.problems.push_back(which.key + ": none of its servers is a primary");
  return std::ranges::any_of(all.servers, &server_report::reached);
}

/// Whether the key file holds every master key that the database was sealed with.
void look_at_master_key(configuration const& with, database_session& database, check_findings& into) {
  if (auto warning = warn_of_readers(with.master_key_file); !warning.empty())
    into.warnings.push_back("master_key_file: " + std::move(warning));
  std::vector<store::master_key_use> uses;
  for (auto const& row : database.run("SELECT master_key_id, count(*) FROM project_keys GROUP BY master_key_id"))
    uses.push_back({row.at(0).value_or(""), parse_number<std::int64_t>(row.at(1).value_or("")).value_or(0)});
  try {
    auto const missing = find_missing(uses, master_keys::from_file(with.master_key_file).ids());
    if (auto sentence = missing.sentence(with.master_key_file); !sentence.empty())
      into.problems.push_back("master_key_file: " + sentence);
    else
      into.facts.push_back("master_key_file: opens the data keys of all projects");
  } catch (std::runtime_error const& e) {
    into.problems.push_back(std::string("master_key_file: ") + e.what());
  }
}

/// The login that the service uses must have no more rights than it needs.
void look_at_login(database_session& database, check_findings& into) {
  auto const row = database.run(
      "SELECT current_user, pg_has_role(relowner, 'USAGE'), rolsuper "
      "FROM pg_class, pg_roles WHERE pg_class.oid = to_regclass('schema_migrations') AND rolname = current_user");
  if (row.empty()) return;
  auto const name = row[0].at(0).value_or("");
  bool const owner = row[0].at(1) == "t", super = row[0].at(2) == "t";
  if (owner || super)
    into.warnings.push_back(
        "postgres.url: " + name + (super ? " is a superuser" : " owns the tables") +
        ", so that a fault of the service could change the schema or the audit log: use a role of its "
        "own (CREATE ROLE svc_app LOGIN IN ROLE svc_service), and keep this one for "
        "SVC_POSTGRES_MIGRATE_URL");
}

/// The schema, and whether a promotion would lose what was acknowledged.
void look_inside(configuration const& with, check_findings& into) {
  try {
    database_session database(with.postgres.url, with.postgres.connect_timeout);
    auto const plan = read_plan(database);
    for (auto const& problem : plan.problems) into.problems.push_back("schema: " + problem);
    if (!plan.pending.empty())
      into.problems.push_back("schema: " + missing_migrations(plan) + ": run `svcd migrate`");
    if (plan.current()) into.facts.emplace_back("schema: up to date");
    if (plan.current() && !with.master_key_file.empty()) look_at_master_key(with, database, into);
    look_at_login(database, into);
    auto const waits = database.run(
        "SELECT current_setting('synchronous_standby_names') <> '' AND "
        "current_setting('synchronous_commit') NOT IN ('off', 'local')");
    into.facts.emplace_back(waits.at(0).at(0) == "t"
                                ? "commits wait for a standby: its promotion loses nothing that was acknowledged"
                                : "commits wait for no standby: a promotion loses what it had not received");
  } catch (database_error const& e) {
    into.problems.push_back("postgres.url: " + with_remedy_of_login(e));
  }
}

}  // namespace

check_findings check_database(configuration const& with) {
  check_findings out;
  bool const reached = look_at({"postgres.url", with.to_postgres_settings(), false}, out);
  if (!with.postgres.migrate_url.empty()) {
    auto how = with.to_postgres_settings();
    how.url = with.postgres.migrate_url;
    how.prepared_statements = false;
    look_at({"postgres.migrate_url", how, true}, out);
  }
  // A further attempt would only repeat why nothing answers.
  if (reached) look_inside(with, out);
  return out;
}

}  // namespace svc::app
