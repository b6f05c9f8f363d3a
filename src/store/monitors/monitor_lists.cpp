#include "store/monitors/monitor_sql.hpp"
#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/monitor_store.hpp"

#include <boost/json.hpp>

namespace svc::store {
namespace {

// $2 status, $3 type, $4 search, $5 limit + 1, $6 offset, $7 to $9 the key to start after. A project has few
// monitors, so what is filtered is read in order.
#define SVC_WANTED(alive)                                                                  \
  "m.project_id = $1 AND m.deleted_at IS " alive                                           \
  " AND ($2::text IS NULL OR $2 = CASE WHEN m.enabled THEN"                                \
  " (SELECT v.verdict FROM monitor_status v WHERE v.monitor_id = m.id) ELSE 'paused' END)" \
  " AND ($3::text IS NULL OR m.type = $3)"                                                 \
  " AND ($4::text IS NULL OR position(lower($4) IN lower(m.name)) > 0)"
#define SVC_LIST(alive, after, order)                                                                  \
  SVC_PAGED("monitors m WHERE " SVC_WANTED(alive), SVC_NO_GUESS, "",                                   \
            SVC_MONITOR_COLUMNS SVC_MONITOR_TABLES "WHERE " SVC_WANTED(alive) after " ORDER BY " order \
                                                                                    " LIMIT $5 OFFSET $6")
#define SVC_NEWEST(alive)                                                               \
  SVC_LIST(alive, " AND $9::text IS NULL" SVC_BEFORE("m.created_at, m.id", "$7", "$8"), \
           "m.created_at DESC, m.id DESC")
constexpr postgres::statement list_newest_monitors{"monitor_list_newest", SVC_NEWEST("NULL")};
constexpr postgres::statement list_deleted_monitors{"monitor_list_deleted", SVC_NEWEST("NOT NULL")};
constexpr postgres::statement list_monitors_by_name{
    "monitor_list_by_name", SVC_LIST("NULL",
                                     " AND $7::timestamptz IS NULL AND (m.name, m.id) > (coalesce($9::text, ''),"
                                     " coalesce($8::uuid, '00000000-0000-0000-0000-000000000000'))",
                                     "m.name, m.id")};
#undef SVC_NEWEST
#undef SVC_LIST
#undef SVC_WANTED

postgres::statement list_for(monitor_filter const& filter) {
  if (filter.deleted) return list_deleted_monitors;
  return filter.order == monitor_order::name ? list_monitors_by_name : list_newest_monitors;
}

std::vector<uuid> providers_in(std::optional<std::string> const& alert_config) {
  std::vector<uuid> out;
  if (!alert_config) return out;
  auto const config = boost::json::parse(*alert_config).as_object();
  auto const* named = config.if_contains("notificationProviders");
  if (named == nullptr) return out;
  for (auto const& each : named->as_array()) {
    if (auto const id = uuid::parse(std::string_view(each.as_string()))) out.push_back(*id);
  }
  return out;
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
  return out;
}

task<page<monitor>> monitor_store::list(uuid project, monitor_filter filter, page_request wanted, deadline until) {
  postgres::query ask{list_for(filter), postgres::parameters(project, filter.status, filter.type, filter.search,
                                                             wanted.limit + 1, wanted.offset(), wanted.after_time(),
                                                             wanted.after_id(), wanted.after_text())};
  auto const found = settled(co_await db_.run(std::move(ask), until));
  auto const key = [by_name = filter.order == monitor_order::name](monitor const& of) {
    return by_name ? page_key{.text = of.set.name, .id = of.id} : created_key(of);
  };
  co_return read_page<monitor>(found, wanted, 2, read_monitor_row, key);
}

task<result<monitor>> monitor_store::get(uuid project, uuid id, deadline until) {
  return read_one<monitor>(db_.run({get_monitor, postgres::parameters(project, id)}, until),
                           [](postgres::row r, int first) { return read_monitor_row(r, first); });
}

}  // namespace svc::store
