#include "faults.hpp"
#include "integration/system/jobs.hpp"
#include "support/together.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>

namespace svc::test {
namespace {

int const triggers = long_form("TEST_TRIGGERS", 500), keys = triggers / 5;
/// The number of senders in a campaign with kills; without kills, all triggers are sent at once.
constexpr int senders = 64;
constexpr seconds kill_patience{120};
int const rounds_of_kills = triggers >= 5000 ? 3 : 1;

std::string key_of(int trigger) {
  return "key-" + std::to_string(trigger % keys);
}

/// The clients' knowledge about a key: the runs that were acknowledged to them.
struct recorder {
  std::mutex mutex{};
  std::map<std::string, std::set<std::string>> reported{};
  std::atomic<int> answered = 0, retried = 0, others = 0;

  /// Returns true if the trigger is acknowledged, so that its sender is done.
  bool hear(int trigger, answer const& got) {
    if (got.status == 202) {
      std::lock_guard const lock(mutex);
      reported[key_of(trigger)].insert(text_of(body_of(got), "/data/runId"));
      ++answered;
      return true;
    }
    if (got.status != 503 && got.status != 409) ++others;
    return false;
  }
};

bool try_once(api_client& client, std::string const& path, int trigger, recorder& into) {
  try {
    return into.hear(trigger, client.call("POST", path, {}, {{"Idempotency-Key", key_of(trigger)}}));
  } catch (std::runtime_error const&) {
    return false;  // Nobody knows whether the request was executed.
  }
}

/// Sends a trigger until it is acknowledged, as a client with a key may.
void insist_on(api_client& client, std::string const& path, int trigger, recorder& into) {
  while (!try_once(client, path, trigger, into)) {
    ++into.retried;
    std::this_thread::sleep_for(milliseconds(20));
  }
}

/// Does the same, but tries the next instance when one fails.
void insist(fleet& fleet, std::mutex& instances, std::string const& path, std::string const& token, int trigger,
            recorder& into) {
  for (int attempt = 0;; ++attempt) {
    auto client = [&] {
      std::lock_guard const lock(instances);
      return fleet.client(static_cast<std::size_t>(trigger + attempt) % fleet.size(), token);
    }();
    if (try_once(client, path, trigger, into)) return;
    ++into.retried;
    std::this_thread::sleep_for(milliseconds(20));
  }
}

/// Keyed triggers over all instances, with kills meanwhile.
struct triggering {
  svc::test::fleet fleet{static_cast<std::size_t>(long_form("TEST_INSTANCES", 2)), {}};
  tenant tenant = fleet.make_tenant();
  api_client owner = fleet.client(0, tenant.token);
  std::string job = make_job(owner);
  trigger_key key = make_key(owner, job, "k");
  recorder record{};
  std::mutex instances{};

  /// Calls `kill` `kills` times, each time after a further share of the triggers has been answered.
  void run(int kills, std::function<void(int)> const& kill) {
    std::thread load([&] {
      together(senders, [&](int sender) {
        for (int i = sender; i < triggers; i += senders)
          insist(fleet, instances, trigger_path(job), key.key, i, record);
      });
    });
    for (int i = 0; i < kills; ++i) {
      int const part = triggers * (i + 1) / (kills + 2);
      CHECK(comes_true([&] { return record.answered >= part; }, kill_patience));
      CHECK(record.answered < triggers);
      kill(i);
    }
    load.join();
  }

  void kill_instance(int which) {
    fleet.process(static_cast<std::size_t>(which)).kill();
    std::lock_guard const lock(instances);
    fleet.restart(static_cast<std::size_t>(which));
  }

  std::string count(std::string const& subject) { return fleet.sql("SELECT count(*) FROM " + subject)[0][0]; }

  void check() {
    CHECK(record.answered == triggers);
    CHECK(record.others == 0);
    std::map<std::string, std::set<std::string>> stored;
    for (auto const& row : fleet.sql("SELECT key, run_id FROM idempotency_keys WHERE job_id = '" + job + "'"))
      stored[row[0]].insert(row[1]);
    CHECK(record.reported.size() == keys);
    CHECK(record.reported == stored);
    auto const all = std::to_string(keys);
    CHECK(count("runs WHERE job_id = '" + job + "'") == all);
    CHECK(count("audit_log WHERE action = 'job.triggered' AND resource_id = '" + job + "'") == all);
    CHECK(count("runs r JOIN audit_log a ON a.details->>'run' = r.id::text WHERE r.job_id = '" + job + "'") == all);
  }
};

TEST_CASE("triggers at one moment: each key makes one run, and all its answers name that run") {
  triggering at_once;
  std::vector<api_client> clients;
  for (int i = 0; i < triggers; ++i) {
    clients.push_back(at_once.fleet.client(static_cast<std::size_t>(i) % at_once.fleet.size(), at_once.key.key));
    REQUIRE(clients.back().get("/livez").status == 200);
  }
  together(triggers, [&](int i) {
    insist_on(clients[static_cast<std::size_t>(i)], trigger_path(at_once.job), i, at_once.record);
  });
  at_once.check();
  MESSAGE(triggers << " triggers at once with " << keys << " keys; " << at_once.record.retried.load()
                   << " sent again");
}

TEST_CASE("the set checker sees a key that was forgotten between its two triggers") {
  auto& fleet = shared_fleet();
  auto client = fleet.client(0, fleet.make_tenant().token);
  auto const job = make_job(client);
  client.use(make_key(client, job, "k").key);
  recorder record;
  REQUIRE(try_once(client, trigger_path(job), 0, record));
  fleet.sql("DELETE FROM idempotency_keys WHERE job_id = '" + job + "'");
  REQUIRE(try_once(client, trigger_path(job), 0, record));
  CHECK(record.reported.at(key_of(0)).size() == 2);
}

TEST_CASE("killed between a keyed trigger's COMMIT and its answer: the retry returns that run") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto const dying = fleet.beside({});
  auto client = fleet.client(0, tenant.token);
  auto const job = make_job(client);
  header_list const once{{"Idempotency-Key", "once"}};
  CHECK(api_client(dying->admin_url(), {}, {}).post("/debug/failpoints", "trigger.after_commit=exit").status == 200);
  api_client doomed(dying->url(), fleet.text("caFile"), tenant.token);
  CHECK_THROWS(doomed.call("POST", trigger_path(job), {}, once));
  CHECK(dying->process().wait() != 0);
  auto const made = fleet.sql("SELECT id FROM runs WHERE job_id = '" + job + "'");
  REQUIRE(made.size() == 1);
  auto const again = client.call("POST", trigger_path(job), {}, once);
  CHECK(again.status == 202);
  CHECK(again.header("idempotent-replayed") == "true");
  CHECK(text_of(body_of(again), "/data/runId") == made[0][0]);
}

TEST_CASE("kill -9 of instances during keyed triggers: no acknowledged run is lost, no key has two") {
  triggering among;
  int const others = static_cast<int>(among.fleet.size()) - 1;
  among.run(rounds_of_kills * others, [&](int i) { among.kill_instance(1 + i % others); });
  among.check();
}

TEST_CASE("kill -9 of PostgreSQL during keyed triggers: no acknowledged run is lost, no key has two") {
  triggering among;
  auto const origin = restarted_store::of(among.fleet.dev().pid_of("postgres"));
  std::optional<restarted_store> again;
  among.run(rounds_of_kills, [&](int i) {
    if (i == 0) {
      kill_store(among.fleet, "postgres");
    } else {
      again.reset();
      await_left(origin.directory);
    }
    again.emplace(origin);
  });
  among.check();
}

}  // namespace
}  // namespace svc::test
