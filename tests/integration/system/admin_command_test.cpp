// `svcd admin` on a slow machine, and without its stores.
#include "integration/system/faults/faults.hpp"
#include "support/aged_audit.hpp"
#include "support/free_port.hpp"
#include "support/temporary_directory.hpp"

#include <fstream>
#include <sstream>

namespace svc::test {
namespace {

std::vector<std::string> admin_arguments(fleet const& fleet, std::vector<std::string> texts) {
  texts.insert(texts.begin(), "admin");
  texts.insert(texts.end(), {"--config", fleet.text("configFile"), "--json"});
  return texts;
}

std::vector<std::string> const make_ada{"create-user", "--email", "ada@example.org", "--name", "Ada"};

TEST_CASE("svcd admin waits longer for a connection to PostgreSQL than a request of the service may") {
  fleet fleet(1);
  std::optional<stopped_process> slow(std::in_place, fleet.dev().pid_of("postgres"));
  service command(admin_arguments(fleet, make_ada), {"SVC_POSTGRES_CONNECT_TIMEOUT=100ms"});
  process_watch const watch(command.pid());
  CHECK(!watch.ended_within(seconds(1)));
  slow.reset();
  CHECK(command.wait() == 0);
  CHECK(command.err().text() == "");
}

TEST_CASE("svcd admin says which store it could not reach, where, why, and how long it tried") {
  fleet fleet(1);
  auto const tenant = fleet.make_tenant();
  auto const nobody = "127.0.0.1:" + std::to_string(free_port());
  struct {
    char const* name;
    std::vector<std::string> arguments;
    std::vector<std::string> settings;
    int code;
    std::vector<std::string> said;
  } const cases[] = {
      {"PostgreSQL",
       make_ada,
       {"SVC_POSTGRES_URL=postgresql://svc@" + nobody + "/svc"},
       1,
       {"svcd: PostgreSQL", "\"127.0.0.1\", port " + nobody.substr(nobody.find(':') + 1), "Connection refused",
        "(tried for "}},
      {"Redis",
       {"create-token", "--project", tenant.project, "--owner", tenant.user, "--name", "another"},
       {"SVC_REDIS_URL=redis://" + nobody},
       0,
       {"svcd: warning: Redis at " + nobody + " is unreachable (tried for ", "Connection refused",
        "The token is stored"}},
      {"sentinels",
       {"create-token", "--project", tenant.project, "--owner", tenant.user, "--name", "a third"},
       {"SVC_REDIS_URL=", "SVC_REDIS_MODE=sentinel", "SVC_REDIS_SENTINELS=" + nobody,
        "SVC_REDIS_SENTINEL_MASTER=main"},
       0,
       {"svcd: warning: Redis at main as named by " + nobody + " is unreachable (tried for ",
        "no primary found: " + nobody + ": connect: Connection refused", "The token is stored"}},
      {"cluster",
       {"create-token", "--project", tenant.project, "--owner", tenant.user, "--name", "a fourth"},
       {"SVC_REDIS_URL=", "SVC_REDIS_MODE=cluster", "SVC_REDIS_NODES=" + nobody},
       0,
       {"svcd: warning: Redis at the nodes " + nobody + " is unreachable (tried for ",
        "no node names the masters: " + nobody + ": connect: Connection refused", "The token is stored"}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    service command(admin_arguments(fleet, c.arguments), c.settings);
    CHECK(command.wait() == c.code);
    CAPTURE(command.err().text());
    for (auto const& part : c.said) CHECK(command.err().text().find(part) != std::string::npos);
  }
}

/// Returns the output of a command of `svcd admin` for people.
std::string printed(fleet const& fleet, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "admin");
  arguments.insert(arguments.end(), {"--config", fleet.text("configFile")});
  service command(arguments, fleet.environment());
  REQUIRE(command.wait() == 0);
  return command.out().text();
}

std::vector<std::string> lines_of(std::string const& text) {
  std::vector<std::string> out;
  std::istringstream words(text);
  for (std::string line; std::getline(words, line);) out.push_back(line);
  return out;
}

/// Returns the row of a list whose member has that value; an empty object if there is none.
boost::json::object row_with(boost::json::value const& list, std::string_view member, std::string const& value) {
  for (auto const& row : list.at("rows").as_array())
    if (row.at(member) == boost::json::value(value)) return row.as_object();
  return {};
}

TEST_CASE("a ban names the organizations that it leaves without an owner who can sign in") {
  fleet fleet(1);
  auto const tenant = fleet.make_tenant();
  auto const other = fleet.make_member(tenant, "org_owner");
  auto const ban = [&](std::string const& user) {
    auto const done = fleet.admin({"ban-user", "--user", user});
    CHECK(done.at("banned") == boost::json::value(true));
    return done.at("withoutOwner");
  };
  CHECK(ban(other.user) == boost::json::array());
  CHECK(ban(tenant.user) == boost::json::array({boost::json::value(tenant.organization)}));
  CHECK_FALSE(fleet.admin({"unban-user", "--user", other.user}).as_object().contains("withoutOwner"));
  CHECK(ban(tenant.user) == boost::json::array());
}

TEST_CASE("svcd admin lists users, organizations, projects and members, with names before ids") {
  fleet fleet(1);
  auto const tenant = fleet.make_tenant();
  auto const other = fleet.make_member(tenant, "project_viewer");
  auto const slug = tenant.project.substr(tenant.project.find('/') + 1);
  auto const rows = std::vector<std::string>{"--limit", "1000"};
  auto const list = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), rows.begin(), rows.end());
    return fleet.admin(std::move(arguments));
  };

  auto const user = row_with(list({"list-users"}), "email", tenant.user);
  CHECK(user.at("id") == boost::json::value(tenant.user_id));
  CHECK(user.at("organizations") == boost::json::value(tenant.organization));
  CHECK(user.at("banned") == boost::json::value(false));
  auto const organization = row_with(list({"list-organizations"}), "slug", tenant.organization);
  CHECK(organization.at("members") == boost::json::value(2));
  CHECK(organization.at("projects") == boost::json::value(1));
  auto const project = row_with(list({"list-projects"}), "project", tenant.project);
  CHECK(project.at("archived") == boost::json::value(false));
  auto const own = list({"list-projects", "--organization", tenant.organization});
  CHECK(own.at("total") == boost::json::value(1));
  auto const members = list({"list-members", "--organization", tenant.organization});
  CHECK(members.at("total") == boost::json::value(2));
  CHECK(row_with(members, "email", tenant.user).at("role") == boost::json::value("org_owner"));
  CHECK(row_with(members, "email", other.user).at("projects") == boost::json::value(slug + " project_viewer"));
  auto const viewers = list({"list-members", "--project", tenant.project});
  CHECK(row_with(viewers, "email", other.user).at("role") == boost::json::value("project_viewer"));

  // The list has two pages, and this reads the second one.
  auto const page =
      fleet.admin({"list-members", "--organization", tenant.organization, "--limit", "1", "--page", "2"});
  CHECK(page.at("total") == boost::json::value(2));
  CHECK(page.at("rows").as_array().size() == 1);
  // Pages after the end are empty, and know the length of the list.
  for (auto const& arguments :
       std::vector<std::vector<std::string>>{{"list-members", "--organization", tenant.organization, "--page", "9"},
                                             {"list-members", "--project", tenant.project, "--page", "9"},
                                             {"list-projects", "--organization", tenant.organization, "--page", "9"},
                                             {"list-users", "--page", "9"},
                                             {"list-organizations", "--page", "9"}}) {
    auto const behind = fleet.admin(arguments);
    CHECK(behind.at("rows").as_array().empty());
    CHECK(behind.at("total").as_int64() > 0);
  }

  auto const table = lines_of(printed(fleet, {"list-projects", "--organization", tenant.organization}));
  REQUIRE(table.size() == 4);
  CHECK(table[2].starts_with("project "));
  CHECK(table[3].starts_with(tenant.project + " "));
  fleet.admin({"create-runner", "--project", tenant.project, "--name", "farm"});
  auto const runners = printed(fleet, {"list-runners", "--organization", tenant.organization});
  CHECK(runners.starts_with("name  organization "));
  CHECK(runners.find(" " + tenant.project + " ") != std::string::npos);
  CHECK(printed(fleet, {"list-tokens", "--project", tenant.project}).starts_with("name "));
}

