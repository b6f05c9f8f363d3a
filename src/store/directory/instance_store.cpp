#include "svc/store/directory/instance_store.hpp"

#include "store/sql/settled.hpp"

namespace svc::store {
namespace {

/// First deletes rows that are old, or whose clock was ahead; skips rows that another instance is deleting.
constexpr postgres::statement write_instance{"instances_beat", R"(
WITH gone AS (
  DELETE FROM instances
   WHERE id = ANY (ARRAY(SELECT i.id FROM instances i
                          WHERE i.id <> $1 AND i.seen_at NOT BETWEEN clock_timestamp() - interval '1 minute'
                                                                 AND clock_timestamp() + interval '1 minute'
                            FOR UPDATE SKIP LOCKED))
)
INSERT INTO instances (id, version, commit, host, address, started_at, seen_at)
VALUES ($1, left($2, 100), left($3, 100), left($4, 255), left($5, 255),
        clock_timestamp() - $6::bigint * interval '1 ms', clock_timestamp())
ON CONFLICT (id) DO UPDATE SET seen_at = clock_timestamp())"};

constexpr postgres::statement read_instances{"instances_read", R"(
SELECT id, version, commit, host, address, started_at, seen_at FROM instances
 WHERE seen_at > clock_timestamp() - $1::bigint * interval '1 ms'
   AND seen_at < clock_timestamp() + $1::bigint * interval '1 ms'
 ORDER BY started_at, id)"};

constexpr postgres::statement remove_instance{"instances_leave", "DELETE FROM instances WHERE id = $1"};

}  // namespace

task<std::vector<present_instance>> instance_store::renew(instance_identity identity, milliseconds up,
                                                          deadline until) {
  postgres::query say{write_instance,
                      postgres::parameters(identity.id, identity.version, identity.commit, identity.host,
                                           identity.address, std::int64_t(up.count()))};
  settled(co_await db_.run(std::move(say), until));
  co_return co_await read(until);
}

task<std::vector<present_instance>> instance_store::read(deadline until) {
  postgres::query ask{read_instances, postgres::parameters(std::int64_t(milliseconds(instance_age).count()))};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  std::vector<present_instance> out;
  for (int i = 0; i < found.size(); ++i) {
    auto const r = found[i];
    out.push_back({{.id = r.id(0),
                    .version = std::string(r.text(1)),
                    .commit = std::string(r.text(2)),
                    .host = std::string(r.text(3)),
                    .address = std::string(r.text(4))},
                   r.time(5),
                   r.time(6)});
  }
  co_return out;
}

task<> instance_store::leave(uuid id, deadline until) {
  settled(co_await db_.run(postgres::query{remove_instance, postgres::parameters(id)}, until));
}

}  // namespace svc::store
