#include "store/tokens/token_sql.hpp"

#include "store/sql/audit_sql.hpp"
#include "store/sql/settled.hpp"

#include <boost/json.hpp>

namespace svc::store {

namespace {

/// All times from one reading of the database's clock, so that expiresAt - createdAt is exactly what was asked.
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

postgres::query insert_query(stored_token const& t, new_token const& what, std::int64_t slot) {
  std::optional<std::int64_t> limit, seconds;
  if (t.rate) limit = t.rate->limit, seconds = t.rate->seconds;
  return {insert_token,
          postgres::parameters(t.id, to_string(t.kind), t.project, t.job, t.owner, t.name, t.start, slot, t.enabled,
                               limit, seconds, what.expires_at, what.expires_in, t.allowed_cidrs)};
}

error at_row(error why, std::size_t index) {
  std::string const text = why.message;
  why.details = {{"/" + std::to_string(index), text}};
  return why;
}

}  // namespace

std::vector<postgres::query> insert_queries(stored_token const& t, new_token const& what, std::int64_t slot,
                                            audit_actor const& by) {
  boost::json::object const details{{"name", t.name}, {"kind", to_string(t.kind)}, {"start", t.start}};
  std::vector<postgres::query> all{insert_query(t, what, slot)};
  if (t.job) all.push_back({insert_subject, postgres::parameters(t.id)});
  all.push_back({insert_secret, postgres::parameters(byte_view(what.digest), t.id, t.start)});
  all.push_back(audit_query(token_audit(t, by, "created", boost::json::serialize(details))));
  return all;
}

stored_token draft_of(new_token const& what, token_place const& place) {
  stored_token t;
  t.id = uuid::generate_v7();
  t.kind = what.kind;
  t.project = what.place.project;
  t.organization = place.organization;
  t.job = what.place.job;
  t.owner = t.created_by = what.owner;
  t.owner_name = t.created_by_name = place.owner_name;
  t.name = what.name;
  t.start = what.start;
  t.enabled = what.enabled;
  t.rate = what.rate;
  t.allowed_cidrs = what.allowed_cidrs;
  return t;
}

void read_clock(stored_token& token, postgres::rows const& inserted) {
  token.expires_at = inserted.front().maybe_time(0);
  token.created_at = inserted.front().time(1);
  token.updated_at = inserted.front().time(2);
}

task<change<stored_token>> token_store::create(new_token what, audit_actor by, deadline until) {
  postgres::unit_of_work tx = co_await db_.begin(until);
  result<token_place> const place = co_await take_place(tx, what);
  if (!place) co_return change<stored_token>(place.error());
  stored_token token = draft_of(what, *place);
  std::vector<postgres::query> last = insert_queries(token, what, place->slot, by);
  postgres::outcome<std::vector<postgres::rows>> const done = co_await tx.commit(std::move(last));
  if (!done) co_return change<stored_token>(creation_error(done.error(), token.job.has_value()));
  read_clock(token, done.value().front());
  co_return change<stored_token>(std::move(token));
}

task<change<std::vector<stored_token>>> token_store::import(std::vector<new_token> all, audit_actor by,
                                                            deadline until) {
  using answer = change<std::vector<stored_token>>;
  std::vector<stored_token> made;
  postgres::unit_of_work tx = co_await db_.begin(until);
  for (std::size_t i = 0; i < all.size(); ++i) {
    result<token_place> const place = co_await take_place(tx, all[i]);
    if (!place) co_return answer(at_row(place.error(), i));
    stored_token token = draft_of(all[i], *place);
    std::vector<postgres::query> batch = insert_queries(token, all[i], place->slot, by);
    postgres::outcome<std::vector<postgres::rows>> const done = co_await tx.run(std::move(batch));
    if (!done) co_return answer(at_row(creation_error(done.error(), token.job.has_value()), i));
    read_clock(token, done.value().front());
    made.push_back(std::move(token));
  }
  settled(co_await tx.commit());
  co_return answer(std::move(made));
}

}  // namespace svc::store
