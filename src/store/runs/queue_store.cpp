#include "svc/store/queue_store.hpp"

#include "store/sql/settled.hpp"

namespace svc::store {
namespace {

// By the primary key, which is the order of triggers; an index of the queued ones alone would be read whole, because
// it begins with the project.
constexpr postgres::statement look_at_queue{"queue_look", R"(
WITH oldest AS MATERIALIZED (SELECT status, limited, queued_at FROM run_queue ORDER BY run_id LIMIT $1),
seen AS (SELECT count(*) AS runners, coalesce(sum(slots), 0) AS slots FROM runners
          WHERE last_seen_at > clock_timestamp() - interval '1 minute')
SELECT count(*) FILTER (WHERE status = 'queued' AND NOT limited), count(*) FILTER (WHERE status = 'queued' AND limited),
       count(*) FILTER (WHERE status = 'running'),
       greatest(0, coalesce(1000 * extract(epoch FROM clock_timestamp()
         - min(queued_at) FILTER (WHERE status = 'queued' AND NOT limited)), 0))::bigint,
       (SELECT runners FROM seen), (SELECT slots FROM seen)
  FROM oldest)"};

}  // namespace

task<queue_summary> queue_store::look(std::int64_t most, deadline until) {
  postgres::query ask{look_at_queue, postgres::parameters(most)};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  auto const r = found.front();
  co_return queue_summary{.queued = r.integer(0),
                          .limited = r.integer(1),
                          .running = r.integer(2),
                          .oldest = std::chrono::milliseconds(r.integer(3)),
                          .runners = r.integer(4),
                          .slots = r.integer(5)};
}

}  // namespace svc::store
