#include "svc/store/tokens/token_store.hpp"

#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "store/tokens/token_sql.hpp"
#include "svc/domain/quota.hpp"
#include "svc/postgres/pool.hpp"

#include <boost/json.hpp>

#include <vector>

namespace svc::store {

namespace {

/// The inputs for the insertion of a token. Its locks are held until the end of the transaction.
struct token_inputs {
  std::string owner_name;
  uuid organization;
  std::int64_t slot = 0;
};

// All creations take these locks in this order. With FOR SHARE a removal, ban or archiving waits for the creation, or
// the creation waits for it and then sees its result. Each statement has its own snapshot, so the next statement sees
// the result that an earlier one waited for.
constexpr postgres::statement share_project{
    "token_share_project", "SELECT organization_id, archived_at IS NOT NULL FROM projects WHERE id = $1 FOR SHARE"};
constexpr postgres::statement share_job{
    "token_share_job", "SELECT id FROM jobs WHERE id = $2 AND project_id = $1 AND deleted_at IS NULL FOR SHARE"};
constexpr postgres::statement share_owner{"token_share_owner",
                                          "SELECT name, disabled_at IS NOT NULL FROM users WHERE id = $1 FOR SHARE"};
constexpr postgres::statement share_member{"token_share_member", R"(
SELECT role FROM organization_members
 WHERE user_id = $2 AND organization_id = (SELECT organization_id FROM projects WHERE id = $1) FOR SHARE)"};
constexpr postgres::statement share_role{
    "token_share_role", "SELECT role FROM project_members WHERE project_id = $1 AND user_id = $2 FOR SHARE"};

/// Allows one creation at a time per project or job, so that the next statement's snapshot sees all slots taken
/// before it. An insertion without the lock still fails on the unique slots.
constexpr postgres::statement lock_slots{"token_lock_slots",
                                         "SELECT pg_advisory_xact_lock(hashtextextended('slots ' || $1, 0))"};

consteval auto slot_sql(auto const& scope) {
  return sql(
      "SELECT (SELECT min(n) FROM generate_series(1, $4) n"
      " WHERE NOT EXISTS (SELECT FROM tokens t WHERE t.slot = n AND",
      scope,
      "))::int8,"
      " EXISTS (SELECT FROM tokens t WHERE t.name = $3 AND",
      scope,
      "),"
      " ARRAY(SELECT t.name FROM tokens t WHERE t.expires_at <= statement_timestamp() AND",
      scope, " ORDER BY t.expires_at, t.id)");
}
constexpr auto slot_of_project_sql = slot_sql(is_token_of_project);
constexpr postgres::statement slot_of_project{"token_slot_of_project", slot_of_project_sql};
constexpr auto slot_of_job_sql = slot_sql(is_key_of_job);
constexpr postgres::statement slot_of_job{"token_slot_of_job", slot_of_job_sql};

std::vector<postgres::query> scope_queries(new_token const& token) {
  token_scope const& scope = token.scope;
  return {
      {share_project, postgres::parameters(scope.project)},
      {share_job, postgres::parameters(scope.project, scope.job)},
      {share_owner, postgres::parameters(token.owner)},
      {share_member, postgres::parameters(scope.project, token.owner)},
      {share_role, postgres::parameters(scope.project, token.owner)},
      {lock_slots, postgres::parameters((scope.job ? *scope.job : scope.project).to_string())},
      {scope.job ? slot_of_job : slot_of_project,
       postgres::parameters(scope.project, scope.job, token.name, scope.job ? most_trigger_keys : most_cli_tokens)}};
}

std::string_view text_or_nothing(postgres::rows const& found) {
  return found.empty() ? std::string_view() : found.front().text(0);
}

/// The error that authentication would give for the new token. A creator who has lost their rights since the request
/// was admitted gets the same error.
result<> check_status(std::vector<postgres::rows> const& found, bool trigger_key) {
  auto const &project = found[0], &job = found[1], &owner = found[2], &member = found[3], &in_project = found[4];
  if (project.empty() || owner.empty()) return errc::not_found;
  if (trigger_key && job.empty()) return errc::not_found;
  if (owner.front().boolean(1)) return errc::owner_disabled;
  if (member.empty()) return errc::owner_removed;
  if (effective_role(text_or_nothing(member), text_or_nothing(in_project)) == role::none)
    return errc::owner_without_role;
  if (project.front().boolean(1)) return errc::project_archived;
  return {};
}

error limit_error(bool trigger_key, std::vector<std::string> const& expired) {
  std::string text = trigger_key
                         ? "A job holds at most " + std::to_string(most_trigger_keys) + " unrevoked trigger keys."
                         : "A project holds at most " + std::to_string(most_cli_tokens) +
                               " unrevoked tokens, expired and disabled ones included.";
  if (expired.empty()) {
    text += " Delete one that is no longer needed.";
  } else {
    text += " Expired, can be deleted:";
    for (std::size_t i = 0; i < expired.size(); ++i) text += (i == 0 ? " \"" : ", \"") + expired[i] + "\"";
    text += ".";
  }
  return {trigger_key ? errc::trigger_key_limit_reached : errc::token_limit_reached, std::move(text)};
}

/// All times are from one reading of the database's clock, so that expiresAt - createdAt is exactly as requested.
constexpr postgres::statement insert_token{"token_insert", R"(
INSERT INTO tokens (id, kind, project_id, job_id, owner_id, created_by, name, start, slot, enabled,
                    rate_limit, rate_window, expires_at, allowed_cidrs, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $5, $6, $7, $8, $9, $10, $11,
        coalesce($12::timestamptz, statement_timestamp() + $13::bigint * interval '1 second'), $14,
        statement_timestamp(), statement_timestamp())
RETURNING expires_at, created_at, updated_at)"};

constexpr postgres::statement insert_subject{"subject_insert", "INSERT INTO subjects (id) VALUES ($1)"};

constexpr postgres::statement insert_secret{
    "token_insert_secret",
    "INSERT INTO token_secrets (digest, token_id, state, start) VALUES ($1, $2, 'current', $3)"};

postgres::query insert_query(stored_token const& t, new_token const& token, std::int64_t slot) {
  rate_columns const rate(t.rate);
  return {insert_token,
          postgres::parameters(t.id, to_string(t.kind), t.project, t.job, t.owner, t.name, t.start, slot, t.enabled,
                               rate.limit, rate.seconds, token.expires_at, token.expires_in, t.allowed_cidrs)};
}

error at_row(error failure, std::size_t index) {
  std::string const text = failure.message;
  failure.details = {{"/" + std::to_string(index), text}};
  return failure;
}

/// Locks the objects that the token depends on (project, job, owner, memberships) and its scope's slots, then checks
/// them. Takes one round trip. Fails under the same conditions as `token_store::create`.
task<result<token_inputs>> take_slot(postgres::unit_of_work& tx, new_token const& token) {
  std::vector<postgres::rows> const found = settled(co_await tx.run(scope_queries(token)));
  bool const trigger_key = token.scope.job.has_value();
  if (auto ok = check_status(found, trigger_key); !ok) co_return ok.error();
  postgres::row const r = found[6].front();
  if (r.boolean(1)) co_return errc::name_taken;
  if (r.is_null(0)) co_return limit_error(trigger_key, r.texts(2));
  co_return token_inputs{std::string(found[2].front().text(0)), found[0].front().id(0), r.integer(0)};
}

/// Returns the error of `create` for the violated constraint.
error creation_error(postgres::server_error const& failure, bool trigger_key) {
  if (names_clash(failure)) return errc::name_taken;
  if (failure.constraint == "tokens_project_slot_unique" || failure.constraint == "tokens_job_slot_unique")
    return limit_error(trigger_key, {});
  if (failure.constraint == "token_secrets_pkey") return {errc::name_taken, "This token's digest is already stored."};
  reject(failure);
}

/// Returns the inserts of token, subject (trigger keys only), secret and audit row. The first statement returns the
/// token's times by the database's clock.
std::vector<postgres::query> insert_queries(stored_token const& t, new_token const& token, std::int64_t slot,
                                            audit_actor const& actor) {
  boost::json::object const details{{"name", t.name}, {"kind", to_string(t.kind)}, {"start", t.start}};
  std::vector<postgres::query> all{insert_query(t, token, slot)};
  if (t.job) all.push_back({insert_subject, postgres::parameters(t.id)});
  all.push_back({insert_secret, postgres::parameters(byte_view(token.digest), t.id, t.start)});
  all.push_back(audit_query(token_audit(t, actor, "created", boost::json::serialize(details))));
  return all;
}

/// The new token with a new id, without the times that the database sets.
stored_token draft_of(new_token const& token, token_inputs const& location) {
  stored_token t;
  t.id = uuid::generate_v7();
  t.kind = token.kind;
  t.project = token.scope.project;
  t.organization = location.organization;
  t.job = token.scope.job;
  t.owner = t.created_by = token.owner;
  t.owner_name = t.created_by_name = location.owner_name;
  t.name = token.name;
  t.start = token.start;
  t.enabled = token.enabled;
  t.rate = token.rate;
  t.allowed_cidrs = token.allowed_cidrs;
  return t;
}

void read_clock(stored_token& token, postgres::rows const& inserted) {
  token.expires_at = inserted.front().maybe_time(0);
  token.created_at = inserted.front().time(1);
  token.updated_at = inserted.front().time(2);
}

}  // namespace

task<change<stored_token>> token_store::create(new_token content, audit_actor actor, deadline until) {
  postgres::unit_of_work tx = co_await db_.begin(until);
  result<token_inputs> const location = co_await take_slot(tx, content);
  if (!location) co_return change<stored_token>(location.error());
  stored_token token = draft_of(content, *location);
  std::vector<postgres::query> last = insert_queries(token, content, location->slot, actor);
  postgres::outcome<std::vector<postgres::rows>> const done = co_await tx.commit(std::move(last));
  if (!done) co_return change<stored_token>(creation_error(done.error(), token.job.has_value()));
  read_clock(token, done.value().front());
  co_return change<stored_token>(std::move(token));
}

task<change<std::vector<stored_token>>> token_store::import(std::vector<new_token> all, audit_actor actor,
                                                            deadline until) {
  using answer = change<std::vector<stored_token>>;
  std::vector<stored_token> made;
  postgres::unit_of_work tx = co_await db_.begin(until);
  for (std::size_t i = 0; i < all.size(); ++i) {
    result<token_inputs> const location = co_await take_slot(tx, all[i]);
    if (!location) co_return answer(at_row(location.error(), i));
    stored_token token = draft_of(all[i], *location);
    std::vector<postgres::query> batch = insert_queries(token, all[i], location->slot, actor);
    postgres::outcome<std::vector<postgres::rows>> const done = co_await tx.run(std::move(batch));
    if (!done) co_return answer(at_row(creation_error(done.error(), token.job.has_value()), i));
    read_clock(token, done.value().front());
    made.push_back(std::move(token));
  }
  settled(co_await tx.commit());
  co_return answer(std::move(made));
}

}  // namespace svc::store
