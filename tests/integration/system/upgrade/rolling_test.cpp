// Four instances behind HAProxy, with users and runners; each instance is replaced in turn. With TEST_PREVIOUS_SVCD
// (set by `make test-upgrade`) this version replaces the previous one, otherwise itself.
#include "integration/system/balancer.hpp"
#include "integration/system/jobs.hpp"
#include "support/comes_true.hpp"
#include "support/free_port.hpp"
#include "upgrade_checks.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

constexpr std::size_t instances_in_turn = 4;
/// The number of replacements; the long form makes ten rounds: TEST_ROLLS=40.
int const replacements = long_form("TEST_ROLLS", previous_program().empty() ? 2 : 4);
constexpr std::size_t runs_between = 20, sessions_of_each = 8;
constexpr std::chrono::seconds seen_within{20};
constexpr char const* door_name = "any";

/// The instances and HAProxy in front of them. `svcd dev` has the stores, and is not one of the instances.
class balanced_fleet {
 public:
  explicit balanced_fleet(std::string const& program) : stores_(1, {}, program) {
    for (std::size_t i = 0; i < instances_in_turn; ++i) ports_.push_back({free_port(), free_port()});
    for (std::size_t i = 0; i < instances_in_turn; ++i) instances_.push_back(make(i, program));
    balancer_ = std::make_unique<balancer>(ports_, stores_.text("caFile"));
    for (std::size_t i = 0; i < instances_in_turn; ++i) wait_until_reached(i);
  }

  fleet& stores() { return stores_; }
  std::string api_url() const { return balancer_->api_url(); }
  std::string runners_url() const { return balancer_->runners_url(); }
  api_client client(std::string const& token) const { return {api_url(), stores_.text("caFile"), token}; }

  /// Returns the logged answers of the instances that blame the service.
  std::string failures() const {
    auto all = failures_;
    for (std::size_t i = 0; i < instances_.size(); ++i) all += failures_of(i);
    return all;
  }

  std::string log_of(std::size_t which) const { return instances_[which]->process().err().text(); }

  /// Replaces an instance like a service manager does: SIGTERM, wait, start. Returns when HAProxy sends requests to
  /// the new one.
  void replace(std::size_t which, std::string const& name) {
    CHECK(instances_[which]->process().stop() == 0);
    failures_ += failures_of(which);
    instances_[which] = make(which, name);
    wait_until_reached(which);
  }

 private:
  std::unique_ptr<configured_service> make(std::size_t which, std::string const& program) {
    auto const listener = [](int port, std::string const& more) {
      return "[[listeners]]\naddress = '127.0.0.1:" + std::to_string(port) + "'\nproxy_protocol = true\n" + more;
    };
    auto environment = stores_.environment();
    // The delay is longer than HAProxy needs to notice that /readyz fails.
    environment.insert(environment.end(), {"SVC_TRUSTED_PROXIES=127.0.0.1/32", "SVC_DRAIN_DELAY=3s"});
    return std::make_unique<configured_service>(
        stores_.dev(), listener(ports_[which].api, "") + listener(ports_[which].runners, "kind = 'internal'\n"),
        environment, program);
  }
  std::string failures_of(std::size_t which) const {
    std::string found;
    std::istringstream lines(instances_[which]->process().err().text());
    for (std::string line; std::getline(lines, line);)
      if (line.find("\"status\":5") != line.npos && line.find("/readyz") == line.npos)
        found += std::to_string(which) + ": " + line + "\n";
    return found;
  }
  /// Waits until a server is up, because until then HAProxy closes accepted connections.
  void wait_until_reached(std::size_t which) const {
    REQUIRE(comes_true(
        [&] {
          try {
            return reached(which);
          } catch (std::runtime_error const&) {
            return false;
          }
        },
        seen_within));
  }
  /// Returns true if the instance has answered a new session through HAProxy, which sends sessions to the server with
  /// the fewest. The check uses HAProxy's log, because metrics of another version have other names.
  bool reached(std::size_t which) const {
    return client({}).get("/api/health").status == 200 &&
           instances_[which]->process().err().text().find("/api/health") != std::string::npos;
  }

  fleet stores_;
  std::string failures_{};
  std::vector<balanced_ports> ports_{};
  std::vector<std::unique_ptr<configured_service>> instances_{};
  std::unique_ptr<balancer> balancer_{};
};

