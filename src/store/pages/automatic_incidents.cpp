// Automatic incidents of status pages.
#include "store/pages/status_page_sql.hpp"
#include "store/pages/status_rows.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"
#include "svc/domain/pages/automatic.hpp"
#include "svc/domain/pages/settings.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/pages/page_maintenance_store.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

namespace svc::store {
namespace {

constexpr postgres::statement list_automatic_pages{"automatic_pages", R"(
SELECT p.id FROM status_pages p
 WHERE p.id > $1 AND p.deleted_at IS NULL AND p.status = 'published' AND p.auto_incidents
 ORDER BY p.id LIMIT $2)"};

constexpr postgres::statement lock_automatic_page{"automatic_lock_page", R"(
SELECT p.project_id, p.auto_incident_minutes, clock_timestamp(),
       (SELECT count(*) FROM incidents i WHERE i.page_id = p.id AND i.automatic
           AND i.created_at > clock_timestamp() - interval '24 hours')
  FROM status_pages p
 WHERE p.id = $1 AND p.deleted_at IS NULL AND p.status = 'published' AND p.auto_incidents
   FOR NO KEY UPDATE SKIP LOCKED)"};

// The open outages of the page's monitors that are not in maintenance. An outage counts from the end of maintenance
// on. Column 3: it has had its incident, also if that was deleted.
constexpr postgres::statement read_open_outages{"automatic_outages", R"(
SELECT t.component_id, o.id, greatest(o.started_at, w.until),
       c.automatic_outage_id IS NOT DISTINCT FROM o.id
       OR EXISTS (SELECT FROM incidents i WHERE i.automatic AND i.component_id = c.id AND i.outage_id = o.id)
  FROM page_component_monitors t
  JOIN page_components c ON c.id = t.component_id
  JOIN monitors m ON m.id = t.monitor_id AND m.deleted_at IS NULL AND m.enabled
  JOIN monitor_status s ON s.monitor_id = m.id AND s.verdict = 'down'
  JOIN outages o ON o.id = s.outage_id AND o.ended_at IS NULL
 CROSS JOIN LATERAL (SELECT max(q.ends_at) AS until
                       FROM maintenance_of(ARRAY[m.id], o.started_at, statement_timestamp()) q) w
 WHERE t.page_id = $1 AND (w.until IS NULL OR w.until <= statement_timestamp()))"};

constexpr postgres::statement read_automatic_incidents{"automatic_incidents", R"(
SELECT i.component_id, i.id, i.good_since FROM incidents i
 WHERE i.page_id = $1 AND i.automatic AND NOT i.person_posted AND i.slot IS NOT NULL)"};

// A page with 50 open incidents gets none.
constexpr postgres::statement open_incident{"automatic_open", R"(
WITH made AS (
  INSERT INTO incidents (id, project_id, page_id, slot, name, impact, status, started_at, automatic, component_id,
                         outage_id)
  SELECT new_id(clock_timestamp()), c.project_id, c.page_id, f.slot, c.name, $3, 'investigating', $4, true, c.id, $5
    FROM page_components c
   CROSS JOIN (SELECT min(n) AS slot FROM generate_series(1, 50) n
                WHERE NOT EXISTS (SELECT FROM incidents i WHERE i.page_id = $1 AND i.slot = n)) f
   WHERE c.page_id = $1 AND c.id = $2 AND f.slot IS NOT NULL
  ON CONFLICT DO NOTHING
  RETURNING id, project_id
), noted AS (
  UPDATE page_components c SET automatic_outage_id = $5 FROM made WHERE c.id = $2
), affected AS (
  INSERT INTO incident_components (page_id, incident_id, component_id, slot, status)
  SELECT $1, made.id, $2, 1, $6 FROM made
)
INSERT INTO page_posts (id, project_id, parent_id, page_id, slot, status, body, display_at, automatic, notify)
SELECT new_id(clock_timestamp()), made.project_id, made.id, $1, 1, 'investigating', '', clock_timestamp(), true, true
  FROM made
RETURNING id)"};

constexpr postgres::statement write_progress{"automatic_progress", R"(
UPDATE incidents SET good_since = $2 WHERE id = $1 AND good_since IS DISTINCT FROM $2)"};

constexpr postgres::statement resolve_incident{"automatic_resolve", R"(
WITH resolved AS (
  UPDATE incidents
     SET status = 'resolved', resolved_at = clock_timestamp(), slot = NULL, version = version + 1,
         updated_at = clock_timestamp()
   WHERE id = $1
  RETURNING id, project_id, page_id
)
INSERT INTO page_posts (id, project_id, parent_id, page_id, slot, status, body, display_at, automatic, notify)
SELECT new_id(clock_timestamp()), r.project_id, r.id, r.page_id, f.slot, 'resolved', '', clock_timestamp(), true, true
  FROM resolved r CROSS JOIN free_post_slot($1) f (slot) WHERE f.slot IS NOT NULL
RETURNING id)"};

constexpr postgres::statement trim_after_automatic{"automatic_trim", R"(
DELETE FROM incidents
 WHERE id = ANY (ARRAY(SELECT i.id FROM incidents i WHERE i.page_id = $1 AND i.resolved_at IS NOT NULL
                        ORDER BY i.resolved_at DESC, i.id DESC OFFSET 950)))"};

// Mails beyond the bounds of the page are left out.
constexpr postgres::statement queue_automatic_post{"automatic_queue",
                                                   "SELECT queue_page_post($1, $2, clock_timestamp())"};

/// A page under its lock, with all that automation decides by.
struct automatic_page {
  uuid id{};
  std::chrono::minutes after{};
  timestamp now{};
  std::int64_t opened = 0;  ///< automatic incidents of the last 24 hours
  std::map<uuid, pages::watched_component> components{};
  std::map<uuid, std::pair<uuid, pages::watched_incident>> incidents{};  ///< by component
};

/// The open outages of a page's components, and those among them that have had their incident.
struct page_outages {
  std::map<uuid, std::vector<pages::open_outage>> of_component{};
  std::set<std::pair<uuid, uuid>> handled{};  ///< component and outage
};

page_outages read_outages_of(postgres::rows const& found) {
  page_outages out;
  for (int i = 0; i < found.size(); ++i) {
    auto const r = found[i];
    out.of_component[r.id(0)].push_back({r.id(1), r.time(2)});
    if (r.boolean(3)) out.handled.emplace(r.id(0), r.id(1));
  }
  return out;
}

/// `found`: the rows of the lock, of the outages, of the incidents, then those of `ask_statuses`.
automatic_page read_automatic_page(uuid id, std::vector<postgres::rows> const& found) {
  auto const r = found[0].front();
  automatic_page out{.id = id, .after = std::chrono::minutes(r.integer(1)), .now = r.time(2), .opened = r.integer(3)};
  auto outages = read_outages_of(found[1]);
  auto const statuses = read_statuses(std::span(found).subspan(3));
  auto const known = read_component_monitors(found[3]);
  auto const page = statuses.pages.find(id);
  if (page == statuses.pages.end()) return out;
  for (auto const& each : page->second.components) {
    auto const& [rule, monitors] = known.at(each.id);
    pages::watched_component component{
        .measured = each.measured.status,
        .outage = pages::outage_of_component(outages.of_component[each.id], monitors.size(), rule)};
    if (component.outage && outages.handled.contains({each.id, component.outage->id})) component.outage.reset();
    component.maintained = std::ranges::any_of(page->second.maintenance, [&](auto const& active) {
      return std::ranges::find(active.components, each.id) != active.components.end();
    });
    out.components.emplace(each.id, component);
  }
  for (int i = 0; i < found[2].size(); ++i)
    out.incidents[found[2][i].id(0)] = {found[2][i].id(1), {.good_since = found[2][i].maybe_time(2)}};
  return out;
}

postgres::query open_incident_query(uuid page, uuid component, pages::watched_component const& watched) {
  return {open_incident, postgres::parameters(page, component, to_text(pages::impact_of_outage(watched.measured)),
                                              watched.outage->since, watched.outage->id, to_text(watched.measured))};
}

/// Returns the statements that write posts, and appends those that only note progress. `opened` counts the new
/// incidents.
std::vector<postgres::query> decide_incidents(automatic_page const& page, std::vector<postgres::query>& notes) {
  std::vector<postgres::query> posts;
  auto left = pages::most_automatic_incidents_a_day - page.opened;
  for (auto const& [id, component] : page.components) {
    auto const open = page.incidents.find(id);
    if (open == page.incidents.end()) {
      if (!pages::is_incident_due(component, page.after, page.now) || left-- <= 0) continue;
      posts.push_back(open_incident_query(page.id, id, component));
      continue;
    }
    auto const next = pages::progress_of(open->second.second, component.measured, page.after, page.now);
    if (next.resolved)
      posts.push_back({resolve_incident, postgres::parameters(open->second.first)});
    else
      notes.push_back({write_progress, postgres::parameters(open->second.first, next.good_since)});
  }
  return posts;
}

}  // namespace

task<std::vector<uuid>> page_maintenance_store::automatic_pages(uuid after, deadline until) {
  postgres::query ask{list_automatic_pages, postgres::parameters(after, most_at_once)};
  co_return read_ids(settled(co_await db_.run(std::move(ask), until)));
}

task<> page_maintenance_store::follow_outages(uuid page_id, deadline until) {
  auto work = co_await db_.begin(until);
  std::vector<postgres::query> reads{{lock_automatic_page, postgres::parameters(page_id)},
                                     {read_open_outages, postgres::parameters(page_id)},
                                     {read_automatic_incidents, postgres::parameters(page_id)}};
  ask_statuses({page_id}, reads);
  auto const found = settled(co_await work.run(std::move(reads)));
  if (found[0].empty()) co_return;
  auto const page = read_automatic_page(page_id, found);
  std::vector<postgres::query> last;
  auto posts = decide_incidents(page, last);
  std::vector<uuid> written;
  if (!posts.empty()) {
    auto const found_posts = settled(co_await work.run(std::move(posts)));
    for (auto const& rows : found_posts)
      for (int i = 0; i < rows.size(); ++i) written.push_back(rows[i].id(0));
  }
  bool const changes = !written.empty();
  for (auto const& post : written) last.push_back({queue_automatic_post, postgres::parameters(page_id, post)});
  if (changes) {
    last.push_back({trim_after_automatic, postgres::parameters(page_id)});
    last.push_back(raise_shown_query(page_id));
  }
  settled(co_await work.commit(std::move(last)));
  if (changes) report_changes(changed_, "incident", {found[0].front().id(0)});
}

}  // namespace svc::store
