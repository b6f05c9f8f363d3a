#include "svc/store/outbox_store.hpp"

#include "store/settled.hpp"

namespace svc::store {

namespace {

/// At most 10 000 undelivered rows a pass, oldest first: a long outage is worked off in bounded steps.
constexpr postgres::statement recent_rows{"outbox_recent", R"(
WITH chosen AS (
  SELECT id, ids, epochs, delivered_at FROM subject_outbox WHERE created_at > clock_timestamp() - interval '45 s'
  UNION
  (SELECT id, ids, epochs, delivered_at FROM subject_outbox WHERE delivered_at IS NULL ORDER BY id LIMIT 10000)
), highest AS (
  SELECT u.subject, max(u.epoch) AS epoch
    FROM chosen, unnest(chosen.ids, chosen.epochs) AS u (subject, epoch) GROUP BY u.subject
)
SELECT coalesce((SELECT array_agg(id) FROM chosen WHERE delivered_at IS NULL), '{}')::bigint[],
       coalesce((SELECT array_agg(subject ORDER BY subject) FROM highest), '{}')::uuid[],
       coalesce((SELECT array_agg(epoch ORDER BY subject) FROM highest), '{}')::bigint[])"};

constexpr postgres::statement mark_rows{
    "outbox_mark",
    "UPDATE subject_outbox SET delivered_at = clock_timestamp() WHERE id = ANY ($1) AND delivered_at IS NULL"};

}  // namespace

task<outbox_store::pending> outbox_store::recent(deadline until) {
  postgres::rows const found = settled(co_await db_.run(postgres::query{recent_rows}, until));
  auto const row = found.front();
  auto const subjects = row.ids(1);
  auto const epochs = row.integers(2);
  pending out;
  out.undelivered = row.integers(0);
  for (std::size_t i = 0; i < subjects.size(); ++i) out.epochs.push_back({subjects[i], epochs[i]});
  co_return out;
}

task<> outbox_store::mark_delivered(std::vector<std::int64_t> rows, deadline until) {
  settled(co_await db_.run(postgres::query{mark_rows, postgres::parameters(rows)}, until));
}

}  // namespace svc::store
