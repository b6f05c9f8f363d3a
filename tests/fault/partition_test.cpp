// Each pair of parties is cut off from each other for a while, under load: two pairs for 3 s, or all of them for
// TEST_PARTITION seconds, and some on each topology. The rows that are printed are the table of README.md.
#include "measure.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

constexpr std::chrono::seconds short_partition{3};
/// The faults that docs/protocol.md leaves: an instance proves records by what another one cannot reach.
constexpr promises when_redis_splits{.late = std::chrono::seconds(33), .windows = 3};

/// A fault that holds the traffic of one pair.
template <class Let>
fault partition(std::string name, passage passage, Let let, promises allowed = {}) {
  return {std::move(name), [=](rig& target) { let(target, passage); }, [=](rig& rig) { let(rig, flowing); }, allowed};
}

auto const all_redis = [](rig& rig, passage passage) { rig.redis().let_instances(passage, std::nullopt); };
auto const one_redis = [](rig& rig, passage passage) { rig.redis().let_instances(passage, 0); };
auto const all_postgres = [](rig& rig, passage passage) { rig.postgres().let_instances(passage, std::nullopt); };
auto const one_postgres = [](rig& rig, passage passage) { rig.postgres().let_instances(passage, 0); };
auto const one_instance = [](rig& rig, passage passage) { rig.let_balancer(passage, 0); };
auto const all_clients = [](rig& rig, passage passage) { rig.let_clients(passage); };
auto const all_runners = [](rig& rig, passage passage) { rig.let_runners(passage); };
auto const replica = [](rig& rig, passage passage) { rig.redis().let_replica(passage); };
auto const sentinels = [](rig& rig, passage passage) { rig.redis().let_sentinels(passage); };
auto const questions = [](rig& rig, passage passage) { rig.redis().let_questions(passage, std::nullopt); };
/// The primary, and one instance that hears of no other.
auto const half_of_redis = [](rig& rig, passage passage) {
  rig.redis().let_questions(passage, 0);
  rig.redis().let_replica(passage);
  rig.redis().let_sentinels(passage);
};
auto const one_of_each_store = [](rig& rig, passage passage) {
  rig.redis().let_instances(passage, 0);
  rig.postgres().let_instances(passage, 1);
};
auto const standby = [](rig& rig, passage passage) { rig.postgres().let_standby(passage); };

std::vector<fault> pairs_of_stores() {
  return {partition("all instances – Redis", severed, all_redis),
          partition("all instances → Redis", deaf_server, all_redis),
          partition("all instances ← Redis", deaf_client, all_redis),
          partition("one instance – Redis", severed, one_redis),
          partition("one instance → Redis", deaf_server, one_redis),
          partition("one instance ← Redis", deaf_client, one_redis),
          partition("all instances – PostgreSQL", severed, all_postgres),
          partition("all instances ← PostgreSQL", deaf_client, all_postgres),
          partition("one instance – PostgreSQL", severed, one_postgres),
          partition("one instance ← PostgreSQL", deaf_client, one_postgres)};
}

std::vector<fault> pairs_of_clients() {
  return {partition("HAProxy – one instance", severed, one_instance),
          partition("HAProxy → one instance", deaf_server, one_instance),
          partition("HAProxy ← one instance", deaf_client, one_instance),
          partition("clients – HAProxy", severed, all_clients),
          partition("clients ← HAProxy", deaf_client, all_clients),
          partition("runners – HAProxy", severed, all_runners),
          partition("runners ← HAProxy", deaf_client, all_runners)};
}

std::vector<fault> pairs_within_stores() {
  return {partition("Redis replica – primary", severed, replica),
          partition("sentinels – Redis primary", severed, sentinels, when_redis_splits),
          partition("sentinels ← Redis primary", deaf_client, sentinels, when_redis_splits),
          partition("instances – sentinels", severed, questions),
          partition("PostgreSQL standby – primary", severed, standby),
          partition("PostgreSQL standby → primary", deaf_server, standby)};
}

void measure_on(topology const& stores, std::vector<fault> const& faults, std::chrono::seconds lasting) {
  rig rig({.stores = stores});
  load_actors const as(rig);
  measure_all(rig, as, faults, lasting);
}

TEST_CASE("partition: some pairs of parties are cut off, and no promise breaks") {
  if (is_long_form()) return;
  measure_on(single_stores,
             {partition("one instance ← PostgreSQL", deaf_client, one_postgres),
              partition("HAProxy – one instance", severed, one_instance)},
             short_partition);
}

TEST_CASE("partition: each pair of parties is cut off for half a minute, both ways and one way") {
  if (!is_long_form()) return;
  for (auto const some : {pairs_of_stores, pairs_of_clients, pairs_within_stores})
    measure_on(replicated_stores, some(), partition_length(short_partition));
}

TEST_CASE(
    "partition: Redis is split in two, or instances lose different stores: a dead token lives for 33 s at most") {
  if (!is_long_form()) return;
  measure_on(
      replicated_stores,
      {partition("Redis primary, one instance – sentinels, replica", severed, half_of_redis, when_redis_splits),
       partition("one instance – Redis, another – PostgreSQL", severed, one_of_each_store, when_redis_splits)},
      partition_length(short_partition));
}

TEST_CASE("partition: each topology loses a store for an instance and for all") {
  if (!is_long_form()) return;
  for (auto const& stores : topologies) {
    CAPTURE(stores.name);
    measure_on(stores,
               {partition("all instances – Redis", severed, all_redis),
                partition("one instance – PostgreSQL", severed, one_postgres)},
               usual_length);
  }
}

}  // namespace
}  // namespace svc::test