/// Returns what a command that must fail says.
std::string complaint(fleet const& fleet, std::vector<std::string> arguments) {
  service command(admin_arguments(fleet, std::move(arguments)), fleet.environment());
  CHECK(command.wait() == 1);
  return command.out().text() + command.err().text();
}

TEST_CASE(
    "svcd admin names an unknown job and the line of an import that failed, and shows that a token has no end") {
  fleet fleet(1);
  auto const tenant = fleet.make_tenant();
  auto const stranger = fleet.make_tenant();
  auto const unknown = complaint(fleet, {"create-trigger-key", "--job", "01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f70",
                                         "--owner", tenant.user, "--name", "github"});
  CHECK(unknown.find("There is no job with this id.") != std::string::npos);

  auto const tokens = fleet.admin({"list-tokens", "--project", tenant.project}).as_array();
  REQUIRE(tokens.size() == 1);
  CHECK(tokens[0].at("expiresAt").is_null());

  temporary_directory const place;
  auto const file = place.path() + "/tokens.csv";
  std::ofstream lines(file);
  lines << "kind,name,digest,start,project,job,owner,enabled,expires_at\n";
  for (int i = 0; i < 3; ++i)
    lines << "cli,imported " << i << ',' << std::string(63, 'a') << i << "," << tenant.token.substr(0, 9) << i << ','
          << tenant.project << ",," << (i == 2 ? stranger.user : tenant.user) << ",,\n";
  lines.close();
  auto const refused = complaint(fleet, {"import-tokens", file});
  CHECK(refused.find("Nothing was imported.") != std::string::npos);
  CHECK(refused.find("line 4") != std::string::npos);
  CHECK(refused.find("line 2") == std::string::npos);
}

