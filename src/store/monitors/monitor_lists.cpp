#include "store/monitors/monitor_sql.hpp"
#include "store/sql/page_sql.hpp"
#include "store/sql/provider_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/domain/monitoring/checks/result.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/monitors/monitor_store.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>

namespace svc::store {
namespace {

// $2 status, $3 type, $4 search, $5 limit + 1, $6 offset, $7 to $9 the key to start after, $10 name of a tag. A
// project has few monitors, so what is filtered is read in order.
consteval auto wanted_monitors(auto const& deleted) {
  return sql("m.project_id = $1 AND m.deleted_at IS ", deleted,
             " AND ($2::text IS NULL OR $2 = CASE WHEN m.enabled AND m.deleted_at IS NULL THEN"
             " (SELECT v.verdict FROM monitor_status v WHERE v.monitor_id = m.id) ELSE 'paused' END)"
             " AND ($3::text IS NULL OR m.type = $3)"
             " AND ($4::text IS NULL OR position(lower($4) IN lower(m.name)) > 0)"
             " AND ($10::text IS NULL OR EXISTS (SELECT FROM monitor_tags w JOIN tags g ON g.id = w.tag_id"
             " WHERE w.monitor_id = m.id AND g.name = $10))");
}
// Column 2 says whether the project is in maintenance; only then `read_list_maintenance` reads which monitors are.
consteval auto monitor_list_sql(auto const& deleted, auto const& after, auto const& order) {
  return paged_sql(sql("monitors m WHERE ", wanted_monitors(deleted)), no_estimate,
                   sql(", EXISTS (SELECT FROM ", active_windows("$1"), ")"),
                   sql(monitor_facts, "NULL::jsonb ", monitor_tables, "WHERE ", wanted_monitors(deleted), after,
                       " ORDER BY ", order, " LIMIT $5 OFFSET $6"));
}
consteval auto newest_monitors(auto const& deleted) {
  return monitor_list_sql(deleted, sql(" AND $9::text IS NULL", rows_before("m.created_at, m.id", "$7", "$8")),
                          "m.created_at DESC, m.id DESC");
}
constexpr auto list_newest_monitors_sql = newest_monitors("NULL");
constexpr postgres::statement list_newest_monitors{"monitor_list_newest", list_newest_monitors_sql};
constexpr auto list_deleted_monitors_sql = newest_monitors("NOT NULL");
constexpr postgres::statement list_deleted_monitors{"monitor_list_deleted", list_deleted_monitors_sql};
constexpr auto list_monitors_by_name_sql =
    monitor_list_sql("NULL",
                     " AND $7::timestamptz IS NULL AND (m.name, m.id) > (coalesce($9::text, ''),"
                     " coalesce($8::uuid, '00000000-0000-0000-0000-000000000000'))",
                     "m.name, m.id");
constexpr postgres::statement list_monitors_by_name{"monitor_list_by_name", list_monitors_by_name_sql};
// The place of its status in `by_severity`, as text.
constexpr auto severity_of_monitor =
    sql("(CASE WHEN NOT m.enabled THEN '5' WHEN s.verdict = 'down' THEN '0' WHEN s.verdict = 'error' THEN '1'"
        " WHEN s.verdict = 'degraded' THEN '2' WHEN s.verdict = 'pending' THEN '3' ELSE '4' END)");
constexpr std::array<std::string_view, 6> by_severity{"down", "error", "degraded", "pending", "up", "paused"};
constexpr auto list_monitors_by_status_sql =
    monitor_list_sql("NULL",
                     sql(" AND $7::timestamptz IS NULL AND (", severity_of_monitor,
                         ", m.id) > (coalesce($9::text, ''),"
                         " coalesce($8::uuid, '00000000-0000-0000-0000-000000000000'))"),
                     sql(severity_of_monitor, ", m.id"));
constexpr postgres::statement list_monitors_by_status{"monitor_list_by_status", list_monitors_by_status_sql};

// $2 monitors. Says of each what `current_maintenance_of_monitor` says. A window of all monitors, of a monitor and of
// a tag that ends last is found first, so the cost is that of the windows' targets and not that of all pairs.
constexpr auto list_maintenance_sql = sql(
    "WITH active AS MATERIALIZED (SELECT w.id, w.name, w.all_monitors, n.ends_at FROM ", active_windows("$1"),
    "), targets AS MATERIALIZED (SELECT t.monitor_id, t.tag_id, a.id, a.ends_at FROM active a"
    " JOIN maintenance_targets t ON t.window_id = a.id WHERE t.tag_id IS NOT NULL OR t.monitor_id = ANY ($2)),"
    " of_tags AS (SELECT DISTINCT ON (t.tag_id) t.tag_id, t.id, t.ends_at FROM targets t WHERE t.tag_id IS NOT NULL"
    " ORDER BY t.tag_id, t.ends_at DESC, t.id), covers AS ("
    "SELECT m.id AS monitor_id, a.id, a.ends_at FROM unnest($2::uuid[]) m (id) CROSS JOIN"
    " (SELECT b.id, b.ends_at FROM active b WHERE b.all_monitors ORDER BY b.ends_at DESC, b.id LIMIT 1) a"
    " UNION ALL SELECT t.monitor_id, t.id, t.ends_at FROM targets t WHERE t.monitor_id IS NOT NULL"
    " UNION ALL SELECT g.monitor_id, t.id, t.ends_at FROM monitor_tags g JOIN of_tags t ON t.tag_id = g.tag_id"
    " WHERE g.monitor_id = ANY ($2))"
    " SELECT DISTINCT ON (c.monitor_id) c.monitor_id, a.id, a.name, a.ends_at FROM covers c"
    " JOIN active a ON a.id = c.id ORDER BY c.monitor_id, c.ends_at DESC, c.id");
constexpr postgres::statement read_list_maintenance{"monitor_list_maintenance", list_maintenance_sql};

postgres::statement list_for(monitor_filter const& filter) {
  if (filter.deleted) return list_deleted_monitors;
  if (filter.order == monitor_order::status) return list_monitors_by_status;
  return filter.order == monitor_order::name ? list_monitors_by_name : list_newest_monitors;
}

page_key key_of(monitor const& monitor, monitor_filter const& filter) {
  if (filter.deleted || filter.order == monitor_order::newest) return created_key(monitor);
  if (filter.order == monitor_order::name) return {.text = monitor.set.name, .id = monitor.id};
  auto const position = std::ranges::find(by_severity, monitor.status()) - by_severity.begin();
  return {.text = std::to_string(position), .id = monitor.id};
}

std::vector<monitor_view> views_in(std::string_view json) {
  std::vector<monitor_view> out;
  auto const all = boost::json::parse(json).as_array();
  for (auto const& each : all) {
    auto const& row = each.as_array();
    monitor_view monitor_view{.location = uuid::parse(std::string_view(row[0].as_string())).value(),
                              .says = std::string(row[1].as_string()),
                              .fails = row[3].as_int64(),
                              .oks = row[4].as_int64()};
    if (row[2].is_int64()) monitor_view.seen_at = timestamp{row[2].get_int64()};
    if (row[5].is_int64()) monitor_view.response_ms = row[5].get_int64();
    out.push_back(std::move(monitor_view));
  }
  return out;
}

std::optional<current_maintenance> maintenance_in(std::optional<std::string_view> json) {
  if (!json) return std::nullopt;
  auto const value = boost::json::parse(*json);
  auto const& row = value.as_array();
  return current_maintenance{.id = uuid::parse(std::string_view(row[0].as_string())).value(),
                             .name = std::string(row[1].as_string()),
                             .until = {row[2].as_int64()}};
}

void add_maintenance(postgres::rows const& found, std::vector<monitor>& into) {
  for (int i = 0; i < found.size(); ++i) {
    auto const covered = std::ranges::find(into, found[i].id(0), &monitor::id);
    if (covered == into.end()) continue;
    covered->maintenance = {.id = found[i].id(1), .name = std::string(found[i].text(2)), .until = found[i].time(3)};
  }
}

}  // namespace

monitor read_monitor_row(postgres::row r, int first) {
  monitor out{.id = r.id(first), .set = {.name = std::string(r.text(first + 1))}};
  auto& set = out.set;
  set.description = r.maybe_text(first + 2);
  set.type = r.text(first + 3);
  set.target = r.maybe_text(first + 4);
  set.frequency_minutes = r.integer(first + 5);
  set.frequency_seconds = r.maybe_integer(first + 6);
  set.enabled = r.boolean(first + 7);
  set.config = r.text(first + 8);
  set.attempts_seconds = r.integer(first + 9);
  set.alert_config = r.maybe_text(first + 10);
  set.alert_providers = providers_in(set.alert_config);
  set.muted_until = r.maybe_time(first + 11);
  out.verdict = r.text(first + 12);
  out.since = r.time(first + 13);
  out.reason = r.maybe_text(first + 14);
  out.suspect_since = r.maybe_time(first + 15);
  out.open_outage = r.maybe_id(first + 16);
  out.check_version = r.integer(first + 17);
  out.deleted_at = r.maybe_time(first + 18);
  out.created_by = r.id(first + 19);
  out.version = r.integer(first + 20);
  out.created_at = r.time(first + 21);
  out.updated_at = r.time(first + 22);
  if (auto const code = r.maybe_integer(first + 23))
    out.reason_code = checks::row_of(static_cast<checks::code>(*code)).name;
  out.seen = views_in(r.text(first + 24));
  out.tags = r.text(first + 25);
  set.depends_on = r.ids(first + 26);
  out.maintenance = maintenance_in(r.is_null(first + 27) ? std::nullopt : std::optional(r.text(first + 27)));
  return out;
}

task<page<monitor>> monitor_store::list(uuid project, monitor_filter filter, page_request wanted, deadline until) {
  postgres::query ask{list_for(filter), postgres::parameters(project, filter.status, filter.type, filter.search,
                                                             wanted.limit + 1, wanted.offset(), wanted.after_time(),
                                                             wanted.after_id(), wanted.after_text(), filter.tag)};
  auto const found = settled(co_await db_.run(std::move(ask), until));
  auto const key = [&filter](monitor const& subject) { return key_of(subject, filter); };
  auto out = read_page<monitor>(found, wanted, 3, read_monitor_row, key);
  bool const maintained = !filter.deleted && !out.rows.empty() && found.front().boolean(2);
  if (!maintained) co_return out;
  auto const ids = postgres::column<uuid>(out.rows, [](monitor const& each) { return each.id; });
  add_maintenance(settled(co_await db_.run({read_list_maintenance, postgres::parameters(project, ids)}, until)),
                  out.rows);
  co_return out;
}

task<result<monitor>> monitor_store::get(uuid project, uuid id, deadline until) {
  return read_one<monitor>(db_.run({get_monitor, postgres::parameters(project, id)}, until),
                           [](postgres::row r, int first) { return read_monitor_row(r, first); });
}

}  // namespace svc::store
