#include "svc/store/accounts/sign_in_store.hpp"

#include "store/accounts/account_sql.hpp"
#include "store/accounts/invitation_sql.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <iterator>

namespace svc::store {
namespace {

constexpr postgres::statement insert_link{"link_insert", R"(
INSERT INTO links (id, user_id, kind, expires_at, created_by)
VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 second', $5))"};

constexpr postgres::statement insert_link_secret{
    "link_insert_secret", "INSERT INTO one_time_secrets (digest, link_id, mailed) VALUES ($1, $2, false)"};

constexpr auto link_is_open = sql("l.used_at IS NULL AND l.expires_at > clock_timestamp()");
constexpr auto is_managed = sql("EXISTS (SELECT FROM identities i WHERE i.user_id = u.id)");

constexpr auto preview_open_link_sql = sql(R"(
SELECT u.name, u.email, l.kind, l.expires_at, l.kind <> 'dev' AND NOT )",
                                           is_managed, R"(
  FROM one_time_secrets s
  JOIN links l ON l.id = s.link_id
  JOIN users u ON u.id = l.user_id
 WHERE s.digest = $1 AND u.disabled_at IS NULL AND )",
                                           link_is_open);
constexpr postgres::statement preview_open_link{"link_preview", preview_open_link_sql};

// A statement of its own before the next one, whose snapshot must be newer than the lock.
constexpr auto lock_user_of_link_sql = sql(R"(
SELECT u.id, u.disabled_at IS NOT NULL, u.name, u.email, )",
                                           is_managed, R"(
  FROM users u
 WHERE u.id = (SELECT l.user_id FROM one_time_secrets s JOIN links l ON l.id = s.link_id WHERE s.digest = $1)
   FOR NO KEY UPDATE)");
constexpr postgres::statement lock_user_of_link{"link_lock_user", lock_user_of_link_sql};

constexpr auto lock_link_sql = sql(R"(
SELECT l.id, l.kind, s.mailed FROM one_time_secrets s JOIN links l ON l.id = s.link_id
 WHERE s.digest = $1 AND )",
                                   link_is_open, " FOR UPDATE OF l");
constexpr postgres::statement lock_link{"link_lock", lock_link_sql};

constexpr postgres::statement spend_link{"link_spend", R"(
UPDATE links SET used_at = clock_timestamp() WHERE id = $1 AND kind <> 'dev')"};

constexpr auto find_by_email_sql = sql(R"(
SELECT u.id, u.name, coalesce(p.hash, ''), u.disabled_at IS NOT NULL, )",
                                       is_managed, R"(
  FROM users u LEFT JOIN passwords p ON p.user_id = u.id
 WHERE lower(u.email) = $1)");
constexpr postgres::statement find_by_email{"account_find", find_by_email_sql};

constexpr auto lock_account_sql = sql(R"(
SELECT u.id, u.disabled_at IS NOT NULL, u.name, u.email, )",
                                      is_managed, R"(
  FROM users u WHERE u.id = $1 FOR NO KEY UPDATE)");
constexpr postgres::statement lock_account{"account_lock", lock_account_sql};

constexpr postgres::statement read_hash{"password_read", "SELECT hash FROM passwords WHERE user_id = $1"};

constexpr postgres::statement set_password_hash{"password_set", R"(
INSERT INTO passwords AS p (user_id, hash) VALUES ($1, $2)
ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, changed_at = clock_timestamp())"};

constexpr postgres::statement rehash_password{"password_rehash", "UPDATE passwords SET hash = $2 WHERE user_id = $1"};

constexpr postgres::statement insert_session{"session_insert", R"(
INSERT INTO sessions (id, user_id, digest, method, provider, last_ip, user_agent, expires_at)
VALUES ($1, $2, $3, $4, nullif($5, ''), nullif($6, ''), nullif($7, ''), clock_timestamp() + $8 * interval '1 second')
RETURNING created_at, expires_at)"};

constexpr postgres::statement trim_user_sessions{"sessions_trim", "SELECT trim_sessions($1)"};

