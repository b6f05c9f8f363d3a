// Measures the cost of decisions if the callers of one turn lie in many slots of a Cluster, compared with one server.
#include "support/private_redis.hpp"
#include "support/redis_cluster.hpp"
#include "support/run_task.hpp"
#include "svc/access/admission.hpp"
#include "svc/core/spawn_task.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace svc::access {
namespace {

using test::private_redis;
using test::redis_cluster;

constexpr int callers = 32;

int turns() {
  auto const* const wanted = std::getenv("TEST_CLUSTER_COST");
  return wanted == nullptr ? 50 : std::atoi(wanted);
}

/// CPU of a process, in milliseconds.
double cpu_of(private_redis const& server) {
  std::ifstream file("/proc/" + std::to_string(server.pid()) + "/schedstat");
  double nanoseconds = 0;
  file >> nanoseconds;
  return nanoseconds / 1e6;
}

task<> one_call(admission& admission, std::string subject, int& admitted) {
  auto const said =
      co_await admission.admit({.subject = std::move(subject), .which = rate_class::cli, .window = {1'000'000, 60}},
                               deadline::after(std::chrono::seconds(10)));
  if (said.verdict == admission_verdict::ok) ++admitted;
}

task<> all_turns(redis::client& redis, int& admitted) {
  admission admission(redis);
  co_await redis.wait_connected(deadline::after(std::chrono::seconds(20)));
  for (int turn = 0; turn < turns(); ++turn) {
    std::vector<task<>> calls;
    for (int i = 0; i < callers; ++i) calls.push_back(one_call(admission, "subject " + std::to_string(i), admitted));
    co_await together(std::move(calls));
  }
}

struct cost {
  double wall = 0, servers = 0;  ///< microseconds per decision
  std::uint64_t commands = 0, writes = 0;
};

cost measure(redis::settings where, std::vector<private_redis const*> const& servers) {
  asio::io_context io{1};
  redis::client redis(io, std::move(where), {&admission::script()});
  redis.start();
  int admitted = 0;
  double before = 0, after = 0;
  for (auto const* entry : servers) before += cpu_of(*entry);
  auto const start = steady::now();
  test::run_task(io, all_turns(redis, admitted));
  auto const took = std::chrono::duration<double, std::micro>(steady::now() - start).count();
  for (auto const* entry : servers) after += cpu_of(*entry);
  auto const count = static_cast<double>(turns()) * callers;
  CHECK(admitted == turns() * callers);
  return {took / count, (after - before) * 1000 / count, redis.stats().commands, redis.stats().writes};
}

TEST_CASE("the cost of decisions over Redis Cluster and over one server: 32 callers of one turn") {
  private_redis const single({.tcp = true});
  redis::settings settings;
  settings.port = single.port();
  settings.command_deadline = std::chrono::seconds(10);
  settings.silence_limit = std::chrono::seconds(10);
  auto const alone = measure(settings, {&single});

  redis_cluster cluster({.replicas = false});
  auto all = settings;
  all.cluster = {*redis::parse_address(cluster.address(0))};
  auto const shared = measure(all, {&cluster.node(0), &cluster.node(1), &cluster.node(2)});
  // Each slot needs one EVALSHA.
  CHECK(shared.commands > static_cast<std::uint64_t>(turns()) * (callers - 2));
  CHECK(shared.writes < static_cast<std::uint64_t>(turns()) * 5 + 50);
  MESSAGE("one server: " << alone.wall << " us a decision, " << alone.servers << " us of Redis, " << alone.commands
                         << " commands; Cluster: " << shared.wall << " us, " << shared.servers << " us of Redis, "
                         << shared.commands << " commands, " << shared.writes << " writes");
}

}  // namespace
}  // namespace svc::access
