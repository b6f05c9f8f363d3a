#include "svc/store/monitors/outage_store.hpp"

#include "store/sql/change_sql.hpp"
#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/postgres/pool.hpp"

#include <boost/json.hpp>

namespace svc::store {
namespace {

// The columns that `read_outage` reads, in its order. The known time of an open outage is the time that its location
// has covered. The duration is rounded up to whole seconds, and the excluded time is rounded down. So the duration is
// greater if and only if the outage has downtime.
constexpr auto outage_columns =
    sql(" o.id, o.monitor_id, o.started_at, o.detected_at, o.ended_at, o.end_reason, o.cause, o.cause_message,"
        " o.cause_location, o.locations_down, o.acknowledged_at, o.acknowledged_by,"
        " ceil(extract(epoch FROM coalesce(o.ended_at, clock_timestamp()) - o.started_at))::bigint,"
        " CASE WHEN o.ended_at IS NOT NULL THEN o.excluded_seconds ELSE"
        " greatest(0, floor(extract(epoch FROM clock_timestamp() - o.started_at))::bigint - coalesce((SELECT"
        " max(c.covered) FROM check_states c WHERE c.monitor_id = o.monitor_id), 0)) END ");

// $3 from, $4 to, $5 open, $6 limit + 1, $7 offset, $8 and $9 the key to start after.
constexpr auto wanted_outages =
    sql("outages o WHERE o.project_id = $1 AND o.monitor_id = $2"
        " AND ($3::timestamptz IS NULL OR coalesce(o.ended_at, 'infinity') > $3)"
        " AND ($4::timestamptz IS NULL OR o.started_at < $4) AND ($5::boolean IS NULL OR $5 = (o.ended_at IS NULL))");
constexpr auto list_outages_sql =
    paged_sql(wanted_outages, no_estimate, "",
              sql(outage_columns, "FROM ", wanted_outages, rows_before("o.started_at, o.id", "$8", "$9"),
                  " ORDER BY o.started_at DESC, o.id DESC"
                  " LIMIT $6 OFFSET $7"));
constexpr postgres::statement list_outages{"outage_list", list_outages_sql};

constexpr auto get_outage_sql = sql("SELECT", outage_columns,
                                    "FROM outages o WHERE o.project_id = $1 AND o.monitor_id = $2"
                                    " AND o.id = $3");
constexpr postgres::statement get_outage{"outage_get", get_outage_sql};

// Locks the monitor first, like decisions do, so that no decision runs at the same time.
constexpr postgres::statement lock_monitor_of{"outage_lock_monitor", R"(
SELECT FROM monitors WHERE project_id = $1 AND id = $2 FOR NO KEY UPDATE)"};

constexpr postgres::statement acknowledge_outage{"outage_acknowledge", R"(
UPDATE outages SET acknowledged_at = clock_timestamp(), acknowledged_by = $2 WHERE id = $1)"};

// Notifies each PagerDuty provider that got the outage or will get it. While the monitor is muted, both alerts wait
// together.
constexpr postgres::statement notify_acknowledged{"outage_tell_acknowledged", R"(
INSERT INTO alerts (id, project_id, type, target_type, target_id, target_name, about, number, provider_id, provider_name,
                    status, suppressed_by)
SELECT gen_random_uuid(), a.project_id, 'outage_acknowledged', 'monitor', a.target_id, a.target_name, a.about, 0,
       a.provider_id, a.provider_name, CASE WHEN a.suppressed_by IS NULL THEN 'pending' ELSE 'suppressed' END,
       a.suppressed_by
  FROM alerts a JOIN notification_providers p ON p.id = a.provider_id AND p.type = 'pagerduty' AND p.enabled
 WHERE a.about = $1 AND a.type = 'monitor_failure' AND a.number = 0
   AND a.suppressed_by IS DISTINCT FROM 'provider_disabled'
ON CONFLICT ON CONSTRAINT alerts_told_once DO NOTHING)"};

outage read_outage(postgres::row r, int first) {
  outage out{.id = r.id(first), .monitor = r.id(first + 1)};
  out.started_at = r.time(first + 2);
  out.detected_at = r.time(first + 3);
  out.ended_at = r.maybe_time(first + 4);
  out.end_reason = r.maybe_text(first + 5);
  out.cause = {static_cast<checks::code>(r.integer(first + 6)), std::string(r.text(first + 7))};
  out.cause_location = r.text(first + 8);
  out.locations_down = r.texts(first + 9);
  out.acknowledged_at = r.maybe_time(first + 10);
  out.acknowledged_by = r.maybe_id(first + 11);
  out.duration_seconds = r.integer(first + 12);
  out.excluded_seconds = r.integer(first + 13);
  return out;
}

constexpr postgres::statement count_open_outages{"outage_count_open",
                                                 "SELECT count(*) FROM outages WHERE ended_at IS NULL"};

}  // namespace

task<page<outage>> outage_store::list(uuid project, uuid monitor, outage_filter filter, page_request wanted,
                                      deadline until) {
  postgres::query ask{list_outages,
                      postgres::parameters(project, monitor, filter.start, filter.end, filter.open, wanted.limit + 1,
                                           wanted.offset(), wanted.after_time(), wanted.after_id())};
  auto const found = settled(co_await db_.run(std::move(ask), until));
  auto const key = [](outage const& subject) { return page_key{.time = subject.started_at, .id = subject.id}; };
  co_return read_page<outage>(found, wanted, 2, read_outage, key);
}

task<result<outage>> outage_store::acknowledge(editor editor, uuid monitor, uuid id, deadline until) {
  auto work = co_await db_.begin(until);
  postgres::query const get{get_outage, postgres::parameters(editor.project, monitor, id)};
  std::vector<postgres::query> first{{lock_monitor_of, postgres::parameters(editor.project, monitor)}, get};
  auto const found = settled(co_await work.run(std::move(first)));
  if (found[1].empty()) co_return errc::not_found;
  auto const current = read_outage(found[1].front(), 0);
  if (current.ended_at) co_return errc::outage_over;
  if (current.acknowledged_at) co_return current;
  auto audited =
      audit_query(editor.entry("outage.acknowledged", "outage", id,
                               boost::json::serialize(boost::json::object{{"monitor", monitor.to_string()}})));
  auto const now = co_await commit_change(work,
                                          {{acknowledge_outage, postgres::parameters(id, editor.actor.user)},
                                           {notify_acknowledged, postgres::parameters(id)}},
                                          std::move(audited), get);
  co_return read_outage(now.front(), 0);
}

task<std::int64_t> outage_store::count_open(deadline until) {
  co_return settled(co_await db_.run(postgres::query{count_open_outages, {}}, until)).front().integer(0);
}

}  // namespace svc::store
