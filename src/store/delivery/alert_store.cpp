#include "svc/store/delivery/alert_store.hpp"

#include "store/delivery/alert_details.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/postgres/pool.hpp"

#include <boost/json.hpp>

#include <array>
#include <utility>
#include <vector>

namespace svc::store {
namespace {

/// Each set of filters has its own index.
constexpr bool planned_for_its_filters = true;

/// An alert that goes only to PagerDuty is not shown to users.
constexpr auto is_listed_alert = sql(" a.type <> 'outage_acknowledged' ");

constexpr auto listed_alert_columns =
    sql(alert_columns,
        ", a.status, a.suppressed_by, a.provider_id, a.provider_name, a.attempts, a.grouped, a.maybe_repeated,"
        " a.last_attempt_at, a.next_attempt_at, a.sent_at, a.error_reason, a.error_status, a.end_told ");

// $1 project, $2 target type, $3 target, $4 types, $5 status, $6 provider, $7 from, $8 to, $9 limit + 1, $10 offset,
// $11 and $12 the key to start after.
constexpr auto wanted_alerts =
    sql("alerts a WHERE a.project_id = $1 AND", is_listed_alert,
        "AND ($2::text IS NULL OR a.target_type = $2)"
        " AND ($3::uuid IS NULL OR a.target_id = $3) AND ($4::text[] IS NULL OR a.type = ANY ($4))"
        " AND ($5::text IS NULL OR a.status = $5) AND ($6::uuid IS NULL OR a.provider_id = $6)"
        " AND ($7::timestamptz IS NULL OR a.created_at >= $7) AND ($8::timestamptz IS NULL OR a.created_at < $8)");
constexpr auto estimated_alerts =
    sql("estimated_rows('SELECT FROM alerts WHERE project_id = ' || quote_literal($1::uuid)"
        " || coalesce(' AND target_type = ' || quote_literal($2), '')"
        " || coalesce(' AND target_id = ' || quote_literal($3), '')"
        " || coalesce(' AND type = ANY (' || quote_literal($4) || ')', '')"
        " || coalesce(' AND status = ' || quote_literal($5), '')"
        " || coalesce(' AND provider_id = ' || quote_literal($6), '')"
        " || coalesce(' AND created_at >= ' || quote_literal($7), '')"
        " || coalesce(' AND created_at < ' || quote_literal($8), ''))");
constexpr auto list_alert_rows_sql = paged_sql(wanted_alerts, estimated_alerts, "",
                                               sql(listed_alert_columns, "FROM (SELECT a.* FROM ", wanted_alerts,
                                                   rows_before("a.created_at, a.id", "$11", "$12"),
                                                   " ORDER BY a.created_at DESC, a.id DESC LIMIT $9 OFFSET $10) a",
                                                   alert_joins, "ORDER BY a.created_at DESC, a.id DESC"));
constexpr postgres::statement list_alert_rows{"alert_list", list_alert_rows_sql, planned_for_its_filters};

constexpr auto get_alert_row_sql = sql("SELECT", listed_alert_columns, "FROM alerts a", alert_joins,
                                       "WHERE a.project_id = $1 AND a.id = $2 AND", is_listed_alert);
constexpr postgres::statement get_alert_row{"alert_get", get_alert_row_sql};

// This lock is taken first, as in claims and ends of attempts. Under it no message of this provider starts or ends.
constexpr postgres::statement lock_alert_turn{"alert_lock_turn", R"(
SELECT FROM provider_queue
 WHERE provider_id = (SELECT provider_id FROM alerts WHERE project_id = $1 AND id = $2) FOR NO KEY UPDATE)"};

consteval auto is_end_of(auto const& start, auto const& end) {
  return sql("(", start, ".type = 'monitor_failure' AND ", end, ".type = 'monitor_recovery' OR ", start,
             ".type IN ('monitor_degraded', 'monitor_error') AND ", start, ".number = 0 AND ", end, ".type = ", start,
             ".type AND ", end, ".number = 1)");
}

constexpr auto lock_alert_sql = sql(R"(
SELECT a.status, coalesce(p.enabled, false), a.type, a.provider_id, a.provider_name,
       EXISTS (SELECT FROM alerts e WHERE e.about = a.about AND e.provider_id = a.provider_id AND e.status = 'pending'
                  AND e.message_id IS NOT NULL AND )",
                                    is_end_of("a", "e"), R"()
  FROM alerts a LEFT JOIN notification_providers p ON p.id = a.provider_id AND p.project_id = a.project_id
 WHERE a.project_id = $1 AND a.id = $2 AND)",
                                    is_listed_alert, "FOR UPDATE OF a");
constexpr postgres::statement lock_alert{"alert_lock", lock_alert_sql};

// The alerts have no message, so they wait for the next one, in the order in which they were written. The alert for
// the end is sent again if it was sent before. It is also sent if it was only recorded while the provider was
// disabled. The same holds for the acknowledgement of an outage that is still open.
constexpr auto retry_alerts_sql = sql(R"(
UPDATE alerts a
   SET status = 'pending', suppressed_by = NULL, message_id = NULL, grouped = false, attempts = 0,
       next_attempt_at = NULL, sent_at = NULL, retried_at = clock_timestamp(),
       maybe_repeated = a.maybe_repeated OR a.status = 'sent'
                        OR EXISTS (SELECT FROM messages m WHERE m.id = a.message_id
                                     AND (m.uncertain OR m.recipients_taken <> '{}'))
  FROM alerts w
 WHERE w.id = $1 AND a.about = w.about AND a.provider_id = w.provider_id
   AND (a.id = w.id
        OR ((a.status IN ('sent', 'failed') OR a.suppressed_by = 'provider_disabled')
            AND ()",
                                      is_end_of("w", "a"), R"(
                 OR w.type = 'monitor_failure' AND a.type = 'outage_acknowledged'
                    AND EXISTS (SELECT FROM outages o WHERE o.id = a.about AND o.ended_at IS NULL)))))");
