#include "faults.hpp"
#include "integration/system/jobs.hpp"
#include "integration/system/overload/worker_connections.hpp"
#include "support/decisions.hpp"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

namespace svc::test {
namespace {

constexpr milliseconds at_most{500}, local_within{3000}, shared_within{3000};
constexpr int trigger_limit = 20;

/// Returns the number of commands with these names that arrived, by Redis's own count; including refused ones.
long long calls_of(fleet const& fleet, std::vector<std::string> const& names) {
  long long count = 0;
  std::istringstream lines(fleet.redis({"INFO", "commandstats"}));
  for (std::string line; std::getline(lines, line);) {
    for (auto const& name : names) {
      if (!line.starts_with("cmdstat_" + name + ":")) continue;
      for (std::string const field : {":calls=", ",rejected_calls="}) {
        auto const position = line.find(field);
        if (position != std::string::npos) count += std::atoll(line.c_str() + position + field.size());
      }
    }
  }
  return count;
}

/// Returns the number of commands caused by requests. In addition, each worker updates the ledger of live output
/// every second.
long long asked_of_redis(fleet const& fleet) {
  return calls_of(fleet, {"evalsha", "eval", "mget"});
}

/// The durations of requests, in order.
class latencies {
 public:
  /// Makes one use of each connection, which must be let in.
  void measure(std::vector<api_client>& connections) {
    for (auto& connection : connections) {
      auto const start = clock::now();
      auto const got = connection.get("/api/auth/whoami");
      all_.push_back(std::chrono::duration_cast<milliseconds>(clock::now() - start));
      CHECK_MESSAGE(got.status == 200, got.body);
    }
  }
  std::size_t count() const { return all_.size(); }
  milliseconds p99() {
    std::sort(all_.begin(), all_.end());
    return all_.at(all_.size() * 99 / 100);
  }

