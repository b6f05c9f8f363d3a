// Tests masters behind proxies that stall and cut their answers while slots move: each answer must reach its caller.
#include "integration/redis/fixture.hpp"
#include "support/fault_proxy.hpp"
#include "support/redis_cluster.hpp"
#include "support/repeated.hpp"

#include <cstdlib>
#include <string>

using namespace svc;
using namespace svc::redis;
using svc::test::fault_proxy;
using svc::test::redis_cluster;

namespace {

constexpr int keys = 500, askers = 64;

int wanted_lookups() {
  auto const* const wanted = std::getenv("TEST_LOOKUPS");
  return wanted == nullptr ? 20'000 : std::atoi(wanted);
}

std::string key_of(int i) {
  return "svc:{lookup " + std::to_string(i) + "}:x";
}

struct lookups {
  std::vector<std::unique_ptr<fault_proxy>> const& proxies;
  int const wanted = wanted_lookups();
  int begun = 0;
  int good = 0, missed = 0, unsent = 0, refused = 0, foreign = 0;

  /// Starts one more lookup. That many may be over before a line stalls or is cut; then some more are started.
  bool take_one() {
    ++begun;
    return begun <= wanted || (begun <= 5 * wanted && !test::counts_of(proxies).are_of_both_kinds());
  }

  void hear(outcome const& got, std::string const& wanted) {
    if (got.state != delivery::answered) {
      ++(got.state == delivery::missed ? missed : unsent);
    } else if (got.value.is_error()) {
      ++refused;
    } else {
      ++(got.value.text == wanted ? good : foreign);
    }
  }
};

// The script returns the key in addition to its value.
script const look_up("look_up", "return KEYS[1] .. ' ' .. (redis.call('GET', KEYS[1]) or '')");

/// Half of the lookups use a script, as decisions do. A few wait for such a short time that they are given up at
/// once.
task<> ask(client& redis, int first, lookups& lookups) {
  for (int i = first; lookups.take_one(); i = (i + 7) % keys) {
    auto const key = key_of(i), value = std::to_string(i);
    auto const until = deadline::after(i % 10 == 0 ? 1ms : 1s);
    std::string_view const words[] = {"GET", key}, all[] = {key};
    if (i % 2 == 0) {
      lookups.hear(co_await redis.command(words, until), value);
    } else {
      lookups.hear(co_await redis.evaluate(look_up, all, {}, until), key + " " + value);
    }
    if (!redis.connected()) co_await redis.wait_connected(deadline::after(100ms));
  }
}

}  // namespace

TEST_CASE("Redis Cluster: stalls, cancels, cuts and moving slots: no answer belongs to another lookup") {
  redis_cluster nodes({.replicas = false, .behind_proxies = true});
  for (int i = 0; i < keys; ++i) nodes.ask(key_of(i), {"SET", key_of(i), std::to_string(i)});
  std::vector<std::unique_ptr<fault_proxy>> proxies;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    proxies.push_back(std::make_unique<fault_proxy>(nodes.announced(i), nodes.node(i).socket(),
                                                    test::mishaps{.004, .0005, milliseconds(40)},
                                                    static_cast<unsigned>(i)));
  worker w;
  auto where = patient("redis://127.0.0.1");
  where.cluster = {*parse_address(nodes.announced(0)), *parse_address(nodes.announced(1))};
  where.command_deadline = 20ms;
  where.silence_limit = 500ms;
  client redis(w.io, where, {&look_up});
  w.connect(redis);

  int moves = 0;
  test::repeated mover([&, owner = std::size_t{0}]() mutable {
    auto const last = (owner + 1) % redis_cluster::masters;
    if (auto const slot = nodes.slot_with_keys(owner)) {
      nodes.move_slot(*slot, last);
      ++moves;
    }
    owner = last;
  });
  lookups lookups{proxies};
  int running = askers;
  for (int i = 0; i < askers; ++i)
    asio::co_spawn(w.io, ask(redis, i * keys / askers, lookups), [&](std::exception_ptr) { --running; });
  while (running > 0) {
    w.io.restart();
    w.io.run_for(5ms);
  }
  CHECK(mover.stop() == "");
  CHECK(lookups.foreign == 0);
  CHECK(lookups.good > lookups.wanted / 2);
  CHECK(moves > 0);
  auto const done = test::counts_of(proxies);
  CHECK(done.stalls > 0);
  CHECK(done.cuts > 0);
  MESSAGE(lookups.good << " good, " << lookups.foreign << " foreign, " << lookups.missed << " missed, "
                       << lookups.unsent << " unsent, " << lookups.refused << " refused; " << done.stalls
                       << " stalls, " << done.cuts << " cuts, " << moves << " moves, " << redis.stats().reconnects
                       << " reconnections");
  redis.stop();
}