constexpr postgres::statement retry_alerts{"alert_retry", retry_alerts_sql};

struct typed_target {
  std::string_view target, type;
};
constexpr std::array<typed_target, 11> types_of_targets{{
    {"monitor", "monitor_failure"},
    {"monitor", "monitor_recovery"},
    {"monitor", "monitor_degraded"},
    {"monitor", "monitor_error"},
    {"monitor", "ssl_expiring"},
    {"job", "job_failed"},
    {"job", "job_timeout"},
    {"job", "job_success"},
    {"job", "job_recovered"},
    {"provider", "provider_failing"},
    {"status_page", "status_page_post"},
}};

/// Returns the alert types of the filter's target type, because the index is by alert type.
std::optional<std::vector<std::string>> wanted_types(alert_filter const& filter) {
  if (filter.type) return std::vector{*filter.type};
  if (!filter.target_type) return std::nullopt;
  std::vector<std::string> out;
  for (auto const& each : types_of_targets)
    if (each.target == *filter.target_type) out.emplace_back(each.type);
  return out;
}

/// Removes the end of the outage, because an attempt before that end has not reported it.
void take_back_end(alert_details& alert) {
  if (alert.type != "monitor_failure" || !alert.outage) return;
  alert.outage->ended_at.reset();
  alert.outage->end_reason.clear();
}

listed_alert read_listed_alert(postgres::row r, int first) {
  int const own = first + alert_column_count;
  listed_alert out{.alert = read_alert_details(r, first),
                   .status = std::string(r.text(own)),
                   .suppressed_by = r.maybe_text(own + 1),
                   .provider = r.id(own + 2),
                   .provider_name = std::string(r.text(own + 3)),
                   .attempts = r.integer(own + 4),
                   .grouped = r.boolean(own + 5),
                   .maybe_repeated = r.boolean(own + 6),
                   .last_attempt_at = r.maybe_time(own + 7),
                   .next_attempt_at = r.maybe_time(own + 8),
                   .sent_at = r.maybe_time(own + 9),
                   .error_reason = r.maybe_text(own + 10),
                   .error_status = r.maybe_integer(own + 11)};
  if (out.attempts > 0 && !r.boolean(own + 12)) take_back_end(out.alert);
  return out;
}

page_key key_of_alert(listed_alert const& alert) {
  return {.time = alert.alert.time, .id = alert.alert.id};
}

postgres::query audit_of_retry(editor const& editor, uuid id, postgres::row r) {
  boost::json::object const details{
      {"type", r.text(2)}, {"provider", r.id(3).to_string()}, {"providerName", r.text(4)}};
  return audit_query(editor.entry("alert.retried", "alert", id, boost::json::serialize(details)));
}

}  // namespace

postgres::query alert_list_query(uuid project, alert_filter const& filter, page_request const& wanted) {
  return {list_alert_rows,
          postgres::parameters(project, filter.target_type, filter.target, wanted_types(filter), filter.status,
                               filter.provider, filter.start, filter.end, wanted.limit + 1, wanted.offset(),
                               wanted.after_time(), wanted.after_id())};
}

task<page<listed_alert>> alert_store::list(uuid project, alert_filter filter, page_request wanted, deadline until) {
  auto const found = settled(co_await db_.run(alert_list_query(project, filter, wanted), until));
  co_return read_page<listed_alert>(found, wanted, 2, read_listed_alert, key_of_alert);
}

task<result<listed_alert>> alert_store::get(uuid project, uuid id, deadline until) {
  postgres::query ask{get_alert_row, postgres::parameters(project, id)};
  co_return co_await read_one<listed_alert>(db_.run(std::move(ask), until), read_listed_alert);
}

task<result<listed_alert>> alert_store::retry(editor editor, uuid id, deadline until) {
  auto work = co_await db_.begin(until);
  std::vector<postgres::query> locks{{lock_alert_turn, postgres::parameters(editor.project, id)},
                                     {lock_alert, postgres::parameters(editor.project, id)}};
  auto const found = settled(co_await work.run(std::move(locks)))[1];
  if (found.empty()) co_return errc::not_found;
  auto const now = found.front();
  if (now.text(0) != "failed" || now.boolean(5)) co_return errc::alert_not_failed;
  if (!now.boolean(1)) co_return errc::provider_disabled;
  auto const then =
      co_await commit_change(work, {{retry_alerts, postgres::parameters(id)}}, audit_of_retry(editor, id, now),
                             {get_alert_row, postgres::parameters(editor.project, id)});
  co_return read_listed_alert(then.front(), 0);
}

}  // namespace svc::store
