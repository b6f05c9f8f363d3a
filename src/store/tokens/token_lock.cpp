#include "store/tokens/token_lock.hpp"

#include "store/directory/audit_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/tokens/token_sql.hpp"

namespace svc::store {

namespace {

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
