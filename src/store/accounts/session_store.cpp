#include "svc/store/accounts/session_store.hpp"

#include "store/accounts/account_sql.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace svc::store {
namespace {

constexpr std::int64_t swept_rows = 500;

constexpr postgres::statement list_sessions{"sessions_list", R"(
SELECT id, method, coalesce(provider, ''), created_at, authenticated_at, last_seen_at, expires_at,
       coalesce(last_ip, ''), coalesce(user_agent, '')
  FROM sessions
 WHERE user_id = $1 AND ended_at IS NULL AND expires_at > clock_timestamp()
   AND last_seen_at > clock_timestamp() - $2 * interval '1 second'
 ORDER BY created_at DESC, id DESC)"};

constexpr postgres::statement end_session{"session_end", R"(
UPDATE sessions SET ended_at = m.now, ended_reason = $3, expires_at = least(expires_at, m.now)
  FROM (SELECT clock_timestamp() AS now) m
 WHERE id = $1 AND user_id = $2 AND ended_at IS NULL AND expires_at > m.now
RETURNING id)"};

// The second parameter of `nullif` keeps a session that must not end.
constexpr postgres::statement end_sessions{"sessions_end", R"(
UPDATE sessions SET ended_at = m.now, ended_reason = $3, expires_at = least(expires_at, m.now)
  FROM (SELECT clock_timestamp() AS now) m
 WHERE id IN (SELECT o.id FROM sessions o
               WHERE o.user_id = $1 AND o.ended_at IS NULL AND o.expires_at > m.now AND o.id IS DISTINCT FROM $2
               ORDER BY o.id FOR UPDATE)
RETURNING id)"};

constexpr postgres::statement refresh_session{"session_refresh", R"(
UPDATE sessions SET previous_digest = digest, digest = $2, method = $3, provider = nullif($4, ''),
       authenticated_at = clock_timestamp()
 WHERE id = $1 AND ended_at IS NULL AND expires_at > clock_timestamp()
RETURNING user_id)"};

constexpr postgres::statement write_session_uses{"session_uses_write", R"(
UPDATE sessions s SET last_seen_at = u.at, last_ip = nullif(u.ip, '')
  FROM (SELECT r.id, 'epoch'::timestamptz + r.micros * interval '1 microsecond' AS at, r.ip
          FROM unnest($1::uuid[], $2::bigint[], $3::text[]) r (id, micros, ip)
          JOIN sessions l ON l.id = r.id
         WHERE l.ended_at IS NULL
         ORDER BY r.id FOR NO KEY UPDATE OF l) u
 WHERE s.id = u.id AND s.last_seen_at < u.at AND s.ended_at IS NULL)"};

constexpr postgres::statement read_epoch{"session_read_epoch", "SELECT id, epoch FROM subjects WHERE id = $1"};

constexpr postgres::statement sweep_accounts{"accounts_sweep", "SELECT delete_ended_accounts($1)"};

}  // namespace

postgres::query end_sessions_query(uuid user, std::optional<uuid> kept, std::string_view reason) {
  return {end_sessions, postgres::parameters(user, kept, reason)};
}

task<std::vector<stored_session>> session_store::list(uuid user, deadline until) {
  postgres::query ask{list_sessions, postgres::parameters(user, std::int64_t{times_.idle.count()})};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  std::vector<stored_session> out;
  for (int i = 0; i < found.size(); ++i) {
    postgres::row const r = found[i];
    out.push_back({.id = r.id(0),
                   .method = std::string(r.text(1)),
                   .provider = std::string(r.text(2)),
                   .created_at = r.time(3),
                   .authenticated_at = r.time(4),
                   .last_seen_at = r.time(5),
                   .expires_at = r.time(6),
                   .ip = std::string(r.text(7)),
                   .user_agent = std::string(r.text(8))});
  }
  co_return out;
}

task<change<>> session_store::end(uuid user, uuid session, std::string reason, audit_actor actor, deadline until) {
  postgres::unit_of_work tx = co_await db_.begin(until);
  boost::json::object const details{{"reason", reason}};
  // The audit row checks the actor's right, which this end may be the end of.
  std::vector<postgres::query> batch{
      audit_query(account_audit(actor, "session.ended", "session", session, boost::json::serialize(details))),
      {end_session, postgres::parameters(session, user, reason)}};
  std::vector<postgres::rows> const done = settled(co_await tx.run(std::move(batch)));
  if (done[1].empty()) {
    // A repeated end reveals the first one, so its epoch is published as well.
    postgres::rows const epoch = settled(co_await tx.run({read_epoch, postgres::parameters(user)}));
    co_return change<>(errc::not_found, read_epochs(epoch));
  }
  std::vector<postgres::rows> const ended = settled(co_await tx.commit({bump_query({user})}));
  co_return change<>(result<>(), read_epochs(ended[0]));
}

task<change<std::vector<uuid>>> session_store::end_all(uuid user, std::optional<uuid> kept, std::string reason,
                                                       audit_actor actor, deadline until) {
  using answer = change<std::vector<uuid>>;
  postgres::unit_of_work tx = co_await db_.begin(until);
  std::vector<postgres::query> first{lock_account_query(user), end_sessions_query(user, kept, reason)};
  std::vector<postgres::rows> const found = settled(co_await tx.run(std::move(first)));
  if (found[0].empty()) co_return answer(errc::not_found);
  auto const ended = read_ids(found[1]);
  std::vector<postgres::query> last{bump_query({user})};
  for (auto const& entry : ended_audits(actor, ended, reason)) last.push_back(audit_query(entry));
  std::vector<postgres::rows> const done = settled(co_await tx.commit(std::move(last)));
  co_return answer(ended, read_epochs(done[0]));
}

task<change<>> session_store::refresh(uuid session, refreshed_session fresh, audit_actor actor, deadline until) {
  postgres::unit_of_work tx = co_await db_.begin(until);
  boost::json::object const details{{"method", fresh.method}};
  // The audit row checks the secret that the change replaces.
  std::vector<postgres::query> batch{
      audit_query(account_audit(actor, "session.refreshed", "session", session, boost::json::serialize(details))),
      {refresh_session, postgres::parameters(session, byte_view(fresh.digest), fresh.method, fresh.provider)}};
  std::vector<postgres::rows> const done = settled(co_await tx.run(std::move(batch)));
  if (done[1].empty()) co_return change<>(errc::session_ended);
  std::vector<postgres::rows> const ended = settled(co_await tx.commit({bump_query({done[1].front().id(0)})}));
  co_return change<>(result<>(), read_epochs(ended[0]));
}

task<> session_store::write(std::vector<last_use> batch, deadline until) {
  std::ranges::sort(batch, {}, &last_use::token);
  postgres::query write{write_session_uses};
  write.parameters.add_array(batch, [](last_use const& use) { return use.token; });
  write.parameters.add_array(batch, [](last_use const& use) { return use.time.micros; });
  write.parameters.add_array(batch, [](last_use const& use) { return std::string_view(use.ip); });
  settled(co_await db_.run(std::move(write), until));
}

task<bool> session_store::sweep(deadline until) {
  postgres::query ask{sweep_accounts, postgres::parameters(swept_rows)};
  postgres::rows const done = settled(co_await db_.run(std::move(ask), until));
  co_return done.front().integer(0) >= swept_rows;
}

}  // namespace svc::store