constexpr postgres::statement end_replaced{"session_end_replaced", R"(
UPDATE sessions SET ended_at = m.now, ended_reason = 'replaced', expires_at = least(expires_at, m.now)
  FROM (SELECT clock_timestamp() AS now) m
 WHERE id = (SELECT o.id FROM sessions o WHERE o.digest = $1 UNION ALL
             SELECT o.id FROM sessions o WHERE o.previous_digest = $1 LIMIT 1)
   AND ended_at IS NULL AND expires_at > m.now
RETURNING id, user_id)"};

constexpr postgres::statement find_method{"account_has_method", R"(
SELECT EXISTS (SELECT FROM passwords WHERE user_id = $1) OR EXISTS (SELECT FROM identities WHERE user_id = $1))"};

constexpr postgres::statement delete_password{"password_delete",
                                              "DELETE FROM passwords WHERE user_id = $1 RETURNING user_id"};
constexpr postgres::statement delete_identities{"identities_delete",
                                                "DELETE FROM identities WHERE user_id = $1 RETURNING provider"};
constexpr postgres::statement end_links{"links_end", R"(
DELETE FROM links
 WHERE user_id = $1 AND used_at IS NULL AND expires_at > clock_timestamp() AND kind <> 'dev' RETURNING id)"};
constexpr postgres::statement delete_open_links{"links_delete_open",
                                                "DELETE FROM links WHERE user_id = $1 AND used_at IS NULL"};
constexpr postgres::statement revoke_all_tokens{"tokens_revoke_all", R"(
UPDATE tokens t SET revoked_at = clock_timestamp(), version = t.version + 1, updated_at = clock_timestamp()
  FROM projects p
 WHERE t.owner_id = $1 AND t.revoked_at IS NULL AND p.id = t.project_id
RETURNING t.id, t.job_id, t.project_id, p.organization_id, t.name)"};
constexpr postgres::statement kill_all_secrets{"tokens_kill_all_secrets", R"(
UPDATE token_secrets SET state = 'dead'
 WHERE state <> 'dead' AND token_id IN (SELECT id FROM tokens WHERE owner_id = $1 AND revoked_at IS NOT NULL))"};

audit_entry revoked_audit(audit_actor const& actor, postgres::row const& token) {
  std::string const resource = token.is_null(1) ? "cli_token" : "trigger_key";
  boost::json::object const details{{"name", token.text(4)}, {"reason", session_end::reset}};
  return {.actor = actor,
          .organization = token.id(3),
          .project = token.id(2),
          .action = resource + ".revoked",
          .resource = resource,
          .resource_id = token.id(0),
          .details = boost::json::serialize(details)};
}

// The trigger keys of a user, whose rights depend on the user's roles. The search follows the changes.
constexpr postgres::statement bump_keys_of_account{"account_bump_keys", R"(
SELECT subject_id, subject_epoch FROM bump_subjects(ARRAY(
  SELECT t.id FROM tokens t WHERE t.owner_id = $1 AND t.revoked_at IS NULL AND t.job_id IS NOT NULL)))"};

audit_actor actor_of_opening(opening const& sign_in, uuid session) {
  return {.user = sign_in.user,
          .name = sign_in.name,
          .ip = sign_in.session.ip,
          .user_agent = sign_in.session.user_agent,
          .request_id = sign_in.session.request_id,
          .session = session,
          .audited = sign_in.session.audited};
}

opening opening_for(postgres::row const& account, new_session session) {
  return {.user = account.id(0),
          .name = std::string(account.text(2)),
          .email = std::string(account.text(3)),
          .session = std::move(session)};
}

}  // namespace

postgres::query lock_account_query(uuid user) {
  return {lock_account, postgres::parameters(user)};
}

postgres::query set_password_query(uuid user, std::string_view hash) {
  return {set_password_hash, postgres::parameters(user, hash)};
}

postgres::query end_links_query(uuid user) {
  return {end_links, postgres::parameters(user)};
}

audit_entry password_audit(audit_actor const& actor, uuid user, int links) {
  return account_audit(actor, "password.set", "user", user,
                       boost::json::serialize(boost::json::object{{"linksEnded", links}}));
}

