// The previous version and this one on one database, through `svcd migrate`. `make test-upgrade` builds the previous
// one and sets TEST_PREVIOUS_SVCD to its svcd; without it there is nothing to test.
#include "integration/system/jobs.hpp"
#include "integration/system/runner.hpp"
#include "upgrade_checks.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

constexpr int most_at_once = 2, revoked_by_each = 5, ended_before = 20'000;

/// Ended runs of another project, so that there is something to move.
void fill_history(fleet const& fleet, std::string const& job) {
  fleet.sql(
      "INSERT INTO runs (id, project_id, job_id, job_name, job_type, status, trigger, triggered_by, tests, "
      "test_count,"
      " timeout_seconds, attempt, claim_id, queued_at, created_at, started_at, completed_at)"
      " SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7000' ||"
      " substr(gen_random_uuid()::text, 20))::uuid, project_id, id, name, job_type, 'passed', 'remote', 'ci', '[]', "
      "0, 60,"
      " 1, gen_random_uuid(), at, at, at, at + interval '1 second' FROM jobs,"
      " LATERAL (SELECT now() - n * interval '1 minute' AS at FROM generate_series(1, " +
      std::to_string(ended_before) + ") n) t WHERE id = '" + job + "'; ANALYZE runs");
}

/// Everything that an upgrade needs, with two instances of the previous version serving.
struct upgrade {
  fleet before{1, {}, previous_program()};
  tenant owner = before.make_tenant();
  upgrade_jobs jobs = make_jobs();
  std::string runner_token =
      text_of(before.admin({"create-runner", "--project", owner.project, "--name", "r"}), "/key");
  configured_service old_one{before.dev(), both_kinds, before.environment(), previous_program()};
  upgrade_clients clients{before, owner.token, runner_token, jobs};
  std::shared_ptr<upgrade_door> old_dev = clients.open("old", before.url(0), "");
  std::shared_ptr<upgrade_door> old_door = open("old", old_one);
  std::unique_ptr<configured_service> new_one{};
  std::shared_ptr<upgrade_door> new_door{};

  upgrade_jobs make_jobs() {
    auto client = before.client(0, owner.token);
    auto const other = before.make_tenant();
    auto by_other = before.client(0, other.token);
    fill_history(before, make_job(by_other));
    return {make_job(client), make_job(client, "\"maxConcurrentRuns\":" + std::to_string(most_at_once)),
            most_at_once};
  }

  std::shared_ptr<upgrade_door> open(std::string const& version, configured_service const& instance) {
    return clients.open(version, "https://" + instance.address(0), "https://" + instance.address(1));
  }

  void start_new() {
    new_one = std::make_unique<configured_service>(before.dev(), both_kinds, before.environment());
    new_door = open("new", *new_one);
  }

  api_client user(upgrade_door const& door, std::string const& token) const {
    return {door.url, before.text("caFile"), token};
  }
};

/// A token that both versions have let in, and that one revokes, is refused by the other at once.
void check_revocations(upgrade const& upgrade, upgrade_door const& door, upgrade_door const& elsewhere,
                       std::string const& name) {
  auto owner = upgrade.user(door, upgrade.owner.token);
  for (int i = 0; i < revoked_by_each; ++i) {
    auto const made = body_of(owner.post("/api/cli-tokens", R"({"name":")" + name + std::to_string(i) + "\"}"));
    auto here = upgrade.user(door, text_of(made, "/token/key")),
         there = upgrade.user(elsewhere, text_of(made, "/token/key"));
    CHECK(here.get("/api/auth/whoami").status == 200);
    CHECK(there.get("/api/auth/whoami").status == 200);
    CHECK(owner.del("/api/cli-tokens/" + text_of(made, "/token/id")).status == 204);
    CHECK(there.get("/api/auth/whoami").status == 401);
    CHECK(here.get("/api/auth/whoami").status == 401);
  }
}

/// Whoever lists while others trigger sees all that was accepted before.
void check_list(upgrade_clients& clients, upgrade_door& door) {
  std::set<std::string> before;
  {
    std::lock_guard const lock(clients.facts().mutex);
    before = clients.facts().accepted;
  }
  bool twice = false;
  auto const listed = clients.list_all(door, twice);
  INFO(door.version, ": ", listed.size(), " listed, ", before.size(), " accepted before");
  CHECK_FALSE(twice);
  CHECK(std::includes(listed.begin(), listed.end(), before.begin(), before.end()));
}

/// It waits for a schema that it knows, without serving.
void check_refused_to_start(fleet const& fleet) {
  service late({"serve", "--config", fleet.text("configFile"), "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"},
               fleet.environment(), previous_program());
  CHECK_NOTHROW(late.wait_error_line("the database is newer than the program"));
  CHECK(late.err().text().find("\"serving\"") == std::string::npos);
}

TEST_CASE("an upgrade: two versions serve while one migrates, and no request fails, no run is lost or made twice" *
          doctest::skip(previous_program().empty()) *
          doctest::description("skipped without TEST_PREVIOUS_SVCD, which `make test-upgrade` sets")) {
  upgrade upgrade;
  upgrade.clients.start();
  let_pass(upgrade.clients, 60);

  auto const began = std::chrono::steady_clock::now();
  migrate(upgrade.before);
  MESSAGE("migrated in " << std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() << " s");
  let_pass(upgrade.clients, 60);
  check_refused_to_start(upgrade.before);

  upgrade.start_new();
  let_pass(upgrade.clients, 60);
  check_revocations(upgrade, *upgrade.old_door, *upgrade.new_door, "old");
  check_revocations(upgrade, *upgrade.new_door, *upgrade.old_door, "new");
  for (auto const& door : {upgrade.old_dev, upgrade.old_door, upgrade.new_door}) check_list(upgrade.clients, *door);
  let_pass(upgrade.clients, 60);

  upgrade_clients::close(*upgrade.old_door);
  CHECK(upgrade.old_one.process().stop() == 0);
  // It stays for its stores, without users.
  upgrade_clients::close(*upgrade.old_dev);
  let_pass(upgrade.clients, 60);

  finish(upgrade.clients, upgrade.before);
  CHECK(upgrade.clients.facts().keyed.size() > 20);
  check_runs(upgrade.clients, upgrade.before, *upgrade.new_door, upgrade.owner.token, upgrade.jobs.limit);
  // The previous version asks to repeat the cancellation of a run that ends or is claimed at that moment.
  check_answers(upgrade.clients.facts(), {"old", "new"}, "cancel old 503 unavailable");
}

}  // namespace
}  // namespace svc::test
