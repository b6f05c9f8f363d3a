#include "svc/store/delivery/delivery_store.hpp"

#include "store/delivery/alert_details.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/postgres/pool.hpp"

#include <utility>

namespace svc::store {
namespace {

// The query jumps from provider to provider in the index of waiting alerts, not from alert to alert. It skips
// providers that are already queued, so that it never waits for the lock of a provider that is being served.
constexpr postgres::statement wake_providers{"delivery_wake", R"(
WITH RECURSIVE unsent AS (
  (SELECT a.provider_id FROM alerts a WHERE a.status = 'pending' AND a.message_id IS NULL
    ORDER BY a.provider_id LIMIT 1)
  UNION ALL
  SELECT (SELECT a.provider_id FROM alerts a
           WHERE a.status = 'pending' AND a.message_id IS NULL AND a.provider_id > u.provider_id
           ORDER BY a.provider_id LIMIT 1)
    FROM unsent u WHERE u.provider_id IS NOT NULL
)
INSERT INTO provider_queue AS q (provider_id, due_at)
SELECT u.provider_id, clock_timestamp() FROM unsent u
 WHERE u.provider_id IS NOT NULL
   AND NOT EXISTS (SELECT FROM provider_queue k WHERE k.provider_id = u.provider_id AND k.due_at IS NOT NULL)
 ORDER BY u.provider_id
ON CONFLICT (provider_id) DO UPDATE SET due_at = greatest(clock_timestamp(), q.next_start, q.quiet_from)
 WHERE q.due_at IS NULL)"};

// $2: projects that have reached their limit of attempts here; $3: true if no mail may start; $4: projects whose mail
// waits for the mails of other projects.
constexpr postgres::statement take_due_providers{"delivery_take", R"(
SELECT q.provider_id FROM provider_queue q LEFT JOIN notification_providers p ON p.id = q.provider_id
 WHERE q.due_at <= statement_timestamp()
   AND (p.id IS NULL OR (p.project_id <> ALL ($2::uuid[]) AND (p.type <> 'email' OR (NOT $3::boolean AND p.project_id <> ALL ($4::uuid[])))))
 ORDER BY q.due_at LIMIT $1 FOR UPDATE OF q SKIP LOCKED)"};

// This is a separate statement, because only after the lock can it see the changes of other instances.
constexpr postgres::statement read_due_providers{"delivery_read", R"(
SELECT q.provider_id, coalesce(p.enabled, false), p.type, p.group_seconds, p.rate_per_minute, p.project_id, j.slug,
       j.name, m.id, m.attempt + 1, m.state = 'sending' OR m.uncertain, m.recipients_taken, m.recipients_refused,
       a.about, a.created_at < q.quiet_from
  FROM provider_queue q
  LEFT JOIN notification_providers p ON p.id = q.provider_id
  LEFT JOIN projects j ON j.id = p.project_id
  LEFT JOIN messages m ON m.provider_id = q.provider_id AND m.state IN ('waiting', 'sending')
  LEFT JOIN LATERAL (SELECT x.about, x.created_at FROM alerts x
                      WHERE x.provider_id = q.provider_id AND x.status = 'pending' AND x.message_id IS NULL
                      ORDER BY x.created_at, x.id LIMIT 1) a ON true
 WHERE q.provider_id = ANY ($1))"};

constexpr postgres::statement give_up_messages{"delivery_give_up", R"(
UPDATE messages SET state = 'dead', ended_at = clock_timestamp()
 WHERE provider_id = ANY ($1) AND state IN ('waiting', 'sending'))"};

constexpr postgres::statement suppress_alerts{"delivery_suppress", R"(
UPDATE alerts SET status = 'suppressed', suppressed_by = 'provider_disabled', next_attempt_at = NULL
 WHERE provider_id = ANY ($1) AND status = 'pending')"};

constexpr postgres::statement rest_providers{"delivery_rest",
                                             "UPDATE provider_queue SET due_at = NULL WHERE provider_id = ANY ($1)"};

constexpr postgres::statement begin_messages{"delivery_begin", R"(
INSERT INTO messages AS m (id, project_id, provider_id, provider_type, state, claim_id)
SELECT w.id, p.project_id, p.id, p.type, 'sending', w.claim_id
  FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) w(id, provider_id, claim_id)
  JOIN notification_providers p ON p.id = w.provider_id
ON CONFLICT (id) DO UPDATE SET state = 'sending', claim_id = EXCLUDED.claim_id, attempt = m.attempt + 1)"};

// True if alert `a` belongs to an outage that is over, so that the attempt reports the end.
constexpr auto outage_is_over = sql("EXISTS (SELECT FROM outages o WHERE o.id = a.about AND o.ended_at IS NOT NULL)");

// Assigns alerts to a new message and records its first attempt: the alerts of one outage or period, the oldest alert
// only, or all that wait. One statement does both, because PostgreSQL checks the foreign keys of a row again at each
// further change in a transaction.
constexpr auto assign_alerts_sql = sql(R"(
UPDATE alerts a
   SET message_id = x.message_id, attempts = 1, last_attempt_at = clock_timestamp(), next_attempt_at = NULL,
       grouped = x.alerts > 1, end_told = )",
                                       outage_is_over, R"(
  FROM (SELECT w.message_id, z.id, z.alerts
          FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[]) w(message_id, provider_id, about, most)
         CROSS JOIN LATERAL (
           SELECT y.id, count(*) OVER () AS alerts
             FROM (SELECT x.id FROM alerts x
                    WHERE x.provider_id = w.provider_id AND x.status = 'pending' AND x.message_id IS NULL
                      AND (w.about IS NULL OR x.about = w.about)
                    ORDER BY x.created_at, x.id LIMIT w.most) y) z) x
 WHERE a.id = x.id)");
