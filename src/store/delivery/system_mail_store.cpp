#include "svc/store/delivery/system_mail_store.hpp"

#include "store/accounts/account_sql.hpp"
#include "store/accounts/invitation_sql.hpp"
#include "store/delivery/mail_budget.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"
#include "svc/domain/token.hpp"
#include "svc/postgres/pool.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace svc::store {
namespace {

constexpr postgres::statement lock_recovered{"system_mail_lock_account", R"(
SELECT u.id, u.name, u.email FROM users u
 WHERE lower(u.email) = $1 AND u.disabled_at IS NULL AND NOT EXISTS (SELECT FROM identities i WHERE i.user_id = u.id)
   FOR NO KEY UPDATE)"};

constexpr postgres::statement insert_recovery{"system_mail_insert_link", R"(
INSERT INTO links (id, user_id, kind, expires_at)
VALUES ($1, $2, 'recovery', clock_timestamp() + $3 * interval '1 second'))"};

constexpr postgres::statement insert_recovery_mail{"system_mail_insert", R"(
INSERT INTO system_mails (id, kind, recipient, link_id) VALUES ($1, 'recovery', $2, $3))"};

constexpr postgres::statement find_due_mails{"system_mail_find_due", R"(
SELECT m.id, m.link_id, m.invitation_id FROM system_mails m
 WHERE m.ended_at IS NULL AND m.due_at <= statement_timestamp() ORDER BY m.due_at LIMIT $1)"};

constexpr postgres::statement find_over_mails{"system_mail_find_over", R"(
SELECT m.id, m.link_id, m.invitation_id FROM system_mails m
  LEFT JOIN links l ON l.id = m.link_id
  LEFT JOIN invitations i ON i.id = m.invitation_id
 WHERE m.ended_at IS NULL AND m.due_at <= statement_timestamp()
   AND (coalesce(l.expires_at, i.expires_at) <= statement_timestamp()
        OR coalesce(l.used_at, i.accepted_at, i.revoked_at) IS NOT NULL)
 ORDER BY m.due_at LIMIT $1)"};

// The parents are locked before the mails, in the same order as in a transaction that ends a parent. No statement
// waits for a lock: a locked row is handled at the next look.
constexpr postgres::statement lock_parent_links{
    "system_mail_lock_links", "SELECT l.id FROM links l WHERE l.id = ANY ($1) FOR NO KEY UPDATE SKIP LOCKED"};
constexpr postgres::statement lock_parent_invitations{
    "system_mail_lock_invitations",
    "SELECT i.id FROM invitations i WHERE i.id = ANY ($1) FOR NO KEY UPDATE SKIP LOCKED"};

// A mail whose inviter could not invite any more is not sent: its link would open nothing.
constexpr auto lock_due_mails_sql = sql(R"(
SELECT m.id, m.kind, m.recipient, m.attempt::bigint, m.link_id, m.invitation_id, coalesce(l.expires_at, v.expires_at),
       CASE WHEN l.used_at IS NOT NULL OR v.accepted_at IS NOT NULL OR v.revoked_at IS NOT NULL
                 OR u.disabled_at IS NOT NULL OR (v.id IS NOT NULL AND NOT)",
                                        inviter_may_invite, R"() THEN 'link_over'
            WHEN coalesce(l.expires_at, v.expires_at) <= clock_timestamp() THEN
              CASE WHEN m.reason = 'too_many_mails' THEN m.reason ELSE 'expired' END
            WHEN m.attempt >= $2 THEN coalesce(m.reason, 'timeout')
            ELSE '' END,
       coalesce(u.name, ''), coalesce(o.name, ''), coalesce(b.name, '')
  FROM system_mails m
  LEFT JOIN links l ON l.id = m.link_id
  LEFT JOIN users u ON u.id = l.user_id
  LEFT JOIN invitations v ON v.id = m.invitation_id
  LEFT JOIN organizations o ON o.id = v.organization_id
  LEFT JOIN users b ON b.id = v.invited_by
 WHERE m.id = ANY ($1) AND m.ended_at IS NULL AND m.due_at <= statement_timestamp()
   FOR NO KEY UPDATE OF m SKIP LOCKED)");
constexpr postgres::statement lock_due_mails{"system_mail_lock_due", lock_due_mails_sql};

constexpr postgres::statement begin_attempt{"system_mail_begin", R"(
UPDATE system_mails SET state = 'sending', claim_id = $2, attempt = attempt + 1,
                        reason = CASE WHEN attempt > 0 THEN reason END,
                        due_at = clock_timestamp() + $3 * interval '1 second'
 WHERE id = $1)"};

constexpr postgres::statement insert_mailed_secret{"system_mail_insert_secret", R"(
INSERT INTO one_time_secrets (digest, link_id, invitation_id, mailed) VALUES ($1, $2, $3, true))"};

constexpr postgres::statement end_over_mail{"system_mail_end_over", R"(
UPDATE system_mails SET state = 'failed', claim_id = NULL, due_at = NULL, reason = $2, ended_at = clock_timestamp()
 WHERE id = $1)"};

// $3: sent, waiting or failed; $4: milliseconds until the retry.
constexpr postgres::statement settle_attempt{"system_mail_settle", R"(
UPDATE system_mails m
   SET state = $3::text, claim_id = NULL, reason = nullif($5, ''),
       ended_at = CASE WHEN $3::text <> 'waiting' THEN clock_timestamp() END,
       due_at = CASE WHEN $3::text = 'waiting' THEN
                  least(clock_timestamp() + $4 * interval '1 millisecond',
                        coalesce((SELECT l.expires_at FROM links l WHERE l.id = m.link_id),
                                 (SELECT i.expires_at FROM invitations i WHERE i.id = m.invitation_id))) END
 WHERE m.id = $1 AND m.claim_id = $2
RETURNING m.id)"};

/// Mails that end at once.
constexpr std::int64_t most_over = 100;

std::string_view state_of(system_mail_end::fate fate) {
  if (fate == system_mail_end::fate::sent) return "sent";
  return fate == system_mail_end::fate::retry ? "waiting" : "failed";
}

/// The parents of mails that are due.
struct due_mails {
  explicit due_mails(postgres::rows const& found) {
    for (int i = 0; i < found.size(); ++i) {
      ids.push_back(found[i].id(0));
      if (auto const link = found[i].maybe_id(1)) links.push_back(*link);
      if (auto const invitation = found[i].maybe_id(2)) invitations.push_back(*invitation);
    }
  }
  std::vector<uuid> ids{}, links{}, invitations{};
};

claimed_system_mail as_claimed(postgres::row const& r, minted_token const& minted, steady::time_point now) {
  return {.id = r.id(0),
          .claim = uuid::generate_v7(),
          .kind = std::string(r.text(1)),
          .recipient = std::string(r.text(2)),
          .attempt = static_cast<unsigned>(r.integer(3)) + 1,
          .secret = minted.key,
          .expires_at = r.time(6),
          .addressee = std::string(r.text(8)),
          .organization = std::string(r.text(9)),
          .inviter = std::string(r.text(10)),
          .claimed_at = now};
}

ended_system_mail as_ended(postgres::row const& r, std::string_view reason) {
  return {.id = r.id(0), .kind = std::string(r.text(1)), .reason = std::string(reason)};
}

}  // namespace

