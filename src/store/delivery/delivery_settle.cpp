#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/delivery/delivery_store.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace svc::store {
namespace {

// First, as a claim does: otherwise the two could wait for each other.
constexpr postgres::statement lock_turn{"delivery_lock",
                                        "SELECT FROM provider_queue WHERE provider_id = $1 FOR NO KEY UPDATE"};

// $3 state, $4 uncertain, $5 $6 recipients, $7 reason, $8 status, $9 ms until the next attempt, $10 until the next
// message. Turns of tests and a pause that one was asked for may have put `next_start` off meanwhile.
constexpr postgres::statement settle_message{"delivery_settle", R"(
WITH ended AS (
  UPDATE messages m
     SET state = $3::text, ended_at = CASE WHEN $3 IN ('sent', 'dead') THEN clock_timestamp() END,
         uncertain = m.uncertain OR $4, recipients_taken = m.recipients_taken || $5::text[],
         recipients_refused = m.recipients_refused || $6::text[]
   WHERE m.id = $1 AND m.claim_id = $2 AND m.state = 'sending'
  RETURNING m.id, m.provider_id
), told AS (
  UPDATE alerts a
     SET status = CASE $3 WHEN 'sent' THEN 'sent' WHEN 'dead' THEN 'failed' ELSE 'pending' END,
         sent_at = CASE WHEN $3 = 'sent' THEN clock_timestamp() END,
         next_attempt_at = CASE WHEN $3 = 'waiting' THEN clock_timestamp() + $9::bigint * interval '1 ms' END,
         error_reason = $7, error_status = $8::bigint
    FROM ended e WHERE a.message_id = e.id
  RETURNING a.id, a.type, coalesce(a.retried_at, a.created_at) AS since
), turn AS (
  UPDATE provider_queue q
     SET due_at = CASE WHEN $3 = 'waiting'
                       THEN greatest(clock_timestamp() + $9::bigint * interval '1 ms', q.next_start)
                       ELSE greatest(clock_timestamp() + $10::bigint * interval '1 ms', q.next_start, q.quiet_from) END,
         next_start = greatest(clock_timestamp() + $10::bigint * interval '1 ms', q.next_start),
         quiet_from = CASE WHEN $3 = 'waiting' THEN q.quiet_from ELSE greatest(q.quiet_from, clock_timestamp()) END
    FROM ended e WHERE q.provider_id = e.provider_id
  RETURNING q.due_at
), provider AS (
  UPDATE notification_providers p
     SET last_used_at = CASE WHEN $3 = 'sent' THEN clock_timestamp() ELSE p.last_used_at END,
         health = CASE WHEN $3 = 'sent' THEN 'ok' ELSE 'failing' END,
         last_error_at = CASE WHEN $3 = 'sent' THEN p.last_error_at ELSE clock_timestamp() END,
         last_error_reason = CASE WHEN $3 = 'sent' THEN p.last_error_reason ELSE $7 END,
         last_error_status = CASE WHEN $3 = 'sent' THEN p.last_error_status ELSE $8::bigint END
    FROM ended e WHERE p.id = e.provider_id
)
SELECT (SELECT ceil(extract(epoch FROM t.due_at - clock_timestamp()) * 1000)::bigint FROM turn t), a.type,
       extract(epoch FROM clock_timestamp() - a.since)::float8, a.id
  FROM ended e LEFT JOIN told a ON true)"};

constexpr postgres::statement disable_provider{"delivery_disable", R"(
UPDATE notification_providers p
   SET enabled = false, version = p.version + 1, updated_at = clock_timestamp()
  FROM projects j
 WHERE p.id = $1 AND p.enabled AND j.id = p.project_id
RETURNING p.name, p.type, p.project_id, j.organization_id)"};

// Notifies at most $3 other providers of the project, those that work first, once in 24 hours; the key holds even
// when two days meet.
constexpr postgres::statement notify_failing{"delivery_tell_failing", R"(
INSERT INTO alerts (id, project_id, type, target_type, target_id, target_name, about, number, provider_id, provider_name,
                    status, error_message)
SELECT gen_random_uuid(), f.project_id, 'provider_failing', 'provider', f.id, f.name, f.id,
       (extract(epoch FROM clock_timestamp()) / 86400)::integer, p.id, p.name, 'pending', $2
  FROM notification_providers f JOIN notification_providers p ON p.project_id = f.project_id
 WHERE f.id = $1 AND p.id <> f.id AND p.enabled
   AND NOT EXISTS (SELECT FROM alerts a WHERE a.about = f.id AND a.type = 'provider_failing'
                    AND a.created_at > clock_timestamp() - interval '24 hours')
 ORDER BY p.health = 'ok' DESC, p.health = 'unknown' DESC, p.created_at, p.id LIMIT $3
ON CONFLICT ON CONSTRAINT alerts_told_once DO NOTHING)"};

/// Providers that are notified of one that fails. If all of a project's providers fail, they cause ten times as many
/// alerts as there are providers, and not the square of their number.
constexpr std::int64_t most_notified_of_failing = 10;

constexpr std::array<std::string_view, 3> states{"sent", "waiting", "dead"};

postgres::query settle_query(claimed_message const& message, attempt_end const& end) {
  std::optional<std::string_view> reason;
  if (end.state != attempt_end::fate::sent || !end.reason.empty()) reason = end.reason;
  return {settle_message,
          postgres::parameters(message.id, message.claim, states[static_cast<std::size_t>(end.state)], end.uncertain,
                               end.taken, end.refused, reason, end.status, end.next.count(), end.pace.count())};
}

settled_message read_settled(postgres::rows const& found, claimed_message const& message, attempt_end const& end) {
  settled_message out{.counted = !found.empty()};
  if (!out.counted) return out;
  out.changes.push_back({message.project, "notification_provider", message.provider});
  for (int i = 0; i < found.size(); ++i)
    if (!found[i].is_null(3)) out.changes.push_back({message.project, "alert", found[i].id(3)});
  out.next_look = milliseconds(found.front().maybe_integer(0).value_or(0));
  for (int i = 0; i < found.size() && end.state != attempt_end::fate::waits; ++i) {
    if (!found[i].is_null(1)) out.alerts.push_back({std::string(found[i].text(1)), found[i].real(2)});
  }
  return out;
}

postgres::query audit_of_disabling(uuid provider, postgres::row r) {
  boost::json::object const details{{"name", r.text(0)}, {"type", r.text(1)}, {"reason", "gone"}};
  return audit_query({.actor = {.name = "delivery"},
                      .organization = r.id(3),
                      .project = r.id(2),
                      .action = "notification_provider.disabled",
                      .resource = "notification_provider",
                      .resource_id = provider,
                      .details = boost::json::serialize(details)});
}

/// True if the message notified somebody of more than failing providers. Otherwise its own failure is not notified,
/// because failing providers would then notify each other for ever.
bool is_worth_notifying(settled_message const& message) {
  return std::ranges::any_of(message.alerts, [](auto const& each) { return each.type != "provider_failing"; });
}

}  // namespace

task<settled_message> delivery_store::settle(claimed_message const& message, attempt_end end, deadline until) {
  auto work = co_await db_.begin(until);
  std::vector<postgres::query> first{{lock_turn, postgres::parameters(message.provider)}, settle_query(message, end)};
  auto const done = settled(co_await work.run(std::move(first)));
  auto out = read_settled(done[1], message, end);
  std::vector<postgres::query> last;
  if (out.counted && end.state == attempt_end::fate::dead) {
    if (end.disable) {
      postgres::query disable{disable_provider, postgres::parameters(message.provider)};
      auto const disabled = settled(co_await work.run(std::move(disable)));
      if (!disabled.empty()) last.push_back(audit_of_disabling(message.provider, disabled.front()));
    }
    if (is_worth_notifying(out)) {
      out.changes.push_back({message.project, "alert", std::nullopt});
      last.push_back({notify_failing, postgres::parameters(message.provider, end.reason, most_notified_of_failing)});
    }
  }
  SVC_FAILPOINT("delivery.before_end");
  settled(co_await work.commit(std::move(last)));
  SVC_FAILPOINT("delivery.after_end");
  co_return out;
}

}  // namespace svc::store