 private:
  std::vector<milliseconds> all_{};
};

constexpr milliseconds known_within{100};

TEST_CASE("Redis stopped for 10 s: every answer is in time, and only probes wait for it") {
  constexpr seconds stopped{10};
  // Five misses open a worker's breaker; the relay may miss in addition.
  constexpr int spent_by_worker = 10;
  fleet fleet(2, default_deadlines);
  auto const tenant = fleet.make_tenant();
  auto connections = connections_of(fleet, tenant.token);
  for (int i = 0; i < 3; ++i) REQUIRE(whoami(connections) == "200");
  auto const traffic = [&] {
    for (auto& connection : connections) check_passes(connection, at_most);
  };
  auto const before = asked_of_redis(fleet);
  latencies open;
  {
    stopped_process const redis(fleet.dev().pid_of("redis"));
    auto const end = clock::now() + stopped;
    CHECK(limits_become(fleet, "local", local_within, traffic));
    while (clock::now() < end) {
      open.measure(connections);
      std::this_thread::sleep_for(milliseconds(10));
    }
    for (std::size_t i = 0; i < fleet.size(); ++i) CHECK(limits_of(fleet, i) == "local");
  }
  auto const spent = asked_of_redis(fleet) - before;
  auto const most = static_cast<long long>(connections.size()) * spent_by_worker;
  CHECK(spent <= most);
  CHECK(open.count() > 2 * static_cast<std::size_t>(most));
  CHECK(open.p99() <= known_within);
  CHECK(limits_become(fleet, "shared", shared_within, traffic));
  MESSAGE(spent << " commands for " << open.count() << " requests, p99 " << open.p99().count() << " ms");
}

TEST_CASE(
    "Redis out of memory: one probe every 200 ms per worker, no command of a request, and no known token waits") {
  constexpr milliseconds probed_each{200}, observed{2000};
  fleet fleet(2, default_deadlines);
  auto const tenant = fleet.make_tenant();
  auto connections = connections_of(fleet, tenant.token);
  fleet.redis({"CONFIG", "SET", "maxmemory", "1"});
  CHECK(limits_become(fleet, "local", local_within, [&] {
    for (auto& connection : connections) check_passes(connection, at_most);
  }));
  auto const asked = asked_of_redis(fleet), roles = calls_of(fleet, {"role"}), writes = calls_of(fleet, {"set"});
  auto const start = clock::now();
  latencies open;
  while (clock::now() < start + observed) open.measure(connections);
  auto const intervals = (clock::now() - start) / probed_each + 1;
  auto const most = static_cast<long long>(workers_of(fleet)) * intervals;
  auto const reported = static_cast<long long>(workers_of(fleet)) * (observed / std::chrono::seconds(1) + 1);
  CHECK(asked_of_redis(fleet) - asked <= reported);
  CHECK(open.count() > 10 * static_cast<std::size_t>(reported));
  auto const probes = calls_of(fleet, {"role"}) - roles;
  CHECK(probes > 0);
  CHECK(probes <= most);
  CHECK(calls_of(fleet, {"set"}) - writes <= most);
  CHECK(open.p99() <= known_within);
  MESSAGE(probes << " probes for " << open.count() << " requests, p99 " << open.p99().count() << " ms");
}

/// Returns the number of admitted triggers of a key, tried on each instance until well beyond its limit.
int use_up(std::vector<api_client>& instances, std::string const& path) {
  int admitted = 0;
  for (auto& instance : instances) {
    for (int i = 0; i < trigger_limit + 5; ++i) {
      auto const got = instance.post(path);
      bool const expected = got.status == 202 || code_of(got) == "rate_limited";
      CHECK_MESSAGE(expected, got.body);
      if (got.status == 202) ++admitted;
    }
  }
  return admitted;
}

/// Makes saving fail, so that Redis refuses writes.
void break_saving(fleet const& fleet, std::string const& directory) {
  std::filesystem::permissions(directory, std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  fleet.redis({"CONFIG", "SET", "save", "3600 1"});
  fleet.redis({"BGSAVE"});
  CHECK(comes_true(
      [&] { return fleet.redis({"INFO", "persistence"}).find("rdb_last_bgsave_status:err") != std::string::npos; },
      patience));
  CHECK(fleet.redis({"SET", "a", "b"}).starts_with("-MISCONF"));
}

void mend_saving(fleet const& fleet, std::string const& directory) {
  fleet.redis({"CONFIG", "SET", "save", ""});
  std::filesystem::permissions(directory, std::filesystem::perms::owner_all);
}

/// Restarts Redis with its data; it reads one key every 200 ms and answers LOADING meanwhile.
void load_slowly(fleet const& fleet, restarted_store::origin slow, std::optional<restarted_store>& again) {
  for (int i = 0; i < 100; ++i) fleet.redis({"SET", "filler" + std::to_string(i), std::string(100, 'x')});
  auto const saved = fleet.redis({"SAVE"});
  CHECK(saved == "OK");
  again.reset();
  for (auto const* word : {"--key-load-delay", "200000", "--loading-process-events-interval-bytes", "1024"})
    slow.arguments.emplace_back(word);
  again.emplace(slow);
  auto const loads = [&] {
    try {
      return fleet.redis({"PING"}).starts_with("-LOADING");
    } catch (std::runtime_error const&) {
      return false;  // Redis does not listen yet.
    }
  };
  CHECK(comes_true(loads, patience));
}

/// Two instances with a job, and connections to all workers. The connections keep asking while Redis is lost and
/// returns.
struct asked_instances {
  void become(std::string const& limits, milliseconds within) {
    CHECK(limits_become(both, limits, within, [&] {
      for (auto& connection : connections) check_passes(connection, at_most);
    }));
  }
  /// Returns a client for each instance with that key.
  std::vector<api_client> clients(std::string const& key) const {
    std::vector<api_client> out;
    for (std::size_t i = 0; i < both.size(); ++i) out.push_back(both.client(i, key));
    return out;
  }

  fleet both{2, default_deadlines};
  tenant const user = both.make_tenant();
  api_client owner = both.client(0, user.token);
  std::string const job = make_job(owner);
  std::vector<api_client> connections = connections_of(both, user.token);
};

TEST_CASE(
    "Redis stopped, killed, full, read-only, unable to save, loading: local windows in bounds, then shared ones") {
  asked_instances all;
  auto& fleet = all.both;
  auto const origin = redis_origin(fleet);
  std::optional<restarted_store> again;
  std::optional<stopped_process> stopped;
  struct {
    std::string name;
    std::function<void()> lose, restore;
    int windows;  ///< the number of windows that an interval may contain: shared, local, and one that returned
                  ///< without data
  } const faults[] = {
      {"out of memory", [&] { fleet.redis({"CONFIG", "SET", "maxmemory", "1"}); },
       [&] { fleet.redis({"CONFIG", "SET", "maxmemory", "512mb"}); }, 2},
      // No server listens on port 1.
      {"read-only", [&] { fleet.redis({"REPLICAOF", "127.0.0.1", "1"}); },
       [&] { fleet.redis({"REPLICAOF", "NO", "ONE"}); }, 2},
      {"stopped", [&] { stopped.emplace(fleet.dev().pid_of("redis")); }, [&] { stopped.reset(); }, 2},
      {"unable to save", [&] { break_saving(fleet, origin.directory); },
       [&] { mend_saving(fleet, origin.directory); }, 2},
      {"killed, and back without its data", [&] { kill_store(fleet, "redis"); }, [&] { again.emplace(origin); }, 3},
      {"loading its data", [&] { load_slowly(fleet, origin, again); },
       [&] {
         again.reset();
         again.emplace(origin);
       },
       2},
  };
  for (auto const& fault : faults) {
    CAPTURE(fault.name);
    std::vector<api_client> by_key;
    int shared = 0;
    // If the machine stood still, an instance has decided locally. Then the test tries again with another key.
    bool by_itself = true;
    for (int tries = 1; by_itself && tries <= 3; ++tries) {
      auto const key = make_key(all.owner, all.job, fault.name + " " + std::to_string(tries),
                                R"("rateLimit":{"limit":20,"windowSeconds":120})");
      by_key = all.clients(key.key);
      all.become("shared", shared_within);
      shared = use_up(by_key, trigger_path(all.job));
      by_itself = std::ranges::any_of(read_decisions(fleet.decision_log(), key.id, "trigger"),
                                      [](auto const& d) { return d.where != "shared"; });
    }
    CHECK(shared == trigger_limit);

    fault.lose();
    all.become("local", local_within);
    int const local = use_up(by_key, trigger_path(all.job));
    CHECK(local > 0);

    fault.restore();
    all.become("shared", shared_within);
    int const after = use_up(by_key, trigger_path(all.job));
    CHECK(shared + local + after <= fault.windows * trigger_limit + static_cast<int>(fleet.size()));
    MESSAGE(fault.name << ": " << shared << " shared, " << local << " local, " << after << " after");
  }
}

TEST_CASE("Redis is lost repeatedly: a window counts once locally, and once more for each return without data") {
  constexpr int times = 3;
  asked_instances all;
  auto& fleet = all.both;
  auto const origin = redis_origin(fleet);
  std::optional<restarted_store> again;
  std::optional<stopped_process> stopped;
  struct {
    std::string name;
    std::function<void()> lose, restore;
    int empty_returns;
  } const faults[] = {
      {"it keeps its data", [&] { stopped.emplace(fleet.dev().pid_of("redis")); }, [&] { stopped.reset(); }, 0},
      {"it comes back without its data",
       [&] {
         if (again)
           again.reset();
         else
           kill_store(fleet, "redis");
       },
       [&] { again.emplace(origin); }, times},
  };
  for (auto const& fault : faults) {
    CAPTURE(fault.name);
    auto const key = make_key(all.owner, all.job, fault.name, R"("rateLimit":{"limit":20,"windowSeconds":600})");
    auto by_key = all.clients(key.key);
    all.become("shared", shared_within);
    int const first = use_up(by_key, trigger_path(all.job));
    int local = 0, after = 0;
    for (int i = 0; i < times; ++i) {
      fault.lose();
      all.become("local", local_within);
      local += use_up(by_key, trigger_path(all.job));
      fault.restore();
      all.become("shared", shared_within);
      after += use_up(by_key, trigger_path(all.job));
    }
    MESSAGE(fault.name << ": " << first << " at first, " << local << " local, " << after << " after");
    // A decision that the machine delayed is local, so the first window may be shared with the local one.
    CHECK(local > 0);
    CHECK(local <= trigger_limit);
    CHECK(after <= fault.empty_returns * trigger_limit);
    CHECK(first + local + after <= (2 + fault.empty_returns) * trigger_limit);
    if (fault.empty_returns > 0) CHECK(after > trigger_limit);
  }
}

TEST_CASE("Redis flushed, its scripts flushed: no answer is a 5xx, and a window counts twice at most") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const job = make_job(owner);
  auto connections = connections_of(fleet, tenant.token);
  struct {
    std::string name;
    std::vector<std::string> command;
    int windows;
  } const faults[] = {{"flushed", {"FLUSHALL"}, 2}, {"scripts flushed", {"SCRIPT", "FLUSH"}, 1}};
  for (auto const& fault : faults) {
    CAPTURE(fault.name);
    auto const key = make_key(owner, job, fault.name, R"("rateLimit":{"limit":20,"windowSeconds":120})");
    std::vector<api_client> by_key;
    for (std::size_t i = 0; i < fleet.size(); ++i) by_key.push_back(fleet.client(i, key.key));
    int const before = use_up(by_key, trigger_path(job));
    CHECK(before == trigger_limit);
    fleet.redis(fault.command);
    CHECK(whoami(connections) == "200");
    int after = 0;
    // A worker that has just refused may do so for another 50 ms.
    if (fault.windows > 1) {
      CHECK(comes_true([&] { return by_key[0].post(trigger_path(job)).status == 202; }, patience));
      ++after;
    }
    after += use_up(by_key, trigger_path(job));
    CHECK(before + after == fault.windows * trigger_limit);
    auto const decisions = read_decisions(fleet.decision_log(), key.id, "trigger");
    CHECK(std::all_of(decisions.begin(), decisions.end(), [](auto const& d) { return d.where == "shared"; }));
  }
}

}  // namespace
}  // namespace svc::test
