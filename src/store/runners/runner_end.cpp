#include "store/runners/completion_rows.hpp"
#include "store/runners/runner_sql.hpp"
#include "store/sql/group_commit.hpp"
#include "store/sql/settled.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/runner_store.hpp"

#include <algorithm>

namespace svc::store {
namespace {

// What the statement answers, as `read_freed` wants it: what it freed; otherwise whether the same was done before,
// and whether the claim holds (then another statement was changing the run, and this one's snapshot is too old).
#define SVC_FREED                                                                                                    \
  ", freed.id, freed.attempt, freed.status, freed.organization_id, freed.project_id, freed.job_type, freed.limited," \
  " EXISTS (SELECT FROM runs r WHERE r.id = $2 AND r.claim_id = $3 AND r.completed_at IS NOT NULL AND r.status = "   \
  "$4),"                                                                                                             \
  " EXISTS (SELECT FROM auth, projects p, runs r WHERE" SVC_FENCED ") FROM (VALUES (1)) one LEFT JOIN freed ON true"
#define SVC_FREED_COLUMNS \
  " RETURNING r.id, r.attempt, r.status, p.organization_id, r.project_id, r.job_type, r.limited"
// The row of `output_due`, in the same statement: it is made if and only if the run ends here.
#define SVC_OUTPUT_DUE \
  ", due AS (INSERT INTO run_output (run_id) SELECT id FROM freed WHERE status <> 'queued' ON CONFLICT DO NOTHING)"

constexpr postgres::statement release_run{"executor_release", "WITH " SVC_RUNNER_AUTH R"(, freed AS (
  UPDATE runs r SET status = CASE WHEN r.cancel_requested_at IS NULL THEN 'queued' ELSE $4 END,
         completed_at = CASE WHEN r.cancel_requested_at IS NULL THEN NULL ELSE clock_timestamp() END,
         claim_id = CASE WHEN r.cancel_requested_at IS NULL THEN NULL ELSE r.claim_id END,
         started_at = CASE WHEN r.cancel_requested_at IS NULL THEN NULL ELSE r.started_at END,
         lease_until = NULL, executor_id = NULL, version = r.version + 1, updated_at = clock_timestamp()
    FROM auth, projects p WHERE)" SVC_FENCED SVC_FREED_COLUMNS ")" SVC_OUTPUT_DUE "SELECT" SVC_TOKEN_STATE SVC_FREED};
#undef SVC_OUTPUT_DUE
#undef SVC_FREED_COLUMNS
#undef SVC_FREED

constexpr std::string_view cancelled = "cancelled";

}  // namespace

std::optional<result<freed_run>> read_freed(postgres::row r) {
  if (auto const refused = runner_refusal(r)) return result<freed_run>(*refused);
  if (!r.is_null(1)) {
    freed_run out{.now = true, .attempt = r.integer(2), .status = std::string(r.text(3))};
    out.queued = out.status == "queued";
    if (out.queued || r.boolean(7)) out.work = queued_work{r.id(4), r.id(5), std::string(r.text(6))};
    return result<freed_run>(std::move(out));
  }
  if (r.boolean(8)) return result<freed_run>(freed_run{});
  if (r.boolean(9)) return std::nullopt;
  return result<freed_run>(errc::claim_lost);
}

task<result<freed_run>> runner_store::release(sha256_digest secret, uuid run, uuid claim, deadline until) {
  postgres::query const ask{release_run, postgres::parameters(byte_view(secret), run, claim, cancelled)};
  for (;;) {
    postgres::rows const found = settled(co_await db_.run(ask, until));
    // Whoever changed the run meanwhile has committed, so the next snapshot knows.
    if (auto done = read_freed(found.front())) co_return std::move(*done);
  }
}

task<result<freed_run>> runner_store::complete(sha256_digest secret, run_completion what, deadline until) {
  auto const group = shared_->completions;
  completion_row const row{secret, std::make_shared<run_completion const>(std::move(what))};
  steady_timer pause(co_await asio::this_coro::executor);
  for (milliseconds wait = first_pause;; wait = std::min(2 * wait, longest_pause)) {
    auto done = co_await group->commit(row, until);
    SVC_FAILPOINT("complete.after_commit");
    if (done) co_return std::move(*done);
    if (steady::now() + wait >= until.at()) throw unavailable("another transaction holds the run");
    pause.expires_after(wait);
    co_await pause.async_wait(awaiting);
  }
}

}  // namespace svc::store
