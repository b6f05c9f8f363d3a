// The messages of the service for a new operator who makes a usual mistake during the first setup.
#include "integration/system/faults/faults.hpp"
#include "support/free_port.hpp"
#include "support/private_redis.hpp"

#include <sys/stat.h>

namespace svc::test {
namespace {

std::string const& configuration_file() {
  static std::string const file = shared_fleet().text("configFile");
  return file;
}

TEST_CASE("the admin listener answers an unknown path with the paths that it has") {
  auto const got = shared_fleet().pages(0).get("/healthz");
  CHECK(got.status == 404);
  CHECK(got.body.find("/metrics, /livez, /readyz, /readyz?verbose and /debug/config") != std::string::npos);
}

TEST_CASE("a runner that reaches the public listener learns that it needs the internal one") {
  auto const user = shared_fleet().make_tenant();
  auto const made =
      shared_fleet().admin({"create-runner", "--organization", user.organization, "--name", "first-day"});
  auto const got = shared_fleet().client(0, text_of(made, "/key")).post("/internal/v1/claims", "{}");
  CHECK(got.body.find("the address of a listener with kind = \\\"internal\\\"") != std::string::npos);
  auto const known_route = shared_fleet().client(0, text_of(made, "/key")).get("/api/auth/whoami");
  CHECK(code_of(known_route) == "invalid_token");
  CHECK(known_route.body.find("the address of a listener with kind = \\\"internal\\\"") != std::string::npos);
}

TEST_CASE("a limit of open files that leaves no room for clients prevents the start and names the number needed") {
  service instance({"-c", "ulimit -n 64; exec " + service_binary() + " serve --config " + configuration_file() +
                              " --listen 127.0.0.1:0 --admin 127.0.0.1:0"},
                   {"SVC_WORKERS=1"}, "/bin/sh");
  CHECK(instance.wait() == 1);
  auto const said = instance.err().text();
  CHECK(said.find("the limit of open files is 64, but at least ") != std::string::npos);
  CHECK(said.find("set LimitNOFILE in the unit, or ulimit -n") != std::string::npos);
}

TEST_CASE("the log warns of a Redis that evicts and of a master key that everybody may read") {
  private_redis const redis({.arguments = {"--maxmemory-policy", "allkeys-lru"}});
  temporary_directory const files;
  auto const key = files.path() + "/key";
  std::filesystem::copy_file(shared_fleet().text("dataDir") + "/master.key", key);
  REQUIRE(::chmod(key.c_str(), 0644) == 0);
  service instance({"serve", "--config", configuration_file(), "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"},
                   {"SVC_REDIS_URL=" + redis.url(), "SVC_MASTER_KEY_FILE=" + key, "SVC_WORKERS=1"});
  auto const line = instance.wait_error_line("Redis evicts keys when its memory is full");
  CHECK(line.find("allkeys-lru") != std::string::npos);
  CHECK(line.find("CONFIG SET maxmemory-policy noeviction") != std::string::npos);
  CHECK(instance.wait_error_line("the master key is not kept secret").find("chmod 0640 " + key) != std::string::npos);
}

TEST_CASE(
    "the log says that the eviction policy of a connected Redis changed, once for each policy, and that it is good "
    "again") {
  private_redis const redis;
  service instance({"serve", "--config", configuration_file(), "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"},
                   {"SVC_REDIS_URL=" + redis.url(), "SVC_WORKERS=1", "SVC_FAILPOINTS=background.hurry=delay:0"});
  instance.wait_error_line("Redis is trusted");
  for (auto const* const policy : {"allkeys-lru", "volatile-ttl"}) {
    REQUIRE(redis.ask({"CONFIG", "SET", "maxmemory-policy", policy}) == "OK");
    instance.wait_error_line("\"maxmemoryPolicy\":\"" + std::string(policy) + "\"");
  }
  REQUIRE(redis.ask({"CONFIG", "SET", "maxmemory-policy", "noeviction"}) == "OK");
  instance.wait_error_line("Redis keeps its keys again");
  auto const log = instance.err().text();
  std::size_t warnings = 0;
  for (auto position = log.find("maxmemoryPolicy"); position != log.npos;
       position = log.find("maxmemoryPolicy", position + 1))
    ++warnings;
  CHECK(warnings == 2);
}

TEST_CASE("svcd admin names missing members and the roles of a scope, with the command that helps") {
  auto const user = shared_fleet().make_tenant();
  auto const stranger = shared_fleet().make_tenant();
  temporary_directory const files;
  struct {
    std::vector<std::string> words;
    std::string said;
  } const cases[] = {
      {{"create-token", "--project", user.project, "--owner", stranger.user, "--name", "x"},
       stranger.user + " is not a member of the organization: svcd admin add-member --organization ORG --user " +
           stranger.user},
      {{"add-member", "--project", user.project, "--user", user.user, "--role", "org_member"},
       "--role must be project_admin, project_editor or project_viewer with --project, not org_member."},
      {{"add-member", "--organization", user.organization, "--user", user.user, "--role", "project_viewer"},
       "--role must be org_owner, org_admin or org_member with --organization, not project_viewer."},
      {{"revoke-runner", "r"}, "'r' is not the id of a runner token. svcd admin list-runners shows ids.\n"},
      {{"revoke-token", "nope"}, "'nope' is not the id of a token.\n"},
      {{"revoke-tokens", files.write("ids", "# ended\n\nnope\n")},
       "Nothing was revoked.\n  line 3: 'nope' is not the id of a token, a trigger key or a runner token\n"},
      {{"revoke-tokens", files.write("secrets", "svc_live_0123456789abcdef\n")},
       "line 1: a token itself is not the id"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.said);
    auto words = c.words;
    words.insert(words.begin(), "admin");
    words.insert(words.end(), {"--config", configuration_file()});
    service command(words);
    CHECK(command.wait() == 1);
    CHECK(command.err().text().find(c.said) != std::string::npos);
  }
}

}  // namespace
}  // namespace svc::test
