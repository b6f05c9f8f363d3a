#include "svc/store/tokens/token_store.hpp"

#include "store/sql/change_sql.hpp"
#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "store/tokens/token_sql.hpp"

#include <algorithm>

namespace svc::store {

namespace {

constexpr auto get_token_sql = sql("SELECT ", token_columns, token_tables, "WHERE", is_token);
constexpr postgres::statement get_token{"token_get", get_token_sql};

// $3 limit + 1, $4 offset, $5 and $6 the key to start after.
consteval auto token_list_sql(auto const& scope) {
  return paged_sql(sql("tokens t WHERE", scope), no_estimate,
                   ", EXISTS (SELECT FROM jobs WHERE id = $2 AND project_id = $1 AND deleted_at IS NULL)",
                   sql(token_columns, token_tables, "WHERE", scope, rows_behind("t.created_at, t.id", "$5", "$6"),
                       " ORDER BY t.created_at, t.id LIMIT $3 OFFSET $4"));
}
constexpr auto list_of_project_sql = token_list_sql(is_token_of_project);
constexpr postgres::statement list_of_project{"token_list_of_project", list_of_project_sql};
constexpr auto list_keys_of_job_sql = token_list_sql(is_key_of_job);
constexpr postgres::statement list_keys_of_job{"token_list_of_job", list_keys_of_job_sql};

consteval auto token_epochs_sql(auto const& scope) {
  return sql(
      "SELECT s.id, s.epoch FROM subjects s WHERE s.id IN (SELECT CASE WHEN t.job_id IS NULL THEN t.owner_id ELSE"
      " t.id END FROM tokens t WHERE",
      scope, ") ORDER BY s.id");
}
constexpr auto epochs_of_project_sql = token_epochs_sql(is_token_of_project);
constexpr postgres::statement epochs_of_project{"token_epochs_of_project", epochs_of_project_sql};
constexpr auto epochs_of_job_sql = token_epochs_sql(is_key_of_job);
constexpr postgres::statement epochs_of_job{"token_epochs_of_job", epochs_of_job_sql};

constexpr postgres::statement token_scope_by_id{"token_scope", "SELECT project_id, job_id FROM tokens WHERE id = $1"};
constexpr postgres::statement job_scope_by_id{"token_scope_of_job",
                                              "SELECT project_id, id FROM jobs WHERE id = $1 AND deleted_at IS NULL"};

constexpr auto token_epoch_sql =
    sql("SELECT s.id, s.epoch FROM tokens t JOIN subjects s"
        " ON s.id = CASE WHEN t.job_id IS NULL THEN t.owner_id ELSE t.id END"
        " WHERE",
        is_token);
constexpr postgres::statement token_epoch{"token_epoch", token_epoch_sql};

std::optional<window_limit> read_rate(postgres::row const& r, int column) {
  auto const limit = r.maybe_integer(column), seconds = r.maybe_integer(column + 1);
  if (!limit || !seconds) return std::nullopt;
  return window_limit{static_cast<std::uint32_t>(*limit), static_cast<std::uint32_t>(*seconds)};
}

/// NO KEY, so that inserting runs and secrets that refer to the token does not wait.
constexpr auto lock_row_sql =
    sql("SELECT ", token_columns, token_tables, "WHERE", is_token, "FOR NO KEY UPDATE OF t");
constexpr postgres::statement lock_row{"token_lock", lock_row_sql};

/// Always returns a row, for the time. The secrets cannot change, because every change of secrets locks the token.
constexpr postgres::statement read_secrets{"token_live_secrets", R"(
SELECT clock_timestamp(), s.digest, s.state, s.start, s.valid_until, s.ends_previous
  FROM (SELECT) one LEFT JOIN token_secrets s ON s.token_id = $1 AND s.state <> 'dead')"};

/// A separate statement, as `token_epoch` is.
constexpr postgres::statement read_owner_role{"token_owner_role", R"(
SELECT coalesce(om.role, ''), coalesce(pm.role, '')
  FROM tokens t JOIN projects p ON p.id = t.project_id
  LEFT JOIN organization_members om ON om.organization_id = p.organization_id AND om.user_id = t.owner_id
  LEFT JOIN project_members pm ON pm.project_id = t.project_id AND pm.user_id = t.owner_id
 WHERE t.id = $1)"};

live_secret read_secret(postgres::row const& r) {
  live_secret out;
  out.digest = digest_of(r.bytes(1));
  out.state = parse_secret_state(r.text(2)).value();
  out.start = std::string(r.text(3));
  out.valid_until = r.maybe_time(4);
  out.ends_previous = r.boolean(5);
  return out;
}

constexpr postgres::statement write_last_use{"last_use_write", R"(
INSERT INTO token_last_use AS held (token_id, used_at, ip)
SELECT token, to_timestamp(at / 1000000.0), ip
  FROM unnest($1::uuid[], $2::bigint[], $3::text[]) AS used (token, at, ip)
 WHERE EXISTS (SELECT FROM tokens t WHERE t.id = used.token) ORDER BY token
    ON CONFLICT (token_id) DO UPDATE SET used_at = excluded.used_at, ip = excluded.ip
 WHERE held.used_at < excluded.used_at)"};

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
  postgres::query ask{where.job ? list_keys_of_job : list_of_project,
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

stored_token read_token_row(postgres::row const& r, int f) {
  stored_token t;
  t.id = r.id(f);
  t.kind = parse_token_kind(r.text(f + 1)).value();
  t.project = r.id(f + 2);
  t.organization = r.id(f + 3);
  t.job = r.maybe_id(f + 4);
  t.owner = r.id(f + 5);
  t.owner_name = std::string(r.text(f + 6));
  t.created_by = r.id(f + 7);
  t.created_by_name = std::string(r.text(f + 8));
  t.name = std::string(r.text(f + 9));
  t.start = std::string(r.text(f + 10));
  t.disabled_by = r.maybe_id(f + 12);
  t.owner_left = r.boolean(f + 13);
  t.enabled = r.boolean(f + 11) && !t.owner_left;
  t.revoked = r.boolean(f + 14);
  t.rate = read_rate(r, f + 15);
  t.expires_at = r.maybe_time(f + 17);
  t.last_used_at = r.maybe_time(f + 18);
  t.last_used_ip = r.maybe_text(f + 19);
  t.version = r.integer(f + 20);
  t.created_at = r.time(f + 21);
  t.updated_at = r.time(f + 22);
  if (!r.is_null(f + 25)) t.allowed_cidrs = r.texts(f + 25);
  if (auto const until = r.maybe_time(f + 24)) t.previous = previous_secret{std::string(r.text(f + 23)), *until};
  return t;
}

bool names_clash(postgres::server_error const& failure) {
  return failure.constraint == "tokens_project_name_unique" || failure.constraint == "tokens_job_name_unique";
}

postgres::query token_epoch_query(token_scope scope, uuid id) {
  return {token_epoch, postgres::parameters(scope.project, scope.job, id)};
}

audit_entry token_audit(stored_token const& token, audit_actor const& actor, std::string_view verb,
                        std::string details) {
  std::string const resource = token.job ? "trigger_key" : "cli_token";
  return {.actor = actor,
          .organization = token.organization,
          .project = token.project,
          .action = resource + "." + std::string(verb),
          .resource = resource,
          .resource_id = token.id,
          .details = std::move(details)};
}

task<locked_token> lock_token(postgres::unit_of_work& tx, token_scope scope, uuid id) {
  std::vector<postgres::query> batch{{lock_row, postgres::parameters(scope.project, scope.job, id)},
                                     token_epoch_query(scope, id),
                                     {read_secrets, postgres::parameters(id)},
                                     {read_owner_role, postgres::parameters(id)}};
  std::vector<postgres::rows> const found = settled(co_await tx.run(std::move(batch)));
  locked_token out;
  if (!found[0].empty()) out.token = read_token_row(found[0].front());
  if (!found[3].empty()) out.owner_role = effective_role(found[3].front().text(0), found[3].front().text(1));
  out.epochs = read_epochs(found[1]);
  out.now = found[2].front().time(0);
  for (int i = 0; i < found[2].size(); ++i)
    if (!found[2][i].is_null(1)) out.secrets.push_back(read_secret(found[2][i]));
  // The joined columns are from before the wait for the lock.
  if (out.token) out.token->previous = secret_ledger(out.secrets, out.now).previous();
  co_return out;
}

task<> last_use_store::write(std::vector<last_use> batch, deadline until) {
  std::ranges::sort(batch, {}, &last_use::token);
  std::vector<uuid> tokens;
  std::vector<std::int64_t> times;
  std::vector<std::string> addresses;
  for (auto const& use : batch) {
    tokens.push_back(use.token);
    times.push_back(use.time.micros);
    addresses.push_back(use.ip);
  }
  settled(co_await db_.run(postgres::query{write_last_use, postgres::parameters(tokens, times, addresses)}, until));
}

}  // namespace svc::store