task<bool> system_mail_store::request_recovery(std::string email, audit_actor origin, deadline until) {
  postgres::unit_of_work tx = co_await db_.begin(until);
  std::vector<postgres::query> look{{lock_recovered, postgres::parameters(email)},
                                    spent_budget_query("recovery", email)};
  std::vector<postgres::rows> const looked = settled(co_await tx.run(std::move(look)));
  auto const& found = looked[0];
  if (found.empty()) co_return true;
  if (!looked[1].empty()) co_return false;
  auto const user = found.front().id(0), link = uuid::generate_v7();
  origin.user = user;
  origin.name = std::string(found.front().text(1));
  boost::json::object const details{{"kind", "recovery"}, {"user", user.to_string()}};
  std::vector<postgres::query> last{
      {insert_recovery, postgres::parameters(link, user, std::int64_t{recovery_life.count()})},
      {insert_recovery_mail, postgres::parameters(uuid::generate_v7(), found.front().text(2), link)},
      audit_query(account_audit(origin, "link.created", "link", link, boost::json::serialize(details)))};
  settled(co_await tx.commit(std::move(last)));
  co_return true;
}

task<system_mail_store::claims> system_mail_store::claim(std::int64_t room, unsigned most_attempts, deadline until) {
  return take({find_due_mails, postgres::parameters(room)}, room, most_attempts, until);
}

