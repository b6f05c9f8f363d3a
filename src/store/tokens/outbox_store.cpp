#include "svc/store/tokens/outbox_store.hpp"

#include "store/sql/settled.hpp"
#include "svc/core/log.hpp"
#include "svc/core/result.hpp"
#include "svc/postgres/pool.hpp"

#include <utility>

namespace svc::store {

namespace {

/// At most 10 000 undelivered rows per pass, oldest first, so that a long outage is worked off in bounded steps. Uses
/// statement_timestamp(), because an index cannot serve a bound that may change from row to row, as
/// `clock_timestamp()` does.
constexpr postgres::statement recent_rows{"outbox_recent", R"(
WITH chosen AS (
  SELECT id, ids, epochs, delivered_at FROM subject_outbox WHERE created_at > statement_timestamp() - interval '45 s'
  UNION
  (SELECT id, ids, epochs, delivered_at FROM subject_outbox WHERE delivered_at IS NULL ORDER BY id LIMIT 10000)
), highest AS (
  SELECT u.subject, max(u.epoch) AS epoch
    FROM chosen, unnest(chosen.ids, chosen.epochs) AS u (subject, epoch) GROUP BY u.subject
)
SELECT coalesce((SELECT array_agg(id) FROM chosen WHERE delivered_at IS NULL), '{}')::bigint[],
       coalesce((SELECT array_agg(subject ORDER BY subject) FROM highest), '{}')::uuid[],
       coalesce((SELECT array_agg(epoch ORDER BY subject) FROM highest), '{}')::bigint[])"};

/// Older rows do not matter here: the requests that concern them were answered or no longer wait.
constexpr postgres::statement all_notified{"outbox_told", R"(
SELECT NOT EXISTS (SELECT FROM subject_outbox
                    WHERE delivered_at IS NULL AND created_at > statement_timestamp() - interval '10 s' AND ids && $1))"};

/// Several instances may deliver the same rows. Skips rows that another instance is marking right now.
constexpr postgres::statement mark_rows{"outbox_mark", R"(
UPDATE subject_outbox SET delivered_at = clock_timestamp()
 WHERE id = ANY (ARRAY(SELECT o.id FROM subject_outbox o WHERE o.id = ANY ($1) AND o.delivered_at IS NULL
                          FOR UPDATE SKIP LOCKED)))"};

/// Looks at up to 1 000 rows after the id and skips those that wait for Redis. While there may be more old rows,
/// returns the id to continue after.
constexpr postgres::statement sweep_rows{"outbox_sweep", R"(
WITH looked AS MATERIALIZED (
  SELECT id, delivered_at, created_at < statement_timestamp() - interval '10 minutes' AS old
    FROM subject_outbox WHERE id > $1 ORDER BY id LIMIT 1000
), gone AS (
  DELETE FROM subject_outbox
   WHERE id = ANY (ARRAY(SELECT o.id FROM subject_outbox o
                          WHERE o.id = ANY (ARRAY(SELECT id FROM looked WHERE old AND delivered_at IS NOT NULL))
                            FOR UPDATE SKIP LOCKED))
  RETURNING id
)
SELECT (SELECT count(*) FROM gone), CASE WHEN count(*) = 1000 AND bool_or(old) THEN max(id) END FROM looked)"};

constexpr postgres::statement advance_epoch{"subject_lift", R"(
UPDATE subjects
   SET epoch = greatest(epoch, $2::bigint + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
 WHERE id = $1)"};

/// Once for each session: a plan would not be used again.
constexpr postgres::statement begin_timeline{"timeline_begin", "SELECT begin_timeline($1, $2)", true};

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

task<bool> outbox_store::are_published(std::vector<uuid> subjects, deadline until) {
  postgres::query ask{all_notified, postgres::parameters(subjects)};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  co_return found.front().boolean(0);
}

task<> outbox_store::mark_delivered(std::vector<std::int64_t> rows, deadline until) {
  settled(co_await db_.run(postgres::query{mark_rows, postgres::parameters(rows)}, until));
}

task<outbox_store::swept> outbox_store::sweep(std::int64_t after, deadline until) {
  postgres::query ask{sweep_rows, postgres::parameters(after)};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  co_return swept{found.front().integer(0), found.front().maybe_integer(1)};
}

task<bool> epoch_advancer::advance(uuid subject, std::int64_t above, deadline until) {
  log::error("the database is behind an epoch that Redis holds; advancing the subject's epoch",
             {{"subject", subject.to_string()}, {"epoch", above}});
  try {
    auto const done = co_await db_.run(postgres::query{advance_epoch, postgres::parameters(subject, above)}, until);
    co_return done && done->affected() == 1;
  } catch (unavailable const& gone) {
    log::error("advancing a subject's epoch failed", {{"reason", gone.what()}});
  }
  co_return false;
}

void begin_timelines(postgres::settings& settings, std::function<void(std::int64_t)> begun) {
  settings.entry = {.ask = begin_timeline, .entered = std::move(begun)};
}

}  // namespace svc::store
