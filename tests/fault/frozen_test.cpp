// Processes stand still and go on; lines are slow, are cut and corrupt bytes; a clock is wrong. With TEST_PARTITION
// only.
#include "measure.hpp"

#include <doctest/doctest.h>

#include <csignal>

namespace svc::test {
namespace {

using std::chrono::milliseconds;

/// HAProxy passes the bytes of TLS, and a corrupt record ends its connection: nothing wrong is read.
constexpr passage slow{.delay = milliseconds(20)}, cut{.reset = 0.02}, corrupt{.corruption = 0.02};

/// A write that the replica lacks is lost: docs/protocol.md.
constexpr promises when_redis_fails_over{.late = std::chrono::seconds(2)};

fault stopped(std::string name, std::function<void(rig&, bool)> const& stop) {
  return {std::move(name), [=](rig& target) { stop(target, true); }, [=](rig& rig) { stop(rig, false); }, {}};
}

template <class Store>
void stop_store(Store& which, bool stop) {
  if (stop)
    which.freeze();
  else
    which.thaw();
}

template <class Let>
fault line(std::string name, passage passage, Let let) {
  return {std::move(name), [=](rig& target) { let(target, passage); }, [=](rig& rig) { let(rig, flowing); }, {}};
}

TEST_CASE("frozen: a store or an instance freezes and continues") {
  if (!is_long_form()) return;
  rig target({.stores = single_stores});
  load_actors const as(target);
  measure_all(
      target, as,
      {stopped("Redis stopped", [](rig& r, bool stop) { stop_store(r.redis().primary(), stop); }),
       stopped("PostgreSQL stopped", [](rig& r, bool stop) { stop_store(r.postgres().primary(), stop); }),
       stopped("one instance stopped", [](rig& r, bool stop) { ::kill(r.pid_of(0), stop ? SIGSTOP : SIGCONT); })},
      usual_length);
}

TEST_CASE("frozen: a master of Redis Cluster freezes, its replica replaces it, and it continues") {
  if (!is_long_form()) return;
  rig target({.stores = cluster_stores});
  load_actors const as(target);
  // Another one is the primary afterwards.
  private_redis* master = nullptr;
  fault const lost{"a master of Redis Cluster stopped",
                   [&](rig& r) {
                     master = &r.redis().primary();
                     master->freeze();
                   },
                   [&](rig&) { master->thaw(); }, when_redis_fails_over};
  measure_all(target, as, {lost}, usual_length);
  CHECK(&target.redis().primary() != master);
}

TEST_CASE("noisy lines: bytes are late, connections are reset in the middle of answers, bytes of TLS are corrupted") {
  if (!is_long_form()) return;
  rig target({.stores = single_stores});
  load_actors const as(target);
  auto const redis = [](rig& r, passage settings) { r.redis().let_instances(settings, std::nullopt); };
  auto const postgres = [](rig& r, passage way) { r.postgres().let_instances(way, std::nullopt); };
  auto const instance = [](rig& r, passage way) { r.let_balancer(way, 0); };
  auto const clients = [](rig& r, passage passage) { r.let_clients(passage); };
  measure_all(target, as,
              {line("20 ms more to Redis", slow, redis), line("20 ms more to PostgreSQL", slow, postgres),
               line("answers of Redis cut", cut, redis), line("answers of PostgreSQL cut", cut, postgres),
               line("answers of one instance cut", cut, instance),
               line("answers of one instance corrupted", corrupt, instance),
               line("answers to clients corrupted", corrupt, clients)},
              usual_length);
}

TEST_CASE("clocks apart: an instance five minutes early or late keeps every promise, with Redis and without") {
  if (!is_long_form()) return;
  for (int const apart : {300, -300}) {
    rig target({.stores = single_stores, .last_clock_apart = apart});
    load_actors const as(target);
    auto const all = [](rig& r, passage passage) { r.redis().let_instances(passage, std::nullopt); };
    auto const name = "one clock " + std::to_string(apart) + " s off";
    measure_all(target, as, {line(name, flowing, all), line(name + ", all instances – Redis", severed, all)},
                usual_length);
  }
}

}  // namespace
}  // namespace svc::test
