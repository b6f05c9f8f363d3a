#include "svc/store/run_store.hpp"

#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"

namespace svc::store {
namespace {

// Leaves locked runs for the next pass. Selects the ids into an array, so that rows are always found by primary key.
#define SVC_DELETE_RUNS(which) "DELETE FROM runs WHERE id = ANY (ARRAY(" which " FOR UPDATE SKIP LOCKED))"
constexpr postgres::statement delete_old{
    "retention_delete_old",
    SVC_DELETE_RUNS("SELECT o.id FROM runs o"
                    " WHERE o.completed_at < statement_timestamp() - $1::bigint * interval '1 millisecond'"
                    " ORDER BY o.completed_at LIMIT $2")};
constexpr postgres::statement delete_surplus{
    "retention_delete_surplus",
    SVC_DELETE_RUNS("SELECT o.id FROM runs o"
                    " WHERE o.job_id = $1 AND (o.created_at, o.id) <= ($2, $3) AND o.completed_at IS NOT NULL"
                    " ORDER BY o.created_at, o.id LIMIT $4")};
#undef SVC_DELETE_RUNS

constexpr postgres::statement find_excess{"retention_find_excess", R"(
SELECT j.id, beyond.created_at, beyond.id
  FROM (SELECT id FROM jobs WHERE $1::uuid IS NULL OR id > $1 ORDER BY id LIMIT $2) j
  LEFT JOIN LATERAL (SELECT r.created_at, r.id FROM runs r WHERE r.job_id = j.id
                      ORDER BY r.created_at DESC, r.id DESC OFFSET $3 LIMIT 1) beyond ON true
 ORDER BY j.id)"};

}  // namespace

task<std::int64_t> retention_store::delete_older(milliseconds age, std::int64_t most, deadline until) {
  postgres::query ask{delete_old, postgres::parameters(static_cast<std::int64_t>(age.count()), most)};
  co_return settled(co_await db_.run(std::move(ask), until)).affected();
}

task<retention_store::surplus> retention_store::find_surplus(std::optional<uuid> after, std::int64_t kept,
                                                             std::int64_t jobs, deadline until) {
  postgres::query ask{find_excess, postgres::parameters(after, jobs, kept)};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  surplus out;
  for (int i = 0; i < found.size(); ++i) {
    if (!found[i].is_null(1)) out.jobs.push_back({found[i].id(0), found[i].time(1), found[i].id(2)});
  }
  if (found.size() == jobs) out.after = found[found.size() - 1].id(0);
  co_return out;
}

task<std::int64_t> retention_store::delete_excess(excess of, std::int64_t most, deadline until) {
  postgres::query ask{delete_surplus, postgres::parameters(of.job, of.created_at, of.run, most)};
  co_return settled(co_await db_.run(std::move(ask), until)).affected();
}

}  // namespace svc::store