TEST_CASE("svcd admin audit fits 120 columns, names projects by their path, and names omitted columns") {
  fleet fleet(1);
  auto const tenant = fleet.make_tenant();
  fleet.admin({"create-token", "--project", tenant.project, "--owner", tenant.user, "--name", std::string(60, 'n')});
  auto const text = printed(fleet, {"audit", "--organization", tenant.organization});
  CHECK(text.find(tenant.project) != std::string::npos);
  CHECK(text.find("cli_token.created") != std::string::npos);
  CHECK(text.ends_with("--json shows ids, tokens, user agents, request ids and whole details.\n"));
  for (auto const& line : lines_of(text)) {
    CAPTURE(line);
    auto const characters =
        std::ranges::count_if(line, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
    CHECK(characters <= 120);
  }
}

TEST_CASE("svcd admin drop-audit lists the partitions that ended before a date, and drops them with --yes") {
  fleet fleet(1);
  fleet.sql(aged_audit_sql);
  auto const dropped = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "drop-audit");
    auto const body = fleet.admin(std::move(arguments));
    auto const& names = body.at("partitions").as_array();
    return (body.at("dropped").as_bool() ? "dropped " : "listed ") +
           (names.empty() ? "none" : text_of(names[0], "/partition"));
  };
  auto const old = [&] { return fleet.sql("SELECT count(*) FROM audit_log WHERE action = 'old'")[0][0]; };
  auto const today = fleet.sql("SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD')")[0][0];
  CHECK(dropped({"--before", "2001-01-01", "--yes"}) == "dropped none");
  CHECK(dropped({"--before", today}) == "listed audit_log_first");
  CHECK(old() == "5");
  // The service's own login is not allowed to do it.
  auto const refused = admin_arguments(fleet, {"drop-audit", "--before", today, "--yes"});
  service denied(refused, {"SVC_POSTGRES_MIGRATE_URL=" + fleet.text("postgresUrl")});
  CHECK(denied.wait() == 1);
  CHECK(denied.err().text() == "svcd: audit_log_first: permission denied for function drop_partition.\n");
  CHECK(old() == "5");
  CHECK(dropped({"--before", today + "T00:00:00Z", "--yes"}) == "dropped audit_log_first");
  CHECK(old() == "0");
  auto const trail = boost::json::serialize(fleet.admin({"audit", "--action", "audit_log.dropped"}));
  CHECK(trail.find("\"partition\":\"audit_log_first\"") != std::string::npos);
  service wrong(admin_arguments(fleet, {"drop-audit", "--before", "yesterday"}), {});
  CHECK(wrong.wait() == 2);
}

}  // namespace
}  // namespace svc::test
