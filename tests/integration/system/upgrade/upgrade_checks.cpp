#include "upgrade_checks.hpp"

#include "support/comes_true.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

namespace svc::test {
namespace {

constexpr std::chrono::seconds upgrade_patience{90};

}  // namespace

std::string previous_program() {
  char const* const path = std::getenv("TEST_PREVIOUS_SVCD");
  return path == nullptr ? "" : path;
}

void migrate(fleet const& fleet) {
  service command({"migrate", "--config", fleet.text("configFile")}, fleet.environment());
  int const code = command.wait();
  CHECK_MESSAGE(code == 0, command.err().text());
}

void let_pass(upgrade_clients& clients, std::size_t runs) {
  auto const wanted = clients.accepted() + runs;
  REQUIRE(comes_true([&] { return clients.accepted() >= wanted; }, upgrade_patience));
}

void finish(upgrade_clients& clients, fleet const& fleet) {
  clients.finish_users();
  CHECK(comes_true([&] { return fleet.sql("SELECT count(*) FROM run_queue")[0][0] == "0"; }, upgrade_patience));
  clients.finish();
}

void check_runs(upgrade_clients& clients, fleet const& fleet, upgrade_door& door, std::string const& token,
                std::int64_t most_at_once) {
  bool twice = false;
  auto const listed = clients.list_all(door, twice);
  auto& facts = clients.facts();
  for (auto const& subject : facts.broken) FAIL_CHECK(subject);
  CHECK(facts.most_at_once > 0);
  CHECK(facts.most_at_once <= most_at_once);
  CHECK_FALSE(twice);
  CHECK(listed == facts.accepted);
  for (auto const& [key, runs] : facts.keyed) CHECK_MESSAGE(runs.size() == 1, key);
  api_client client(door.url, fleet.text("caFile"), token);
  for (auto const& run : facts.accepted) {
    INFO("run ", run);
    auto const shown = body_of(client.get("/api/runs/" + run));
    auto const reported = facts.reported.find(run);
    CHECK(text_of(shown, "/status") == (reported == facts.reported.end() ? "cancelled" : reported->second));
    if (reported == facts.reported.end()) continue;
    CHECK(shown.at("attempt") == 1);
    CHECK(facts.claimed[run].size() == 1);
    CHECK(text_of(shown, "/tests/0/status") == reported->second);
    CHECK(client.get("/api/runs/" + run + "/output").body.find("by ") != std::string::npos);
  }
}

void check_answers(upgrade_facts const& facts, std::vector<std::string> const& versions, std::string const& excused) {
  std::string failed;
  for (auto const& [content, times] : facts.answers) {
    MESSAGE(content << ": " << times);
    if (content != excused && (content.find(" 5") != content.npos || content.find(" 0 ") != content.npos))
      failed += content + "\n";
  }
  CHECK(failed == "");
  for (auto const* subject :
       {"trigger", "keyed trigger", "claim", "result", "result again", "cancel", "read", "list"})
    for (auto const& version : versions) {
      auto const name = std::string(subject) + " " + version + " 20";
      auto const found = facts.answers.lower_bound(name);
      CHECK_MESSAGE((found != facts.answers.end() && found->first.starts_with(name)), name);
    }
}

}  // namespace svc::test