/// Checks a revocation through all instances, with separate connections, which HAProxy spreads.
void check_revocation(balanced_fleet const& fleet, std::string const& token, int number) {
  auto owner = fleet.client(token);
  auto const made = body_of(owner.post("/api/cli-tokens", R"({"name":"t)" + std::to_string(number) + "\"}"));
  std::vector<api_client> sessions;
  for (std::size_t i = 0; i < sessions_of_each; ++i) sessions.push_back(fleet.client(text_of(made, "/token/key")));
  for (auto& client : sessions) CHECK(client.get("/api/auth/whoami").status == 200);
  CHECK(owner.del("/api/cli-tokens/" + text_of(made, "/token/id")).status == 204);
  for (auto& client : sessions) CHECK(client.get("/api/auth/whoami").status == 401);
}

constexpr int most_of_the_limited = 2;

/// Users and runners in front of HAProxy and four instances.
struct rolled {
  explicit rolled(std::string const& program) : fleet(program) {}

  balanced_fleet fleet;
  tenant owner = fleet.stores().make_tenant();
  upgrade_jobs jobs = make_jobs();
  std::string runner_token =
      text_of(fleet.stores().admin({"create-runner", "--project", owner.project, "--name", "r"}), "/key");
  upgrade_clients clients{fleet.stores(), owner.token, runner_token, jobs};
  std::shared_ptr<upgrade_door> door = clients.open(door_name, fleet.api_url(), fleet.runners_url());

  upgrade_jobs make_jobs() {
    auto client = fleet.client(owner.token);
    return {make_job(client), make_job(client, "\"maxConcurrentRuns\":" + std::to_string(most_of_the_limited)),
            most_of_the_limited};
  }
  void begin() {
    clients.start();
    let_pass(clients, runs_between);
  }
  void replace_in_turn(std::string const& name) {
    for (int i = 0; i < replacements; ++i) {
      CAPTURE(i);
      fleet.replace(static_cast<std::size_t>(i) % instances_in_turn, name);
      check_revocation(fleet, owner.token, i);
      let_pass(clients, runs_between);
    }
  }
  /// Checks the results. `excused`: an answer that is no failure.
  void check(std::string const& excused) {
    finish(clients, fleet.stores());
    check_runs(clients, fleet.stores(), *door, owner.token, most_of_the_limited);
    INFO(fleet.failures());
    check_answers(clients.facts(), {door_name}, excused);
  }
};

TEST_CASE("a rolling restart with HAProxy: no request fails, no run is lost or made twice, a dead token stays dead") {
  auto const first = previous_program().empty() ? service_binary() : previous_program();
  rolled rolled(first);
  rolled.begin();
  // Version 0.1 continues with a newer schema, but does not start with one.
  if (first != service_binary()) migrate(rolled.fleet.stores());
  rolled.replace_in_turn(service_binary());
  // Version 0.1 asks to repeat the cancellation of a run that is ending or being claimed.
  rolled.check(previous_program().empty() ? "" : "cancel any 503 unavailable");
}

/// Does and records the same as the next version's `svcd migrate`, if its file is compatible from that version on.
void migrate_to_next(fleet const& fleet, int version, std::string const& compatible_from) {
  auto const number = std::to_string(version);
  fleet.sql("BEGIN; ALTER TABLE jobs ADD COLUMN next_" + number + " text; CREATE TABLE next_" + number +
            " (id uuid PRIMARY KEY); GRANT SELECT, INSERT ON next_" + number +
            " TO svc_service; INSERT INTO schema_migrations (version, name, checksum, compatible_from) VALUES (" +
            number + ", 'next', repeat('0', 64), " + compatible_from + "); COMMIT");
}

TEST_CASE("rolling back with HAProxy: this version replaces a newer one on its schema, if the schema allows it") {
  rolled rolled(service_binary());
  auto const mine = rolled.fleet.stores().sql("SELECT max(version) FROM schema_migrations")[0][0];
  rolled.begin();
  migrate_to_next(rolled.fleet.stores(), 998, mine);
  let_pass(rolled.clients, runs_between);
  // The newer version differs only in its schema, so this version takes its place.
  rolled.replace_in_turn(service_binary());
  CHECK(rolled.fleet.log_of(0).find("the schema is newer than this svcd, which works with it: V998 next") !=
        std::string::npos);

  migrate_to_next(rolled.fleet.stores(), 999, "999");
  service refused({"serve", "--config", rolled.fleet.stores().text("configFile"), "--listen", "127.0.0.1:0",
                   "--admin", "127.0.0.1:0"},
                  rolled.fleet.stores().environment());
  auto const said = refused.wait_error_line("the database is newer than this program");
  CHECK(said.find("V999 next was applied") != std::string::npos);
  CHECK(refused.err().text().find("\"serving\"") == std::string::npos);
  // The running instances do not notice the migration.
  let_pass(rolled.clients, runs_between);
  rolled.check("");
}

}  // namespace
}  // namespace svc::test