audit_entry account_audit(audit_actor const& actor, std::string action, std::string resource, uuid id,
                          std::string details) {
  return {.actor = actor,
          .action = std::move(action),
          .resource = std::move(resource),
          .resource_id = id,
          .details = std::move(details)};
}

std::vector<audit_entry> ended_audits(audit_actor const& actor, std::vector<uuid> const& sessions,
                                      std::string_view reason) {
  auto const details = boost::json::serialize(boost::json::object{{"reason", reason}});
  std::vector<audit_entry> out;
  out.reserve(sessions.size());
  for (uuid const& id : sessions) out.push_back(account_audit(actor, "session.ended", "session", id, details));
  return out;
}

task<change<signed_in>> open_session(postgres::unit_of_work& tx, opening sign_in, std::chrono::seconds life) {
  auto const& session = sign_in.session;
  signed_in out{.user = sign_in.user, .session = uuid::generate_v7(), .name = sign_in.name, .email = sign_in.email};
  auto batch = std::move(sign_in.changes);
  auto const inserted = batch.size();
  batch.push_back(
      {insert_session,
       postgres::parameters(out.session, sign_in.user, byte_view(session.digest), session.method, session.provider,
                            session.ip, audit_user_agent(session.user_agent), std::int64_t{life.count()})});
  batch.push_back({trim_user_sessions, postgres::parameters(sign_in.user)});
  if (session.replaced) batch.push_back({end_replaced, postgres::parameters(byte_view(*session.replaced))});
  std::vector<postgres::rows> const done = settled(co_await tx.run(std::move(batch)));
  out.created_at = done[inserted].front().time(0);
  out.expires_at = done[inserted].front().time(1);

  auto const actor = actor_of_opening(sign_in, out.session);
  std::vector<uuid> touched{sign_in.user};
  std::vector<postgres::query> audits;
  auto const add_ended = [&](std::vector<uuid> const& ids, std::string_view reason) {
    for (uuid const& id : ids) out.ended.emplace_back(id, reason);
    for (auto const& entry : ended_audits(actor, ids, reason)) audits.push_back(audit_query(entry));
  };
  if (sign_in.ends) add_ended(read_ids(done[*sign_in.ends]), sign_in.end_reason);
  add_ended(read_ids(done[inserted + 1]), session_end::surplus);
  if (session.replaced && !done[inserted + 2].empty()) {
    add_ended(read_ids(done[inserted + 2]), session_end::replaced);
    if (auto const other = done[inserted + 2].front().id(1); other != sign_in.user) touched.push_back(other);
  }
  for (auto& entry : sign_in.audits) {
    entry.actor = actor;
    audits.push_back(audit_query(entry));
  }
  boost::json::object details{{"method", session.method}};
  if (!session.provider.empty()) details["provider"] = session.provider;
  audits.push_back(
      audit_query(account_audit(actor, "session.created", "session", out.session, boost::json::serialize(details))));

  std::vector<postgres::query> last{bump_query(touched)};
  if (sign_in.bumps_keys) last.push_back({bump_keys_of_account, postgres::parameters(sign_in.user)});
  auto const bumps = last.size();
  std::ranges::move(audits, std::back_inserter(last));
  std::vector<postgres::rows> const ended = settled(co_await tx.commit(std::move(last)));
  auto epochs = read_epochs(ended[0]);
  if (bumps > 1) std::ranges::move(read_epochs(ended[1]), std::back_inserter(epochs));
  co_return change<signed_in>(std::move(out), std::move(epochs));
}

task<result<uuid>> sign_in_store::create_link(new_link link, audit_actor actor, deadline until) {
  auto const id = uuid::generate_v7();
  boost::json::object const details{{"kind", link.kind}, {"user", link.user.to_string()}};
  std::vector<postgres::query> batch{
      {insert_link, postgres::parameters(id, link.user, link.kind, std::int64_t{link.life.count()}, link.created_by)},
      {insert_link_secret, postgres::parameters(byte_view(link.digest), id)},
      audit_query(account_audit(actor, "link.created", "link", id, boost::json::serialize(details)))};
  postgres::outcome<std::vector<postgres::rows>> const done = co_await db_.run(std::move(batch), until);
  if (!done && done.error().foreign_key_violation()) co_return errc::not_found;
  settled(done);
  co_return id;
}

