#include "svc/store/tokens/token_store.hpp"

#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/tokens/token_decision.hpp"
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
  rate_columns const rate(plan.rate);
  return {update_token, postgres::parameters(id, plan.enabled, plan.disabled_by, plan.name, rate.limit, rate.seconds,
                                             plan.allowed_cidrs)};
}

constexpr postgres::statement move_secret{
    "token_move_secret", "UPDATE token_secrets SET state = $3, valid_until = $4 WHERE token_id = $1 AND state = $2"};

constexpr postgres::statement insert_pending{"token_insert_pending", R"(
INSERT INTO token_secrets (digest, token_id, state, start, ends_previous) VALUES ($1, $2, 'pending', $3, $4))"};

// The newest ten stay, so that a secret that was just replaced is recognised.
constexpr postgres::statement delete_former_secrets{"token_delete_former", R"(
DELETE FROM token_secrets WHERE digest = ANY (ARRAY(
  SELECT s.digest FROM token_secrets s WHERE s.token_id = $1 AND s.state = 'dead'
   ORDER BY s.created_at DESC, s.digest OFFSET 10)))"};

constexpr postgres::statement update_rotated{"token_update_rotated", R"(
UPDATE tokens SET start = $2, expires_at = $3, version = version + 1, updated_at = clock_timestamp()
 WHERE id = $1 RETURNING version, updated_at)"};

void add_moves(uuid token, secret_ledger const& ledger, std::vector<postgres::query>& batch) {
  for (auto const& m : ledger.moves())
    batch.push_back(
        {move_secret, postgres::parameters(token, to_string(m.state), to_string(m.secret_state), m.valid_until)});
}

void add_audit(stored_token const& token, audit_actor const& actor, std::string_view verb,
               boost::json::object details, std::vector<postgres::query>& batch) {
  details["name"] = token.name;
  batch.push_back(audit_query(token_audit(token, actor, verb, boost::json::serialize(details))));
}

/// A secret that a change ends gets its own audit row. One that will end later, by time, is in the rotation's row.
void add_endings(stored_token const& token, audit_actor const& actor, secret_ledger const& ledger,
                 std::vector<postgres::query>& batch) {
  for (auto const& e : ledger.endings())
    add_audit(token, actor, "secret_ended", {{"start", e.start}, {"reason", e.reason}}, batch);
}

boost::json::object rotation_details(stored_token const& token, rotation const& rotation) {
  boost::json::object out{{"start", rotation.start},
                          {"endPrevious", rotation.end_at_first_use ? "first_use" : "grace"}};
  if (token.expires_at) out["expiresAt"] = to_rfc3339(*token.expires_at);
  if (token.previous)
    out["previous"] = {{"start", token.previous->start}, {"expiresAt", to_rfc3339(token.previous->expires_at)}};
  return out;
}

/// not_found, not_token_owner, token_not_active.
result<> check_rotation(locked_token const& held, audit_actor const& actor) {
  stored_token const& token = *held.token;
  if (token.revoked) return errc::not_found;
  if (actor.user != token.owner) return errc::not_token_owner;
  bool const expired = token.expires_at && *token.expires_at <= held.now;
  if (!token.enabled || expired) return errc::token_not_active;
  return {};
}

}  // namespace

