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
        " max(c.covered) FROM check_states c WHERE c.monitor_id = o.monitor_id), 0)) END, o.caused_by ");

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

// The lists of a project have the parameters of the list above. `keys` selects the rows of the page, with their order
// and number; `o` are the outages.
consteval auto outages_with_names(auto const& counted, auto const& estimate, auto const& keys) {
  return paged_sql(counted, estimate, "",
                   sql(outage_columns, ", coalesce(m.name, '') FROM (", keys,
                       " ORDER BY o.started_at DESC, o.id DESC LIMIT $6 OFFSET $7) o"
                       " LEFT JOIN monitors m ON m.id = o.monitor_id ORDER BY o.started_at DESC, o.id DESC"));
}
constexpr auto outage_bound = rows_before("o.started_at, o.id", "$8", "$9");
constexpr auto outages_of_monitor_sql =
    outages_with_names(wanted_outages, no_estimate, sql("SELECT o.* FROM ", wanted_outages, outage_bound));
constexpr postgres::statement list_outages_of_monitor{"outage_list_of_monitor", outages_of_monitor_sql};

// The planner knows the partial index only from the condition itself.
constexpr auto open_outages_of_project =
    sql("outages o WHERE o.project_id = $1 AND o.ended_at IS NULL AND $2::uuid IS NULL AND $5::boolean"
        " AND coalesce($3::timestamptz, '-infinity') < 'infinity'"
        " AND o.started_at < coalesce($4::timestamptz, 'infinity')");
constexpr auto open_of_project_sql = outages_with_names(
    open_outages_of_project, no_estimate, sql("SELECT o.* FROM ", open_outages_of_project, outage_bound));
constexpr postgres::statement list_open_outages{"outage_list_open_of_project", open_of_project_sql};

// Outages of a monitor do not overlap, and start at different times. So the outages that overlap [$3, $4) are those
// that started in it, and at most one of each monitor that started before it: the newest one. Others are never read,
// however many there are. A deleted monitor has had no outage since its deletion.
constexpr auto overlaps_times =
    sql(" AND ($3::timestamptz IS NULL OR coalesce(o.ended_at, 'infinity') > $3)"
        " AND o.started_at < coalesce($4::timestamptz, 'infinity')"
        " AND ($5::boolean IS NULL OR $5 = (o.ended_at IS NULL))");
constexpr auto started_inside =
    sql("outages o WHERE o.project_id = $1 AND $2::uuid IS NULL"
        " AND o.started_at >= coalesce($3::timestamptz, '-infinity')",
        overlaps_times);
constexpr auto reaching_inside =
    sql("(SELECT w.id FROM monitors w WHERE w.project_id = $1 AND w.deleted_at IS NULL UNION ALL"
        " SELECT w.id FROM monitors w WHERE w.project_id = $1 AND w.deleted_at >= $3) w CROSS JOIN LATERAL"
        " (SELECT * FROM outages n WHERE n.monitor_id = w.id AND n.started_at < $3"
        " ORDER BY n.started_at DESC, n.id DESC LIMIT 1) o"
        " WHERE $3::timestamptz IS NOT NULL",
        overlaps_times);
constexpr auto estimated_outages =
    sql("estimated_rows('SELECT FROM outages o WHERE o.project_id = ' || quote_literal($1::uuid)"
        " || coalesce(' AND o.started_at >= ' || quote_literal($3::timestamptz), '')"
        " || coalesce(' AND o.started_at < ' || quote_literal($4::timestamptz), ''))");
constexpr auto outages_of_project_sql = outages_with_names(
    sql("(SELECT FROM ", started_inside, " UNION ALL SELECT FROM ", reaching_inside, ") o"), estimated_outages,
    sql("SELECT o.* FROM ((SELECT o.* FROM ", started_inside, outage_bound,
        " ORDER BY o.started_at DESC, o.id DESC LIMIT $6::bigint + $7::bigint) UNION ALL SELECT o.* FROM ",
        reaching_inside, outage_bound, ") o"));
// A plan for any times would take a few outages for granted, and read all of a project to count them.
constexpr bool planned_for_its_times = true;
constexpr postgres::statement list_outages_of_project{"outage_list_of_project", outages_of_project_sql,
                                                      planned_for_its_times};

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
  out.caused_by = r.maybe_id(first + 14);
  return out;
}

outage_of_project read_outage_of_project(postgres::row r, int first) {
  return {read_outage(r, first), std::string(r.text(first + 15))};
}

/// The parameters of each list.
postgres::query outage_list_query(postgres::statement list, uuid project, std::optional<uuid> monitor,
                                  outage_filter const& filter, page_request const& wanted) {
  return {list, postgres::parameters(project, monitor, filter.start, filter.end, filter.open, wanted.limit + 1,
                                     wanted.offset(), wanted.after_time(), wanted.after_id())};
}

page_key key_of_outage(outage const& subject) {
  return {.time = subject.started_at, .id = subject.id};
}

constexpr postgres::statement count_open_outages{"outage_count_open",
                                                 "SELECT count(*) FROM outages WHERE ended_at IS NULL"};

}  // namespace

task<page<outage>> outage_store::list(uuid project, uuid monitor, outage_filter filter, page_request wanted,
                                      deadline until) {
  auto const found =
      settled(co_await db_.run(outage_list_query(list_outages, project, monitor, filter, wanted), until));
  co_return read_page<outage>(found, wanted, 2, read_outage, key_of_outage);
}

postgres::query project_outages_query(uuid project, std::optional<uuid> monitor, outage_filter const& filter,
                                      page_request const& wanted) {
  auto const list = monitor               ? list_outages_of_monitor
                    : filter.open == true ? list_open_outages
                                          : list_outages_of_project;
  return outage_list_query(list, project, monitor, filter, wanted);
}

task<page<outage_of_project>> outage_store::list_of_project(uuid project, std::optional<uuid> monitor,
                                                            outage_filter filter, page_request wanted,
                                                            deadline until) {
  auto const found = settled(co_await db_.run(project_outages_query(project, monitor, filter, wanted), until));
  auto const key = [](outage_of_project const& row) { return key_of_outage(row.subject); };
  co_return read_page<outage_of_project>(found, wanted, 2, read_outage_of_project, key);
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