constexpr postgres::statement assign_alerts{"delivery_assign", assign_alerts_sql};

// A message that no receiver has accepted yet also reports the end, if that is known by now.
constexpr postgres::statement add_ends{"delivery_add_ends", R"(
UPDATE alerts a SET message_id = w.message_id
  FROM unnest($1::uuid[], $2::uuid[]) w(message_id, provider_id)
 WHERE a.provider_id = w.provider_id AND a.status = 'pending' AND a.message_id IS NULL
   AND a.about IN (SELECT t.about FROM alerts t WHERE t.message_id = w.message_id))"};

// For messages that are attempted again.
constexpr auto mark_attempt_sql = sql(R"(
UPDATE alerts a
   SET attempts = m.attempt, last_attempt_at = clock_timestamp(), next_attempt_at = NULL,
       maybe_repeated = a.maybe_repeated OR w.repeated, grouped = n.alerts > 1,
       end_told = )",
                                      outage_is_over, R"(
  FROM unnest($1::uuid[], $2::boolean[]) w(message_id, repeated)
  JOIN messages m ON m.id = w.message_id
 CROSS JOIN LATERAL (SELECT count(*) AS alerts FROM alerts x WHERE x.message_id = w.message_id) n
 WHERE a.message_id = w.message_id)");
constexpr postgres::statement mark_attempt{"delivery_mark", mark_attempt_sql};

// The providers are postponed as if their claim had lasted for its whole lease.
constexpr postgres::statement put_off_providers{"delivery_put_off", R"(
UPDATE provider_queue SET due_at = clock_timestamp() + interval '60 s'
 WHERE provider_id = ANY ($1) AND due_at <= statement_timestamp())"};

// The lease is `delivery_lease`.
constexpr postgres::statement lease_providers{"delivery_lease", R"(
UPDATE provider_queue q
   SET due_at = clock_timestamp() + interval '60 s',
       quiet_from = CASE WHEN w.group_seconds IS NULL THEN q.quiet_from
                         ELSE clock_timestamp() + w.group_seconds * interval '1 s' END
  FROM unnest($1::uuid[], $2::bigint[]) w(provider_id, group_seconds)
 WHERE q.provider_id = w.provider_id)"};

constexpr postgres::statement count_unsent{"delivery_waiting", R"(
SELECT (SELECT count(*) FROM messages WHERE state IN ('waiting', 'sending'))
       + (SELECT count(*) FROM alerts WHERE status = 'pending' AND message_id IS NULL))"};

