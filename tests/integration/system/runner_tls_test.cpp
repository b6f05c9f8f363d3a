// svc-runner itself against the service's own internal listener, over TLS with a private CA.
#include "integration/system/runner.hpp"
#include "support/fleet.hpp"
#include "support/free_port.hpp"
#include "support/throwaway_ca.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <filesystem>
#include <memory>

namespace svc::test {
namespace {

std::string runner_binary() {
  return (std::filesystem::path(service_binary()).parent_path() / "svc-runner").string();
}

struct yard {
  yard() : entry(fleet.dev(), both_kinds), user("https://" + entry.address(0), fleet.text("caFile"), tenant.token) {
    auto const made = fleet.admin({"create-runner", "--project", tenant.project, "--name", "over TLS"});
    token_id = text_of(made, "/id");
    token = text_of(made, "/key");
    directory.write("token", text_of(made, "/key"));
    ::chmod((directory.path() + "/token").c_str(), 0600);
    // Scripts run as separate users, who must be able to reach their directories.
    ::chmod(directory.path().c_str(), 0711);
  }

  /// `ca_file`: empty for the system's CAs.
  std::unique_ptr<service> runner(std::string const& ca_file) {
    auto const file = directory.write("runner.toml", "url = 'https://" + entry.address(1) + "'\nca_file = '" +
                                                         ca_file + "'\ntoken_file = '" + directory.path() +
                                                         "/token'\nlabels = ['command']\nwork_dir = '" +
                                                         directory.path() + "/work'\n");
    return std::make_unique<service>(std::vector<std::string>{"--config", file}, std::vector<std::string>{},
                                     runner_binary());
  }
  std::string trigger(std::string const& script) {
    auto const test = user.post("/api/tests", boost::json::serialize(boost::json::object{
                                                  {"title", "t"}, {"type", "command"}, {"script", script}}));
    auto const run = user.post("/api/tests/" + text_of(body_of(test), "/id") + "/execute");
    return text_of(body_of(run), "/id");
  }
  /// Waits for the run's end.
  std::string status(std::string const& run) {
    return text_of(body_of(user.get("/api/runs/" + run + "?wait=50")), "/status");
  }

  class fleet& fleet = shared_fleet();
  tenant tenant = fleet.make_tenant();
  configured_service entry;
  api_client user;
  temporary_directory directory;
  std::string token_id, token;
};

constexpr char const* endless = "trap '' TERM; while :; do echo still here; sleep 0.2; done";

TEST_CASE("svc-runner executes and cancels over TLS with a private CA") {
  yard yard;
  auto const runner = yard.runner(yard.fleet.text("caFile"));
  runner->wait_error_line("\"registered\"");
  auto const passes = yard.trigger("echo over $((40 + 2)); exit 0");
  CHECK(yard.status(passes) == "passed");
  CHECK(yard.user.get("/api/runs/" + passes + "/output").body.find("over 42") != std::string::npos);

  auto const stays = yard.trigger(endless);
  runner->wait_error_line(stays);
  auto const before = std::chrono::steady_clock::now();
  CHECK(yard.user.post("/api/runs/" + stays + "/cancel").status == 202);
  CHECK(yard.status(stays) == "cancelled");
  auto const took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - before);
  MESSAGE("from the request to cancel to the run's end: " << took.count() << " ms");
  // Two seconds are promised, on a quiet machine.
  CHECK(took < std::chrono::seconds(10));
  CHECK(runner->stop() == 0);
}

TEST_CASE("svc-runner refuses a certificate that it does not trust, and says so") {
  yard yard;
  auto const other = yard.directory.write("other.pem", make_throwaway_ca("DNS:localhost,IP:127.0.0.1").authority);
  for (auto const& ca_file : {other, std::string()}) {
    CAPTURE(ca_file);
    auto const runner = yard.runner(ca_file);
    CHECK(runner->wait() == 1);
    auto const said = runner->err().text();
    CAPTURE(said);
    CHECK(said.find("the certificate of " + yard.entry.address(1) + " is not trusted: ") != std::string::npos);
    CHECK(said.find("ca_file must hold the authority that signed it") != std::string::npos);
    CHECK(said.find("\"registered\"") == std::string::npos);
  }
}

TEST_CASE("svc-runner --check-config --connect asks the service, and reports problems of address and token") {
  yard place;
  auto const ca_file = place.fleet.text("caFile");
  auto const said = [&](std::string const& url, std::string const& token, int code) {
    auto const file = place.directory.write(
        "connect.toml", "url = '" + url + "'\nca_file = '" + ca_file + "'\ntoken = '" + token +
                            "'\nlabels = ['command']\nwork_dir = '" + place.directory.path() + "/work'\n");
    service command({"--check-config", "--connect", "--config", file}, {}, runner_binary());
    CHECK(command.wait() == code);
    return code == 0 ? command.out().text() : command.err().text();
  };
  auto const internal = place.entry.address(1);
  auto const token = place.token;
  CHECK(
      said("https://" + internal, token, 0).ends_with("the service at https://" + internal + " accepts the token\n"));
  CHECK(said("https://" + place.entry.address(0), token, 1).find("kind = \"internal\"") != std::string::npos);
  CHECK(said("https://" + internal, "svc_runner_" + std::string(43, 'x'), 1).find("does not accept the token") !=
        std::string::npos);
  CHECK(said("http://" + internal, token, 1).find("url must begin with https://") != std::string::npos);
  CHECK(said("https://127.0.0.1:" + std::to_string(free_port()), token, 1).find("start the service there") !=
        std::string::npos);
  CHECK(place.fleet.sql("SELECT count(*) FROM executors WHERE token_id = '" + place.token_id + "'")[0][0] == "0");
}

TEST_CASE("a runner whose token is revoked during a run ends and says why") {
  yard yard;
  auto const runner = yard.runner(yard.fleet.text("caFile"));
  auto const run = yard.trigger(endless);
  runner->wait_error_line(run);
  yard.fleet.admin({"revoke-runner", yard.token_id});
  CHECK(runner->wait() == 1);
  auto const said = runner->err().text();
  CAPTURE(said);
  CHECK(said.find("the service does not accept the token: ") != std::string::npos);
  CHECK(std::filesystem::is_empty(yard.directory.path() + "/work"));
}

}  // namespace
}  // namespace svc::test
