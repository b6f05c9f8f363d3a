#include "svc/store/monitors/shard_store.hpp"

#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"

namespace svc::store {
namespace {

// A scheduler that has not renewed for a whole lease is no scheduler any more. Its shards are free once their lease
// has ended, and another scheduler takes them at once. Two schedulers that look at the same time do not wait for each
// other.
constexpr postgres::statement renew_shards{"shards_renew", R"(
WITH here AS (
  INSERT INTO check_holders (id, location_id, seen_at) VALUES ($1, $2, clock_timestamp())
  ON CONFLICT (id) DO UPDATE SET seen_at = clock_timestamp()
), gone AS (
  DELETE FROM check_holders
   WHERE id = ANY (ARRAY(SELECT h.id FROM check_holders h
                          WHERE h.id <> $1 AND h.seen_at < clock_timestamp() - interval '1 minute'
                            FOR UPDATE SKIP LOCKED))
), aim AS MATERIALIZED (
  SELECT ceil($3::bigint / (1.0 + count(*)))::bigint AS shards FROM check_holders
   WHERE location_id = $2 AND id <> $1 AND seen_at > clock_timestamp() - interval '10 s'
), kept AS (
  UPDATE check_shards SET lease_until = clock_timestamp() + interval '10 s'
   WHERE location_id = $2 AND holder = $1 RETURNING shard
), free AS (
  SELECT s.shard FROM check_shards s
   WHERE s.location_id = $2 AND s.holder IS DISTINCT FROM $1 AND s.lease_until < clock_timestamp()
   ORDER BY s.shard
   LIMIT greatest(0, (SELECT shards FROM aim)
                     - (SELECT count(*) FROM check_shards m WHERE m.location_id = $2 AND m.holder = $1))
     FOR UPDATE SKIP LOCKED
), taken AS (
  UPDATE check_shards s SET holder = $1, epoch = s.epoch + 1, lease_until = clock_timestamp() + interval '10 s'
    FROM free WHERE s.location_id = $2 AND s.shard = free.shard RETURNING s.shard
)
SELECT clock_timestamp(), (SELECT shards FROM aim), ARRAY(SELECT shard::bigint FROM kept ORDER BY shard),
       ARRAY(SELECT shard::bigint FROM taken ORDER BY shard))"};

constexpr postgres::statement release_shards{"shards_release", R"(
UPDATE check_shards SET holder = NULL, lease_until = '-infinity'
 WHERE location_id = $2 AND holder = $1 AND ($3::bigint[] IS NULL OR shard = ANY ($3)))"};

constexpr postgres::statement leave_shards{"shards_leave", "DELETE FROM check_holders WHERE id = $1"};

constexpr postgres::statement look_at_shards{"shards_look", R"(
SELECT (SELECT count(*) FROM check_shards WHERE location_id = $1 AND lease_until < statement_timestamp()),
       (SELECT count(*) FROM check_holders
         WHERE location_id = $1 AND seen_at > statement_timestamp() - interval '15 s'))"};

constexpr postgres::statement see_location{"location_seen", R"(
SELECT max(seen_at), coalesce(max(seen_at) > clock_timestamp() - interval '10 s', false)
  FROM check_holders WHERE location_id = $1)"};

}  // namespace

task<held_shards> shard_store::renew(uuid holder, deadline until, steady::time_point& sent) {
  postgres::query ask{renew_shards, postgres::parameters(holder, location_, shard_count)};
  auto const found = settled(co_await db_.run(std::move(ask), until, sent));
  auto const r = found.front();
  co_return held_shards{r.time(0), r.integer(1), r.integers(2), r.integers(3)};
}

task<> shard_store::release(uuid holder, std::vector<std::int64_t> shards, deadline until) {
  settled(co_await db_.run(postgres::query{release_shards, postgres::parameters(holder, location_, shards)}, until));
}

task<shard_store::overview> shard_store::look(deadline until) {
  auto const found =
      settled(co_await db_.run(postgres::query{look_at_shards, postgres::parameters(location_)}, until));
  co_return overview{found.front().integer(0), found.front().integer(1)};
}

task<> shard_store::leave(uuid holder, deadline until) {
  std::vector<postgres::query> last{{release_shards, postgres::parameters(holder, location_, nullptr)},
                                    {leave_shards, postgres::parameters(holder)}};
  settled(co_await db_.run(std::move(last), until));
}

task<seen_location> shard_store::seen(deadline until) {
  auto const found = settled(co_await db_.run(postgres::query{see_location, postgres::parameters(location_)}, until));
  co_return seen_location{found.front().maybe_time(0), found.front().boolean(1)};
}

}  // namespace svc::store
