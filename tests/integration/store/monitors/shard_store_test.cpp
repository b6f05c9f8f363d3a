// Tests shards under leases.
#include "integration/monitoring/scheduler/monitor_fixture.hpp"

#include "svc/store/monitors/shard_store.hpp"

using namespace svc;
using namespace svc::test;

namespace {

store::held_shards renew(watched_shop& db, store::shard_store& shards, uuid holder) {
  steady::time_point sent;
  return db.wait(shards.renew(holder, db.soon(), sent));
}

std::int64_t held(watched_shop& db, uuid id) {
  return db.number({{"shards_held", "SELECT count(*) FROM check_shards WHERE holder = $1 AND lease_until > now()"},
                    postgres::parameters(id)});
}

}  // namespace

TEST_CASE("holders share the shards, and take over what one leaves or lets lapse") {
  watched_shop db;
  store::shard_store shards(db.pool);
  auto const a = uuid::generate_v7(), b = uuid::generate_v7(), c = uuid::generate_v7();
  auto mine = renew(db, shards, a);
  CHECK(mine.aim == 64);
  CHECK(mine.taken.size() == 64);
  // The second scheduler finds nothing free, and its presence lowers the aim of the first.
  CHECK(renew(db, shards, b).taken.empty());
  mine = renew(db, shards, a);
  CHECK(mine.kept.size() == 64);
  CHECK(mine.aim == 32);
  db.wait(shards.release(a, {mine.kept.begin(), mine.kept.begin() + 32}, db.soon()));
  CHECK(renew(db, shards, b).taken.size() == 32);
  renew(db, shards, c);
  CHECK(renew(db, shards, a).aim == 22);
  db.wait(shards.leave(c, db.soon()));
  CHECK(renew(db, shards, a).aim == 32);
  // The next scheduler takes a lapsed shard, with the next epoch.
  db.as_owner("UPDATE check_holders SET seen_at = now() - interval '11 s' WHERE id = '" + b.to_string() +
              "'; UPDATE check_shards SET lease_until = now() - interval '1 s' WHERE holder = '" + b.to_string() +
              "'");
  mine = renew(db, shards, a);
  CHECK(mine.kept.size() == 32);
  CHECK(mine.taken.size() == 32);
  CHECK(held(db, a) == 64);
  CHECK(db.number({{"epochs_taken", "SELECT sum(epoch)::int8 FROM check_shards"}}) == 64 + 32 + 32);
  CHECK(renew(db, shards, b).kept.empty());
  // The store deletes a scheduler that was gone for long.
  db.as_owner("UPDATE check_holders SET seen_at = now() - interval '2 min' WHERE id = '" + b.to_string() + "'");
  renew(db, shards, a);
  CHECK(db.rows("check_holders") == 1);
}

TEST_CASE("the database and the service agree about a monitor's shard") {
  watched_shop db;
  for (int i = 0; i < 20; ++i) {
    auto const id = db.make_monitor().id;
    CHECK(db.number({{"shard_of", "SELECT shard FROM monitors WHERE id = $1"}, postgres::parameters(id)}) ==
          (id.bytes[15] & 63));
  }
}

TEST_CASE("a location is online while somebody holds shards of it, or lately did") {
  watched_shop db;
  store::shard_store shards(db.pool);
  CHECK_FALSE(db.wait(shards.seen(db.soon())).online);
  CHECK_FALSE(db.wait(shards.seen(db.soon())).time.has_value());
  renew(db, shards, uuid::generate_v7());
  CHECK(db.wait(shards.seen(db.soon())).online);
  db.as_owner("UPDATE check_holders SET seen_at = now() - interval '11 s'");
  CHECK_FALSE(db.wait(shards.seen(db.soon())).online);
  CHECK(db.wait(shards.seen(db.soon())).time.has_value());
}
