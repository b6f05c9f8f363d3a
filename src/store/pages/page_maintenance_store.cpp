#include "svc/store/pages/page_maintenance_store.hpp"

#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"

#include <boost/json.hpp>

#include <utility>

namespace svc::store {
namespace {

constexpr std::int64_t page_rows_at_once = 1000;

constexpr postgres::statement find_announcing{"announce_projects", R"(
SELECT project_id FROM (SELECT w.project_id, w.announce_at FROM maintenance_windows w
                         WHERE w.announce_at <= statement_timestamp() ORDER BY w.announce_at LIMIT 2000) due
 GROUP BY project_id ORDER BY min(announce_at) LIMIT $1)"};

constexpr postgres::statement try_lock_announcing{"announce_lock", R"(
SELECT FROM projects WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED)"};

constexpr postgres::statement publish_due_windows{"announce_publish", R"(
SELECT publish_windows(ARRAY(SELECT w.id FROM maintenance_windows w
                              WHERE w.project_id = $1 AND w.announce_at <= statement_timestamp()
                              ORDER BY w.announce_at LIMIT 100)))"};

constexpr postgres::statement lock_deleted_page{"page_lock_deleted", R"(
SELECT id FROM status_pages WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT 1 FOR UPDATE SKIP LOCKED)"};

constexpr postgres::statement delete_posts_of_page{"page_delete_posts", R"(
DELETE FROM page_posts
 WHERE id = ANY (ARRAY(SELECT o.id FROM page_posts o WHERE o.page_id = $1 ORDER BY o.display_at, o.id LIMIT $2)))"};
constexpr postgres::statement delete_subscribers_of_page{"page_delete_subscribers", R"(
DELETE FROM page_subscribers
 WHERE id = ANY (ARRAY(SELECT s.id FROM page_subscribers s WHERE s.page_id = $1
                        ORDER BY s.created_at, s.id LIMIT $2)))"};
constexpr postgres::statement delete_incidents_of_page{"page_delete_incidents", R"(
DELETE FROM incidents
 WHERE id = ANY (ARRAY(SELECT i.id FROM incidents i
                        WHERE i.page_id = $1 AND NOT EXISTS (SELECT FROM page_posts o WHERE o.parent_id = i.id)
                        ORDER BY i.started_at, i.id LIMIT $2)))"};
constexpr postgres::statement delete_days_of_page{"page_delete_days", R"(
DELETE FROM page_component_days
 WHERE ctid = ANY (ARRAY(SELECT d.ctid FROM page_components c JOIN page_component_days d ON d.component_id = c.id
                          WHERE c.page_id = $1 LIMIT $2)))"};
constexpr postgres::statement delete_page_row{"page_delete_row", "DELETE FROM status_pages WHERE id = $1"};

constexpr postgres::statement delete_ended_slugs{"page_delete_slugs", R"(
DELETE FROM page_slugs
 WHERE slug = ANY (ARRAY(SELECT g.slug FROM page_slugs g WHERE g.ends_at <= statement_timestamp()
                          ORDER BY g.ends_at LIMIT $1 FOR UPDATE SKIP LOCKED)))"};

constexpr postgres::statement release_slug_row{"page_release_slug", R"(
WITH released AS (
  DELETE FROM page_slugs g WHERE g.slug = $1 AND g.slot IS DISTINCT FROM 0 RETURNING g.project_id, g.page_id
)
SELECT r.page_id, r.project_id, j.organization_id FROM released r JOIN projects j ON j.id = r.project_id)"};

// $1 a slug, $2 an id.
constexpr postgres::statement archive_page_row{"page_archive", R"(
UPDATE status_pages p
   SET status = 'archived', shown_version = p.shown_version + 1, version = p.version + 1,
       updated_at = clock_timestamp()
  FROM projects j
 WHERE j.id = p.project_id AND p.deleted_at IS NULL AND p.status <> 'archived'
   AND p.id = coalesce($2::uuid, (SELECT g.page_id FROM page_slugs g WHERE g.slug = $1 AND g.slot = 0))
RETURNING p.id, p.project_id, p.name, j.organization_id)"};

postgres::query audit_of_release(audit_actor actor, postgres::row r, std::string_view slug) {
  return audit_query({.actor = std::move(actor),
                      .organization = r.id(2),
                      .project = r.id(1),
                      .action = "status_page.updated",
                      .resource = "status_page",
                      .resource_id = r.maybe_id(0),
                      .details = boost::json::serialize(boost::json::object{{"releasedSlug", slug}})});
}

postgres::query audit_of_archiving(audit_actor actor, postgres::row r) {
  return audit_query({.actor = std::move(actor),
                      .organization = r.id(3),
                      .project = r.id(1),
                      .action = "status_page.archived",
                      .resource = "status_page",
                      .resource_id = r.id(0),
                      .details = boost::json::serialize(boost::json::object{{"name", r.text(2)}})});
}

/// Deletes rows of one deleted page, and the page after its last row. Returns true if there may be more to delete.
task<bool> drop_deleted_page(postgres::pool& db, deadline until) {
  auto work = co_await db.begin(until);
  auto const locked = settled(co_await work.run(postgres::query{lock_deleted_page, {}}));
  if (locked.empty()) co_return false;
  auto const page = locked.front().id(0);
  postgres::parameters const batch(page, page_rows_at_once);
  std::vector<postgres::query> writes{{delete_posts_of_page, batch},
                                      {delete_subscribers_of_page, batch},
                                      {delete_incidents_of_page, batch},
                                      {delete_days_of_page, batch}};
  auto const done = settled(co_await work.run(std::move(writes)));
  bool more = false;
  for (auto const& rows : done) more = more || rows.affected() == page_rows_at_once;
  std::vector<postgres::query> last;
  if (!more) last.push_back({delete_page_row, postgres::parameters(page)});
  settled(co_await work.commit(std::move(last)));
  co_return true;
}

}  // namespace

task<std::vector<uuid>> page_maintenance_store::announcing_projects(deadline until) {
  postgres::query ask{find_announcing, postgres::parameters(most_at_once)};
  co_return read_ids(settled(co_await db_.run(std::move(ask), until)));
}

task<> page_maintenance_store::announce(uuid project, deadline until) {
  auto work = co_await db_.begin(until);
  postgres::query lock{try_lock_announcing, postgres::parameters(project)};
  auto const locked = settled(co_await work.run(std::move(lock)));
  if (locked.empty()) co_return;
  std::vector<postgres::query> last{{publish_due_windows, postgres::parameters(project)}};
  settled(co_await work.commit(std::move(last)));
}

task<bool> page_maintenance_store::drop_old(deadline until) {
  postgres::query ask{delete_ended_slugs, postgres::parameters(page_rows_at_once)};
  auto const slugs = settled(co_await db_.run(std::move(ask), until));
  bool const pages_left = co_await drop_deleted_page(db_, until);
  co_return pages_left || slugs.affected() == page_rows_at_once;
}

task<bool> page_admin_store::release_slug(audit_actor actor, std::string slug, deadline until) {
  auto work = co_await db_.begin(until);
  postgres::query ask{release_slug_row, postgres::parameters(slug)};
  auto const found = settled(co_await work.run(std::move(ask)));
  if (found.empty()) co_return false;
  std::vector<postgres::query> last{audit_of_release(std::move(actor), found.front(), slug)};
  settled(co_await work.commit(std::move(last)));
  co_return true;
}

task<bool> page_admin_store::archive_page(audit_actor actor, std::string slug_or_id, deadline until) {
  auto work = co_await db_.begin(until);
  postgres::query ask{archive_page_row, postgres::parameters(slug_or_id, uuid::parse(slug_or_id))};
  auto const found = settled(co_await work.run(std::move(ask)));
  if (found.empty()) co_return false;
  std::vector<postgres::query> last{audit_of_archiving(std::move(actor), found.front())};
  settled(co_await work.commit(std::move(last)));
  co_return true;
}

}  // namespace svc::store