task<bool> sign_in_store::has_method(uuid user, deadline until) {
  postgres::query ask{find_method, postgres::parameters(user)};
  co_return settled(co_await db_.run(std::move(ask), until)).front().boolean(0);
}

task<change<account_reset>> sign_in_store::reset(uuid user, audit_actor actor, deadline until) {
  using answer = change<account_reset>;
  postgres::unit_of_work tx = co_await db_.begin(until);
  postgres::parameters const whose(user);
  std::vector<postgres::query> batch{lock_account_query(user),
                                     {delete_password, whose},
                                     {delete_identities, whose},
                                     {delete_open_links, whose},
                                     end_sessions_query(user, std::nullopt, session_end::reset),
                                     {revoke_all_tokens, whose},
                                     {kill_all_secrets, whose}};
  std::vector<postgres::rows> const done = settled(co_await tx.run(std::move(batch)));
  if (done[0].empty()) co_return answer(errc::not_found);
  auto const ended = read_ids(done[4]);
  std::vector<uuid> touched{user};
  std::vector<postgres::query> last;
  for (auto const& entry : ended_audits(actor, ended, session_end::reset)) last.push_back(audit_query(entry));
  for (int i = 0; i < done[2].size(); ++i) {
    auto const details = boost::json::serialize(boost::json::object{{"provider", done[2][i].text(0)}});
    last.push_back(audit_query(account_audit(actor, "identity.removed", "user", user, details)));
  }
  for (int i = 0; i < done[5].size(); ++i) {
    // A trigger key is a subject of its own; a CLI token's subject is the user.
    if (!done[5][i].is_null(1)) touched.push_back(done[5][i].id(0));
    last.push_back(audit_query(revoked_audit(actor, done[5][i])));
  }
  last.insert(last.begin(), bump_query(touched));
  std::vector<postgres::rows> const bumped = settled(co_await tx.commit(std::move(last)));
  account_reset const out{.sessions = ended.size(),
                          .tokens = static_cast<std::size_t>(done[5].size()),
                          .identities = static_cast<std::size_t>(done[2].size()),
                          .password = !done[1].empty()};
  co_return answer(out, read_epochs(bumped[0]));
}

task<result<link_preview>> sign_in_store::preview_link(sha256_digest secret, deadline until) {
  postgres::query ask{preview_open_link, postgres::parameters(byte_view(secret))};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  if (found.empty()) co_return errc::link_over;
  postgres::row const r = found.front();
  co_return link_preview{.name = std::string(r.text(0)),
                         .email = std::string(r.text(1)),
                         .kind = std::string(r.text(2)),
                         .expires_at = r.time(3),
                         .sets_password = r.boolean(4)};
}