// Alerts of an open outage or period stay, because its end goes to every notified provider. Certificate alerts stay
// for 400 days, or until the certificate is out of use, because they prevent a second warning. The time is compared
// as text, because the target chose it: a time that PostgreSQL cannot read would block every deletion.
constexpr postgres::statement delete_old_alerts{"delivery_delete_alerts", R"(
DELETE FROM alerts WHERE id = ANY (ARRAY(
  SELECT a.id FROM alerts a
   WHERE a.created_at AT TIME ZONE 'UTC' < statement_timestamp() AT TIME ZONE 'UTC' - $1::bigint * interval '1 s'
     AND a.status <> 'pending'
     AND NOT EXISTS (SELECT FROM monitor_status s
                      WHERE s.monitor_id = a.target_id AND a.about IN (s.outage_id, s.period_id))
     AND (a.type <> 'ssl_expiring' OR a.created_at < statement_timestamp() - interval '400 days'
          OR substring(a.certificate FROM '"validTo":"([^"]*)') COLLATE "C"
             < to_char(statement_timestamp() AT TIME ZONE 'UTC' - interval '30 days', 'YYYY-MM-DD'))
   ORDER BY a.created_at AT TIME ZONE 'UTC' LIMIT $2 FOR UPDATE OF a SKIP LOCKED))
RETURNING project_id)"};

constexpr postgres::statement delete_old_messages{"delivery_delete_messages", R"(
DELETE FROM messages WHERE id = ANY (ARRAY(
  SELECT id FROM messages WHERE ended_at < statement_timestamp() - $1::bigint * interval '1 s'
   ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED)))"};

/// A larger message would be refused by every service, and its claim would take long. Further alerts go into the next
/// message.
constexpr std::int64_t most_alerts = 1'000;

/// A message that starts now, with the selection of its alerts.
struct beginning {
  claimed_message message;
  bool is_new = true;
  bool grows = false;           ///< of a repeated message: includes the later alerts of its outages and periods
  std::int64_t group = 0;       ///< seconds for which later alerts wait
  std::optional<uuid> about{};  ///< of a new message: only alerts about this outage or period
  std::int64_t most = 1;
};

struct plan_of_claims {
  std::vector<beginning> begin{};
  std::vector<uuid> rest{};  ///< providers without waiting alerts
  std::vector<uuid> drop{};  ///< disabled or deleted
};

beginning begin_again(postgres::row r, beginning out) {
  out.is_new = false;
  out.message.id = r.id(8);
  out.message.attempt = r.integer(9);
  out.message.maybe_repeated = r.boolean(10);
  out.message.taken = r.texts(11);
  out.message.refused = r.texts(12);
  out.grows = out.group > 0 && !out.message.maybe_repeated;
  return out;
}

/// The first alert after a quiet time goes at once in its own message. Alerts that arrived after another message go
/// together.
beginning begin_new(postgres::row r, beginning out) {
  out.message.id = uuid::generate_v7();
  if (out.group == 0) {
    out.about = r.id(13);
  } else {
    out.most = most_alerts;
    if (!r.boolean(14)) out.about = r.id(13);
  }
  return out;
}

/// A provider without free capacity stays due.
plan_of_claims plan_claims(postgres::rows const& due, delivery_store::group_rule const& group_of,
                           delivery_load load) {
  plan_of_claims out;
  for (int i = 0; i < due.size(); ++i) {
    postgres::row const r = due[i];
    auto const provider = r.id(0);
    if (!r.boolean(1)) {
      out.drop.push_back(provider);
      continue;
    }
    if (r.is_null(8) && r.is_null(13)) {
      out.rest.push_back(provider);
      continue;
    }
    if (!load.has_room(r.id(5), r.text(2))) continue;
    load.add(r.id(5), r.text(2));
    std::optional<std::chrono::seconds> chosen;
    if (!r.is_null(3)) chosen = std::chrono::seconds(r.integer(3));
    beginning made{.message = {.claim = uuid::generate_v7(),
                               .provider = provider,
                               .project = r.id(5),
                               .project_slug = std::string(r.text(6)),
                               .project_name = std::string(r.text(7)),
                               .provider_type = std::string(r.text(2)),
                               .rate_per_minute = r.maybe_integer(4)},
                   .group = group_of(r.text(2), chosen).count()};
    out.begin.push_back(r.is_null(8) ? begin_new(r, std::move(made)) : begin_again(r, std::move(made)));
  }
  return out;
}

void write_drops(plan_of_claims const& plan, std::vector<postgres::query>& queries) {
  if (!plan.drop.empty()) {
    queries.push_back({give_up_messages, postgres::parameters(plan.drop)});
    queries.push_back({suppress_alerts, postgres::parameters(plan.drop)});
  }
  auto idle = plan.rest;
  idle.insert(idle.end(), plan.drop.begin(), plan.drop.end());
  if (!idle.empty()) queries.push_back({rest_providers, postgres::parameters(idle)});
}

