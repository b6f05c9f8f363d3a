#include "store/tokens/token_sql.hpp"

#include "store/sql/audit_sql.hpp"
#include "store/sql/settled.hpp"

namespace svc::store {
namespace {

constexpr postgres::statement token_epoch{"token_epoch",
                                          "SELECT s.id, s.epoch FROM tokens t JOIN subjects s"
                                          " ON s.id = CASE WHEN t.job_id IS NULL THEN t.owner_id ELSE t.id END"
                                          " WHERE" SVC_TOKEN_BY_ID};

std::optional<window_limit> read_rate(postgres::row const& r, int column) {
  auto const limit = r.maybe_integer(column), seconds = r.maybe_integer(column + 1);
  if (!limit || !seconds) return std::nullopt;
  return window_limit{static_cast<std::uint32_t>(*limit), static_cast<std::uint32_t>(*seconds)};
}

/// NO KEY: runs and secrets that point at the token are not held up.
constexpr postgres::statement lock_row{
    "token_lock", "SELECT " SVC_TOKEN_COLUMNS SVC_TOKEN_TABLES "WHERE" SVC_TOKEN_BY_ID "FOR NO KEY UPDATE OF t"};

/// Always a row, for the time. Who changes secrets holds the token's lock.
constexpr postgres::statement read_secrets{"token_live_secrets", R"(
SELECT clock_timestamp(), s.digest, s.state, s.start, s.valid_until, s.ends_previous
  FROM (SELECT) one LEFT JOIN token_secrets s ON s.token_id = $1 AND s.state <> 'dead')"};

live_secret read_secret(postgres::row const& r) {
  live_secret out;
  out.digest = digest_of(r.bytes(1));
  out.state = parse_secret_state(r.text(2)).value();
  out.start = std::string(r.text(3));
  out.valid_until = r.maybe_time(4);
  out.ends_previous = r.boolean(5);
  return out;
}

}  // namespace

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

postgres::query token_epoch_query(token_scope place, uuid id) {
  return {token_epoch, postgres::parameters(place.project, place.job, id)};
}

audit_entry token_audit(stored_token const& token, audit_actor const& by, std::string_view verb,
                        std::string details) {
  std::string const resource = token.job ? "trigger_key" : "cli_token";
  return {.actor = by,
          .organization = token.organization,
          .project = token.project,
          .action = resource + "." + std::string(verb),
          .resource = resource,
          .resource_id = token.id,
          .details = std::move(details)};
}

task<locked_token> lock_token(postgres::unit_of_work& tx, token_scope place, uuid id) {
  std::vector<postgres::query> batch{{lock_row, postgres::parameters(place.project, place.job, id)},
                                     token_epoch_query(place, id),
                                     {read_secrets, postgres::parameters(id)}};
  std::vector<postgres::rows> const found = settled(co_await tx.run(std::move(batch)));
  locked_token out;
  if (!found[0].empty()) out.token = read_token_row(found[0].front());
  out.epochs = read_epochs(found[1]);
  out.now = found[2].front().time(0);
  for (int i = 0; i < found[2].size(); ++i)
    if (!found[2][i].is_null(1)) out.secrets.push_back(read_secret(found[2][i]));
  // What was joined to the row is older than the wait for its lock.
  if (out.token) out.token->previous = secret_ledger(out.secrets, out.now).previous();
  co_return out;
}

}  // namespace svc::store
