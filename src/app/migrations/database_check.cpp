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
  postgres::settings settings;
  bool direct;  ///< no pooler may be in between
};

std::string name_of(url_of const& which, server_report const& report) {
  auto const server = report.address.text();
  return which.key + (server.empty() ? "" : ", " + server) + ": ";
}

std::string role_of(server_report const& report) {
  if (!report.identity.known()) return "does not report its role";
  if (report.identity.standby) return "standby";
  return "primary, timeline " + std::to_string(report.identity.timeline);
}

bool is_remote(server_report const& report) {
  auto const& host = report.address.host.empty() ? report.address.hostaddr : report.address.host;
  return !host.empty() && host[0] != '/' && host[0] != '@' && host != "localhost" && host != "127.0.0.1";
}

void look_at(url_of const& which, server_report const& report, postgres::look_around const& all,
             check_findings& into) {
  auto const name = name_of(which, report);
  if (!report.reached) {
    bool const answered = report.reason.find("FATAL:") != report.reason.npos;
    // There is no reason if the server has not answered yet, for example an HTTP server, which waits for a request.
    auto const reason = report.reason.empty()
                            ? "no answer of PostgreSQL within " + duration_text(longest_look.count()) +
                                  ": compare the port with its server, and check the firewall"
                            : report.reason;
    return into.problems.push_back(name + (answered ? "no login: " : "not reached: ") + reason);
  }
  into.facts.push_back(name + role_of(report) + (report.encrypted ? ", TLS" : ", no TLS") +
                       (report.pooled ? ", through a pooler" : ""));
  if (all.primary && report.identity.is_before(all.primary->identity))
    into.problems.push_back(
        name + "a former primary still runs: timeline " + std::to_string(all.primary->identity.timeline) +
        " exists. The service does not use this server; stop it before other clients write there");
  if (which.direct && report.pooled)
    into.problems.push_back(name +
                            "`svcd migrate` needs the server itself, because its lock would not last in a pooler");
  if (!report.encrypted && is_remote(report))
    into.problems.push_back(name + "not encrypted: set sslmode=verify-full and sslrootcert in the URL");
}

/// Returns true if any of the servers answered.
bool look_at(url_of const& which, check_findings& into) {
  postgres::look_around const all(which.settings, longest_look);
  std::set<std::int64_t> clusters;
  for (auto const& report : all.servers) {
    look_at(which, report, all, into);
    if (report.identity.known()) clusters.insert(report.identity.system);
  }
  if (clusters.size() > 1)
    into.problems.push_back(which.key + ": its servers belong to different clusters; none is a standby of another");
  bool const reached = !clusters.empty();
  if (reached && !all.primary) into.problems.push_back(which.key + ": none of its servers is a primary");
  return std::ranges::any_of(all.servers, &server_report::reached);
}

/// Checks that the key file holds every master key that the database was sealed with.
void look_at_master_key(configuration const& config, database_session& database, check_findings& into) {
  std::vector<store::master_key_use> uses;
  for (auto const& row : database.run("SELECT master_key_id, count(*) FROM project_keys GROUP BY master_key_id"))
    uses.push_back({row.at(0).value_or(""), parse_number<std::int64_t>(row.at(1).value_or("")).value_or(0)});
  try {
    auto const missing = find_missing(uses, master_keys::from_file(config.master_key_file).ids());
    if (auto sentence = missing.sentence(config.master_key_file); !sentence.empty())
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

/// Checks the schema, and whether a promotion would lose acknowledged commits.
void look_inside(configuration const& config, check_findings& into) {
  try {
    database_session database(config.postgres.url, config.postgres.connect_timeout);
    auto const plan = read_plan(database);
    for (auto const& problem : plan.problems) into.problems.push_back("schema: " + problem);
    if (!plan.pending.empty())
      into.problems.push_back("schema: " + missing_migrations(plan) + ": run `svcd migrate`");
    if (plan.current()) into.facts.emplace_back("schema: up to date");
    if (plan.current() && !config.master_key_file.empty()) look_at_master_key(config, database, into);
    look_at_login(database, into);
    auto const waits = database.run(
        "SELECT current_setting('synchronous_standby_names') <> '' AND "
        "current_setting('synchronous_commit') NOT IN ('off', 'local')");
    into.facts.emplace_back(
        waits.at(0).at(0) == "t"
            ? "commits wait for a standby: its promotion loses no acknowledged commit"
            : "commits do not wait for a standby: a promotion loses the commits that the standby has not received");
  } catch (database_error const& e) {
    into.problems.push_back("postgres.url: " + with_remedy_of_login(e));
  }
}

}  // namespace

check_findings check_database(configuration const& config) {
  check_findings out;
  bool const reached = look_at({"postgres.url", config.to_postgres_settings(), false}, out);
  if (!config.postgres.migrate_url.empty()) {
    auto settings = config.to_postgres_settings();
    settings.url = config.postgres.migrate_url;
    settings.prepared_statements = false;
    look_at({"postgres.migrate_url", settings, true}, out);
  }
  // A further attempt would only repeat why nothing answers.
  if (reached) look_inside(config, out);
  return out;
}

}  // namespace svc::app
