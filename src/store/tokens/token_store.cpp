#include "store/sql/audit_sql.hpp"
#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/tokens/token_decision.hpp"
#include "store/tokens/token_sql.hpp"

#include <boost/json.hpp>

namespace svc::store {
namespace {

constexpr postgres::statement get_token{"token_get",
                                        "SELECT " SVC_TOKEN_COLUMNS SVC_TOKEN_TABLES "WHERE" SVC_TOKEN_BY_ID};

// $3 limit + 1, $4 offset, $5 and $6 the key to begin behind.
#define SVC_LIST(scope)                                                                             \
  SVC_PAGED("tokens t WHERE" scope, SVC_NO_GUESS,                                                   \
            ", EXISTS (SELECT FROM jobs WHERE id = $2 AND project_id = $1 AND deleted_at IS NULL)", \
            SVC_TOKEN_COLUMNS SVC_TOKEN_TABLES "WHERE" scope SVC_BEHIND(                            \
                "t.created_at, t.id", "$5", "$6") " ORDER BY t.created_at, t.id LIMIT $3 OFFSET $4")
constexpr postgres::statement list_of_project{"token_list_of_project", SVC_LIST(SVC_TOKENS_OF_PROJECT)};
constexpr postgres::statement list_of_job{"token_list_of_job", SVC_LIST(SVC_TOKENS_OF_JOB)};
#undef SVC_LIST

#define SVC_EPOCHS(scope)                                                                                      \
  "SELECT s.id, s.epoch FROM subjects s WHERE s.id IN (SELECT CASE WHEN t.job_id IS NULL THEN t.owner_id ELSE" \
  " t.id END FROM tokens t WHERE" scope ") ORDER BY s.id"
constexpr postgres::statement epochs_of_project{"token_epochs_of_project", SVC_EPOCHS(SVC_TOKENS_OF_PROJECT)};
constexpr postgres::statement epochs_of_job{"token_epochs_of_job", SVC_EPOCHS(SVC_TOKENS_OF_JOB)};
#undef SVC_EPOCHS

constexpr postgres::statement token_scope_by_id{"token_scope", "SELECT project_id, job_id FROM tokens WHERE id = $1"};
constexpr postgres::statement job_scope_by_id{"token_scope_of_job",
                                              "SELECT project_id, id FROM jobs WHERE id = $1 AND deleted_at IS NULL"};

constexpr postgres::statement update_token{"token_update", R"(
UPDATE tokens SET enabled = $2, disabled_by = $3, name = $4, rate_limit = $5, rate_window = $6,
                  allowed_cidrs = $7, version = version + 1, updated_at = clock_timestamp()
 WHERE id = $1 RETURNING version, updated_at)"};

constexpr postgres::statement revoke_token{"token_revoke", R"(
UPDATE tokens SET revoked_at = clock_timestamp(), version = version + 1, updated_at = clock_timestamp()
 WHERE id = $1)"};

constexpr postgres::statement kill_secrets{
    "token_kill_secrets", "UPDATE token_secrets SET state = 'dead' WHERE token_id = $1 AND state <> 'dead'"};

postgres::query update_query(uuid id, token_plan const& plan) {
  std::optional<std::int64_t> limit, seconds;
  if (plan.rate) limit = plan.rate->limit, seconds = plan.rate->seconds;
  return {update_token,
          postgres::parameters(id, plan.enabled, plan.disabled_by, plan.name, limit, seconds, plan.allowed_cidrs)};
}

bool names_clash(postgres::server_error const& e) {
  return e.constraint == "tokens_project_name_unique" || e.constraint == "tokens_job_name_unique";
}

}  // namespace

task<change<stored_token>> token_store::get(token_scope where, uuid id, deadline until) {
  std::vector<postgres::query> batch{{get_token, postgres::parameters(where.project, where.job, id)},
                                     token_epoch_query(where, id)};
  std::vector<postgres::rows> const found = settled(co_await db_.run(std::move(batch), until));
  if (found[0].empty()) co_return change<stored_token>(errc::not_found);
  stored_token token = read_token_row(found[0].front());
  if (token.revoked) co_return change<stored_token>(errc::not_found, read_epochs(found[1]));
  co_return change<stored_token>(std::move(token), read_epochs(found[1]));
}

task<result<page<stored_token>>> token_store::list(token_scope where, page_request wanted, deadline until) {
  postgres::query ask{where.job ? list_of_job : list_of_project,
                      postgres::parameters(where.project, where.job, wanted.limit + 1, wanted.offset(),
                                           wanted.after_time(), wanted.after_id())};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  if (where.job && !found.front().boolean(2)) co_return errc::not_found;
  co_return read_page<stored_token>(found, wanted, 3, read_token_row, created_key<stored_token>);
}

task<std::vector<subject_epoch>> token_store::epochs_of(token_scope where, deadline until) {
  postgres::query ask{where.job ? epochs_of_job : epochs_of_project, postgres::parameters(where.project, where.job)};
  co_return read_epochs(settled(co_await db_.run(std::move(ask), until)));
}

task<result<token_scope>> token_store::scope_of(uuid token, deadline until) {
  postgres::query ask{token_scope_by_id, postgres::parameters(token)};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  if (found.empty()) co_return errc::not_found;
  co_return token_scope{found.front().id(0), found.front().maybe_id(1)};
}

task<result<token_scope>> token_store::keys_of(uuid job, deadline until) {
  postgres::query ask{job_scope_by_id, postgres::parameters(job)};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  if (found.empty()) co_return errc::not_found;
  co_return token_scope{found.front().id(0), found.front().maybe_id(1)};
}

task<change<stored_token>> token_store::update(token_scope place, uuid id, token_edit edit, token_editor by,
                                               deadline until) {
  postgres::unit_of_work tx = co_await db_.begin(until);
  locked_token held = co_await lock_token(tx, place, id);
  if (!held.token) co_return change<stored_token>(errc::not_found);
  stored_token& token = *held.token;
  result<token_plan> const plan = plan_edit(token, edit, by);
  if (!plan) co_return change<stored_token>(plan.error(), std::move(held.epochs));
  if (!plan->changes) co_return change<stored_token>(std::move(token), std::move(held.epochs));

  // The audit row first: it asks for the writer's right, which this very change may end.
  bool const binds = plan->disabled_by != token.disabled_by;
  std::vector<postgres::query> last{
      audit_query(token_audit(token, writer_of(token, by, binds), plan->verb, plan->details)),
      update_query(id, *plan), bump_query({token.subject()})};
  postgres::outcome<std::vector<postgres::rows>> const done = co_await tx.commit(std::move(last));
  if (!done && names_clash(done.error())) co_return change<stored_token>(errc::name_taken);
  std::vector<postgres::rows> const answers = settled(done);
  token.enabled = plan->enabled;
  token.disabled_by = plan->disabled_by;
  token.name = plan->name;
  token.rate = plan->rate;
  token.allowed_cidrs = plan->allowed_cidrs;
  token.version = answers[1].front().integer(0);
  token.updated_at = answers[1].front().time(1);
  co_return change<stored_token>(std::move(token), read_epochs(answers[2]));
}

task<change<>> token_store::revoke(token_scope place, uuid id, token_editor by, deadline until) {
  postgres::unit_of_work tx = co_await db_.begin(until);
  locked_token held = co_await lock_token(tx, place, id);
  if (!held.token) co_return change<>(errc::not_found);
  stored_token const& token = *held.token;
  if (auto ok = check_access(token, by); !ok) co_return change<>(ok.error(), std::move(held.epochs));

  std::string const details = boost::json::serialize(boost::json::object{{"name", token.name}});
  std::vector<postgres::query> last{audit_query(token_audit(token, writer_of(token, by), "revoked", details)),
                                    {revoke_token, postgres::parameters(id)},
                                    {kill_secrets, postgres::parameters(id)},
                                    bump_query({token.subject()})};
  std::vector<postgres::rows> const done = settled(co_await tx.commit(std::move(last)));
  co_return change<>(result<>(), read_epochs(done[3]));
}

}  // namespace svc::store
