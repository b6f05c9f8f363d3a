// `svcd admin` on a machine that is slow, and without its stores.
#include "faults.hpp"
#include "support/aged_audit.hpp"
#include "support/free_port.hpp"

namespace svc::test {
namespace {

std::vector<std::string> admin_arguments(fleet const& in, std::vector<std::string> what) {
  what.insert(what.begin(), "admin");
  what.insert(what.end(), {"--config", in.text("configFile"), "--json"});
  return what;
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
       {"svcd: warning: Redis at " + nobody + " is out of reach (tried for ", "Connection refused",
        "The token is stored"}},
      {"sentinels",
       {"create-token", "--project", tenant.project, "--owner", tenant.user, "--name", "a third"},
       {"SVC_REDIS_URL=", "SVC_REDIS_MODE=sentinel", "SVC_REDIS_SENTINELS=" + nobody,
        "SVC_REDIS_SENTINEL_MASTER=main"},
       0,
       {"svcd: warning: Redis at main as named by " + nobody + " is out of reach (tried for ",
        "no primary found: " + nobody + ": connect: Connection refused", "The token is stored"}},
      {"cluster",
       {"create-token", "--project", tenant.project, "--owner", tenant.user, "--name", "a fourth"},
       {"SVC_REDIS_URL=", "SVC_REDIS_MODE=cluster", "SVC_REDIS_NODES=" + nobody},
       0,
       {"svcd: warning: Redis at the nodes " + nobody + " is out of reach (tried for ",
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

TEST_CASE("svcd admin drop-audit lists the partitions that ended before a date, and drops them if it is told to") {
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
  // The service's own login may not.
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