uuid id_of(beginning const* b) {
  return b->message.id;
}
uuid provider_of(beginning const* b) {
  return b->message.provider;
}

void write_begins(std::vector<beginning> const& begun, std::vector<postgres::query>& queries) {
  auto const all = postgres::rows_where(begun, [](beginning const&) { return true; });
  postgres::parameters messages, fresh, grown, marks, leases;
  messages.add_array(all, id_of);
  messages.add_array(all, provider_of);
  messages.add_array(all, [](beginning const* b) { return b->message.claim; });
  queries.push_back({begin_messages, std::move(messages)});
  auto const new_ones = postgres::rows_where(begun, [](beginning const& b) { return b.is_new; });
  fresh.add_array(new_ones, id_of);
  fresh.add_array(new_ones, provider_of);
  fresh.add_array(new_ones, [](beginning const* b) { return b->about; });
  fresh.add_array(new_ones, [](beginning const* b) { return b->most; });
  if (!new_ones.empty()) queries.push_back({assign_alerts, std::move(fresh)});
  auto const growing = postgres::rows_where(begun, [](beginning const& b) { return b.grows; });
  grown.add_array(growing, id_of);
  grown.add_array(growing, provider_of);
  if (!growing.empty()) queries.push_back({add_ends, std::move(grown)});
  auto const again = postgres::rows_where(begun, [](beginning const& b) { return !b.is_new; });
  marks.add_array(again, id_of);
  marks.add_array(again, [](beginning const* b) { return b->message.maybe_repeated; });
  if (!again.empty()) queries.push_back({mark_attempt, std::move(marks)});
  leases.add_array(all, provider_of);
  leases.add_array(all, [](beginning const* b) { return b->is_new ? std::optional(b->group) : std::nullopt; });
  queries.push_back({lease_providers, std::move(leases)});
}

}  // namespace

task<> delivery_store::wake(deadline until) {
  settled(co_await db_.run(postgres::query{wake_providers, {}}, until));
}

task<delivery_store::claims> delivery_store::claim(std::int64_t most, deadline until, delivery_load load) {
  auto const began = steady::now();
  tried_.clear();
  auto work = co_await db_.begin(until);
  postgres::query take{take_due_providers,
                       postgres::parameters(most, load.full_projects(), load.mails_full(),
                                            std::vector<uuid>(load.had_turn.begin(), load.had_turn.end()))};
  tried_ = read_ids(settled(co_await work.run(std::move(take))));
  claims out{.looked_at = static_cast<std::int64_t>(tried_.size())};
  if (tried_.empty()) co_return out;
  postgres::query read{read_due_providers, postgres::parameters(tried_)};
  auto plan = plan_claims(settled(co_await work.run(std::move(read))), group_, std::move(load));
  std::vector<postgres::query> last;
  write_drops(plan, last);
  if (!plan.begin.empty()) {
    write_begins(plan.begin, last);
    last.push_back(
        alert_details_query(postgres::column<uuid>(plan.begin, [](auto const& b) { return b.message.id; })));
    SVC_FAILPOINT("delivery.before_claim");
  }
  auto const done = settled(co_await work.commit(std::move(last)));
  for (auto& each : plan.begin) {
    each.message.claimed_at = began;
    out.messages.push_back(std::move(each.message));
  }
  if (!out.messages.empty()) hand_out(done.back(), out.messages);
  co_return out;
}

task<> delivery_store::put_off(deadline until) {
  settled(co_await db_.run(postgres::query{put_off_providers, postgres::parameters(tried_)}, until));
}

task<std::int64_t> delivery_store::count_waiting(deadline until) {
  co_return settled(co_await db_.run(postgres::query{count_unsent, {}}, until)).front().integer(0);
}

task<std::int64_t> delivery_store::delete_alerts(std::chrono::seconds age, std::int64_t most, deadline until) {
  postgres::query ask{delete_old_alerts, postgres::parameters(age.count(), most)};
  auto const gone = settled(co_await db_.run(std::move(ask), until));
  report_changes(deleted_, "alert", read_ids(gone));
  co_return gone.affected();
}

task<std::int64_t> delivery_store::delete_messages(std::chrono::seconds age, std::int64_t most, deadline until) {
  postgres::query ask{delete_old_messages, postgres::parameters(age.count(), most)};
  co_return settled(co_await db_.run(std::move(ask), until)).affected();
}

}  // namespace svc::store