task<change<stored_token>> token_store::update(token_scope scope, uuid id, token_edit edit, token_editor editor,
                                               deadline until) {
  postgres::unit_of_work tx = co_await db_.begin(until);
  locked_token held = co_await lock_token(tx, scope, id);
  if (!held.token) co_return change<stored_token>(errc::not_found);
  stored_token& token = *held.token;
  result<token_plan> const plan = plan_edit(token, held.owner_role, edit, editor);
  if (!plan) co_return change<stored_token>(plan.error(), std::move(held.epochs));
  if (!plan->changes) co_return change<stored_token>(std::move(token), std::move(held.epochs));

  // The audit row is first, because it checks the writer's right, which this change may end.
  role const least = least_role(token, held.owner_role, *plan, editor);
  std::vector<postgres::query> last{
      audit_query(token_audit(token, writer_of(token, editor, least), plan->verb, plan->details)),
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

task<change<>> token_store::revoke(token_scope scope, uuid id, token_editor editor, deadline until) {
  postgres::unit_of_work tx = co_await db_.begin(until);
  locked_token held = co_await lock_token(tx, scope, id);
  if (!held.token) co_return change<>(errc::not_found);
  stored_token const& token = *held.token;
  if (auto ok = check_access(token, editor); !ok) co_return change<>(ok.error(), std::move(held.epochs));

  std::string const details = boost::json::serialize(boost::json::object{{"name", token.name}});
  std::vector<postgres::query> last{audit_query(token_audit(token, writer_of(token, editor), "revoked", details)),
                                    {revoke_token, postgres::parameters(id)},
                                    {kill_secrets, postgres::parameters(id)},
                                    bump_query({token.subject()})};
  std::vector<postgres::rows> const done = settled(co_await tx.commit(std::move(last)));
  co_return change<>(result<>(), read_epochs(done[3]));
}

task<change<stored_token>> token_store::rotate(token_scope scope, uuid id, rotation rotation, audit_actor actor,
                                               deadline until) {
  postgres::unit_of_work tx = co_await db_.begin(until);
  locked_token held = co_await lock_token(tx, scope, id);
  if (!held.token) co_return change<stored_token>(errc::not_found);
  if (auto ok = check_rotation(held, actor); !ok) co_return change<stored_token>(ok.error(), std::move(held.epochs));

  stored_token& token = *held.token;
  std::optional<timestamp> const before = token.expires_at;
  if (rotation.expires_in) token.expires_at = held.now + std::chrono::seconds(*rotation.expires_in);
  secret_ledger ledger(std::move(held.secrets), held.now);
  bool const confirmed = rotation.presented && ledger.confirm(*rotation.presented);
  ledger.rotate(end_of_grace(rotation, before, token.expires_at, held.now));
  token.previous = ledger.previous();

  // The audit rows are first, because they check the writer's right, which this change may end.
  std::vector<postgres::query> last;
  if (confirmed) add_audit(token, actor, "secret_confirmed", {{"start", token.start}}, last);
  add_audit(token, actor, "rotated", rotation_details(token, rotation), last);
  add_endings(token, actor, ledger, last);
  add_moves(id, ledger, last);
  last.push_back({delete_former_secrets, postgres::parameters(id)});
  last.push_back({insert_pending,
                  postgres::parameters(byte_view(rotation.digest), id, rotation.start, rotation.end_at_first_use)});
  last.push_back({update_rotated, postgres::parameters(id, rotation.start, token.expires_at)});
  last.push_back(bump_query({token.subject()}));
  std::vector<postgres::rows> const done = settled(co_await tx.commit(std::move(last)));
  token.start = rotation.start;
  token.version = done[done.size() - 2].front().integer(0);
  token.updated_at = done[done.size() - 2].front().time(1);
  co_return change<stored_token>(std::move(token), read_epochs(done.back()));
}

task<change<bool>> token_store::confirm(token_scope scope, uuid id, sha256_digest used, audit_actor actor,
                                        deadline until) {
  postgres::unit_of_work tx = co_await db_.begin(until);
  locked_token held = co_await lock_token(tx, scope, id);
  if (!held.token) co_return change<bool>(false);
  stored_token const& token = *held.token;
  secret_ledger ledger(std::move(held.secrets), held.now);
  // Another request has confirmed the secret, or the secret has ended since; return the epoch of that change.
  if (!ledger.confirm(used)) co_return change<bool>(false, std::move(held.epochs));

  std::vector<postgres::query> last;
  add_audit(token, actor, "secret_confirmed", {{"start", token.start}}, last);
  add_endings(token, actor, ledger, last);
  add_moves(id, ledger, last);
  last.push_back(bump_query({token.subject()}));
  std::vector<postgres::rows> const done = settled(co_await tx.commit(std::move(last)));
  co_return change<bool>(true, read_epochs(done.back()));
}

}  // namespace svc::store