task<change<signed_in>> sign_in_store::sign_in_by_link(sha256_digest secret, std::optional<std::string> password_hash,
                                                       new_session session, deadline until) {
  using answer = change<signed_in>;
  postgres::unit_of_work tx = co_await db_.begin(until);
  std::vector<postgres::query> locks{{lock_user_of_link, postgres::parameters(byte_view(secret))},
                                     {lock_link, postgres::parameters(byte_view(secret))}};
  std::vector<postgres::rows> const found = settled(co_await tx.run(std::move(locks)));
  if (found[0].empty() || found[1].empty() || found[0].front().boolean(1)) co_return answer(errc::link_over);
  if (password_hash && found[0].front().boolean(4)) co_return answer(errc::sign_in_refused);

  std::string const kind(found[1].front().text(1));
  // Whoever recovers an account by mail may have to shut somebody out who knows its password or has a session.
  bool const recovers = kind == "recovery" && found[1].front().boolean(2) && !found[0].front().boolean(4);
  if (recovers && !password_hash)
    co_return answer(
        error(errc::validation_failed, {}, {{"/password", "is required: a mailed link of recovery sets one"}}));

  auto sign_in = opening_for(found[0].front(), std::move(session));
  auto const link = found[1].front().id(0);
  postgres::query const spend{spend_link, postgres::parameters(link)};
  if (!password_hash) sign_in.changes.push_back(spend);
  if (found[1].front().boolean(2)) sign_in.changes.push_back(verify_email_query(sign_in.user));
  boost::json::object const details{{"kind", kind}};
  sign_in.audits.push_back(account_audit({}, "link.used", "link", link, boost::json::serialize(details)));
  if (password_hash) {
    sign_in.changes.push_back(set_password_query(sign_in.user, *password_hash));
    sign_in.ends = sign_in.changes.size();
    sign_in.changes.push_back(end_sessions_query(sign_in.user, std::nullopt, session_end::password));
    // The link is spent before the others end, so that the audit row of the password does not count it.
    std::vector<postgres::query> links{spend, end_links_query(sign_in.user)};
    std::vector<postgres::rows> const done = settled(co_await tx.run(std::move(links)));
    sign_in.audits.push_back(password_audit({}, sign_in.user, done[1].size()));
  }
  co_return co_await open_session(tx, std::move(sign_in), times_.absolute);
}

task<std::optional<password_account>> sign_in_store::find_password(std::string email, deadline until) {
  postgres::query ask{find_by_email, postgres::parameters(email)};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  if (found.empty()) co_return std::nullopt;
  postgres::row const r = found.front();
  co_return password_account{.user = r.id(0),
                             .name = std::string(r.text(1)),
                             .hash = std::string(r.text(2)),
                             .disabled = r.boolean(3),
                             .managed = r.boolean(4)};
}

task<> sign_in_store::audit_attempt(std::string action, audit_actor actor, deadline until) {
  auto const user = actor.user.value();
  settled(co_await db_.run(audit_query(account_audit(actor, std::move(action), "user", user)), until));
}

task<change<signed_in>> sign_in_store::sign_in_by_password(uuid user, std::string checked_hash,
                                                           std::optional<std::string> new_hash, new_session session,
                                                           deadline until) {
  using answer = change<signed_in>;
  postgres::unit_of_work tx = co_await db_.begin(until);
  std::vector<postgres::query> locks{lock_account_query(user), {read_hash, postgres::parameters(user)}};
  std::vector<postgres::rows> const found = settled(co_await tx.run(std::move(locks)));
  bool const same = !found[1].empty() && found[1].front().text(0) == checked_hash;
  if (found[0].empty() || !same || found[0].front().boolean(1) || found[0].front().boolean(4))
    co_return answer(errc::sign_in_failed);
  auto sign_in = opening_for(found[0].front(), std::move(session));
  if (new_hash) sign_in.changes.push_back({rehash_password, postgres::parameters(user, *new_hash)});
  co_return co_await open_session(tx, std::move(sign_in), times_.absolute);
}

task<change<std::vector<uuid>>> sign_in_store::set_password(uuid user, std::string hash, audit_actor actor,
                                                            deadline until) {
  using answer = change<std::vector<uuid>>;
  postgres::unit_of_work tx = co_await db_.begin(until);
  postgres::rows const account = settled(co_await tx.run(lock_account_query(user)));
  if (account.empty()) co_return answer(errc::not_found);
  if (account.front().boolean(4)) co_return answer(errc::sign_in_refused);
  std::vector<postgres::query> batch{set_password_query(user, hash),
                                     end_sessions_query(user, actor.session, session_end::password),
                                     end_links_query(user)};
  std::vector<postgres::rows> const done = settled(co_await tx.run(std::move(batch)));
  auto const ended = read_ids(done[1]);
  std::vector<postgres::query> last{bump_query({user}), audit_query(password_audit(actor, user, done[2].size()))};
  for (auto const& entry : ended_audits(actor, ended, session_end::password)) last.push_back(audit_query(entry));
  std::vector<postgres::rows> const bumped = settled(co_await tx.commit(std::move(last)));
  co_return answer(ended, read_epochs(bumped[0]));
}

}  // namespace svc::store
