// `svcd admin` on a machine that is slow, and without its stores.
#include "faults.hpp"
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
    std::string setting;
    int code;
    std::vector<std::string> said;
  } const cases[] = {
      {"PostgreSQL",
       make_ada,
       "SVC_POSTGRES_URL=postgresql://svc@" + nobody + "/svc",
       1,
       {"svcd: PostgreSQL", "\"127.0.0.1\", port " + nobody.substr(nobody.find(':') + 1), "Connection refused",
        "(tried for "}},
      {"Redis",
       {"create-token", "--project", tenant.project, "--owner", tenant.user, "--name", "another"},
       "SVC_REDIS_URL=redis://" + nobody,
       0,
       {"svcd: warning: Redis at " + nobody + " is out of reach (tried for ", "Connection refused",
        "The token is stored"}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    service command(admin_arguments(fleet, c.arguments), {c.setting});
    CHECK(command.wait() == c.code);
    CAPTURE(command.err().text());
    for (auto const& part : c.said) CHECK(command.err().text().find(part) != std::string::npos);
  }
}

}  // namespace
}  // namespace svc::test