task<system_mail_store::claims> system_mail_store::end_over(deadline until) {
  return take({find_over_mails, postgres::parameters(most_over)}, most_over, std::nullopt, until);
}

/// Without `most_attempts` it claims nothing.
task<system_mail_store::claims> system_mail_store::take(postgres::query find, std::int64_t room,
                                                        std::optional<unsigned> most_attempts, deadline until) {
  claims out;
  auto const start = steady::now();
  due_mails const due(settled(co_await db_.run(std::move(find), until)));
  if (due.ids.empty()) co_return out;
  postgres::unit_of_work tx = co_await db_.begin(until);
  std::vector<postgres::query> locks{
      {lock_parent_links, postgres::parameters(due.links)},
      {lock_parent_invitations, postgres::parameters(due.invitations)},
      {lock_due_mails, postgres::parameters(
                           due.ids, std::int64_t{most_attempts.value_or(std::numeric_limits<std::int32_t>::max())})}};
  std::vector<postgres::rows> const locked = settled(co_await tx.run(std::move(locks)));
  auto parents = read_ids(locked[0]);
  std::ranges::copy(read_ids(locked[1]), std::back_inserter(parents));
  std::vector<postgres::query> changes;
  std::vector<postgres::row> sendable;
  std::vector<first_mail> first;
  for (int i = 0; i < locked[2].size(); ++i) {
    postgres::row const r = locked[2][i];
    auto const parent = r.maybe_id(4) ? r.id(4) : r.id(5);
    if (std::ranges::find(parents, parent) == parents.end()) continue;
    if (auto const reason = r.text(7); !reason.empty()) {
      out.ended.push_back(as_ended(r, reason));
      changes.push_back({end_over_mail, postgres::parameters(r.id(0), reason)});
    } else if (most_attempts) {
      sendable.push_back(r);
      if (r.integer(3) == 0) first.push_back({std::string(r.text(1)), std::string(r.text(2)), r.id(0)});
    }
  }
  auto const without = co_await take_budgets(tx, std::move(first));
  for (auto const& each : without) {
    out.postponed.push_back(each.kind);
    changes.push_back(postpone_query(each));
  }
  for (auto const& r : sendable) {
    if (std::ranges::find(without, r.id(0), &first_mail::id) != without.end()) continue;
    auto const link = r.maybe_id(4), invitation = r.maybe_id(5);
    auto const minted = link ? mint_link_secret() : mint_invitation_secret();
    auto const& mail = out.mails.emplace_back(as_claimed(r, minted, start));
    changes.push_back(
        {begin_attempt, postgres::parameters(mail.id, mail.claim, std::int64_t{system_mail_lease.count()})});
    changes.push_back({insert_mailed_secret, postgres::parameters(byte_view(minted.digest), link, invitation)});
  }
  out.more = static_cast<std::int64_t>(due.ids.size()) == room && !changes.empty();
  settled(co_await tx.commit(std::move(changes)));
  co_return out;
}

task<bool> system_mail_store::settle(uuid id, uuid claim, system_mail_end end, deadline until) {
  postgres::query change{settle_attempt, postgres::parameters(id, claim, state_of(end.state),
                                                              std::int64_t{end.pause.count()}, end.reason)};
  co_return !settled(co_await db_.run(std::move(change), until)).empty();
}

}  // namespace svc::store
