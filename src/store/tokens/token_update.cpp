#include "store/directory/audit_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/tokens/token_decision.hpp"
#include "store/tokens/token_lock.hpp"
#include "store/tokens/token_sql.hpp"

#include <boost/json.hpp>

namespace svc::store {

namespace {

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
