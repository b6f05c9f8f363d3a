// Heartbeats that come in time while PostgreSQL or all instances stand still, and are repeated until they are
// answered.
#include "heartbeats.hpp"
#include "integration/system/faults/faults.hpp"
#include "support/process_tree.hpp"
#include "support/repeated.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

namespace svc::test {
namespace {

using namespace std::chrono_literals;

constexpr int heartbeat_count = 12;
constexpr auto between_attempts = 1500ms;

struct absence_fixture {
  /// A request that waits for PostgreSQL is answered 503 within a second, as it is after ten with the default.
  fleet all{3, {"SVC_HTTP_DEADLINE=1s"}};
  tenant owner = all.make_tenant();
  std::vector<made_heartbeat> pings{};

  absence_fixture() {
    for (int i = 0; i < heartbeat_count; ++i)
      pings.push_back(make_heartbeat(all, owner, {}, R"("schedule":{"everySeconds":30},"graceSeconds":0)"));
    for (auto const& each : pings) CHECK(all.client(0).get(each.path()).status == 200);
  }

  /// The deadlines are spread over two seconds from now; no absence has been noticed before.
  void plan_deadlines() const {
    all.sql(
        "UPDATE heartbeat_listening SET deaf_from = NULL, deaf_to = NULL;"
        "UPDATE heartbeats h SET due_at = n.at, deadline_at = n.at FROM"
        " (SELECT monitor_id, clock_timestamp() + interval '4 s' + row_number() OVER () * interval '170 ms' AS at"
        " FROM heartbeats) n WHERE n.monitor_id = h.monitor_id");
  }

  /// Sends the heartbeat to one instance after the other until one answers 200.
  void send_until_heard(made_heartbeat const& heartbeat, std::size_t first) const {
    for (std::size_t attempt = first;; ++attempt) {
      try {
        api_client client(all.url(attempt % all.size()), all.text("caFile"), {}, 1s);
        if (client.get(heartbeat.path()).status == 200) return;
      } catch (std::runtime_error const&) {
        // The process stands still.
      }
      std::this_thread::sleep_for(between_attempts);
    }
  }

  /// Sends all heartbeats while the processes stand still for so long.
  void pass(std::vector<pid_t> const& frozen, std::chrono::seconds how_long) const {
    plan_deadlines();
    std::vector<std::unique_ptr<stopped_process>> stopped;
    for (auto const pid : frozen) stopped.push_back(std::make_unique<stopped_process>(pid));
    std::vector<std::thread> clients;
    for (std::size_t i = 0; i < pings.size(); ++i) clients.emplace_back([this, i] { send_until_heard(pings[i], i); });
    std::this_thread::sleep_for(how_long);
    stopped.clear();
    for (auto& each : clients) each.join();
    // Each deadline has now been evaluated, or put off.
    CHECK(comes_true(
        [&] { return all.word("SELECT count(*) FROM heartbeats WHERE deadline_at < now() - interval '4 s'") == "0"; },
        30s));
  }
  std::string outages() const { return all.word("SELECT count(*) FROM outages"); }
};

TEST_CASE(
    "no heartbeat that is repeated until it is received is down after an absence of PostgreSQL or of all instances") {
  absence_fixture db;
  std::vector<pid_t> postgres{db.all.dev().pid_of("postgres")};
  for (auto const child : children_of(postgres.front())) postgres.push_back(child);
  // Shorter than the ten seconds after which an instance counts as gone.
  db.pass(postgres, 6s);
  CHECK(db.outages() == "0");
  db.pass({db.all.dev().pid_of("svcd"), db.all.process(1).pid(), db.all.process(2).pid()}, 7s);
  CHECK(db.outages() == "0");

  // The silence of one is still noticed once it could have been heard.
  db.plan_deadlines();
  for (auto const& each : db.pings) {
    if (&each != &db.pings.front()) CHECK(db.all.client(1).get(each.path()).status == 200);
  }
  CHECK(comes_true([&] { return db.outages() == "1"; }, 30s));
  CHECK(db.all.word("SELECT monitor_id FROM outages") == db.pings.front().id);
}

}  // namespace
}  // namespace svc::test
