#include "svc/store/pages/snapshot_source.hpp"

#include "store/pages/day_rows.hpp"
#include "store/pages/snapshot_rows.hpp"
#include "store/pages/status_rows.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/core/bytes.hpp"
#include "svc/postgres/pool.hpp"

#include <set>
#include <utility>

namespace svc::store {
namespace {

/// Restricts page `p` of project `j` to those that visitors can see.
constexpr auto visible_page = sql(" p.status = 'published' AND p.deleted_at IS NULL AND j.archived_at IS NULL ");

constexpr auto page_name_columns =
    sql("SELECT p.id, (SELECT c.slug FROM page_slugs c WHERE c.page_id = p.id AND c.slot = 0) ");

constexpr auto find_by_slug_sql =
    sql(page_name_columns,
        ", g.slot <> 0 FROM page_slugs g JOIN status_pages p ON p.id = g.page_id"
        " JOIN projects j ON j.id = p.project_id"
        " WHERE g.slug = $1 AND (g.ends_at IS NULL OR g.ends_at > statement_timestamp()) AND",
        visible_page);
constexpr postgres::statement find_by_slug{"snapshot_find_slug", find_by_slug_sql};
constexpr auto find_by_id_sql =
    sql(page_name_columns, ", false FROM status_pages p JOIN projects j ON j.id = p.project_id WHERE p.id = $1 AND",
        visible_page);
constexpr postgres::statement find_by_id{"snapshot_find", find_by_id_sql};
constexpr auto find_by_domain_sql = sql(page_name_columns,
                                        ", false FROM status_pages p JOIN projects j ON j.id = p.project_id"
                                        " WHERE p.custom_domain = $1 AND p.domain_verified_at IS NOT NULL AND",
                                        visible_page);
constexpr postgres::statement find_by_domain{"snapshot_find_domain", find_by_domain_sql};

constexpr auto read_page_version_sql = sql(
    "SELECT (SELECT p.shown_version FROM status_pages p JOIN projects j ON j.id = p.project_id WHERE p.id = $1 AND",
    visible_page, "), clock_timestamp()");
constexpr postgres::statement read_page_version{"snapshot_version", read_page_version_sql};

constexpr auto list_published_sql =
    sql("SELECT p.id FROM status_pages p JOIN projects j ON j.id = p.project_id WHERE p.id > $1 AND", visible_page,
        "ORDER BY p.id LIMIT $2");
constexpr postgres::statement list_published{"snapshot_published", list_published_sql};

constexpr auto read_page_logo_sql =
    sql("SELECT l.content_type, l.content, l.changed_at FROM page_logos l JOIN status_pages p ON p.id = l.page_id"
        " JOIN projects j ON j.id = p.project_id WHERE l.page_id = $1 AND",
        visible_page);
constexpr postgres::statement read_page_logo{"snapshot_logo", read_page_logo_sql};

task<std::optional<page_name>> find_name(postgres::pool& db, postgres::query ask, deadline until) {
  auto const found = settled(co_await db.run(std::move(ask), until));
  if (found.empty()) co_return std::nullopt;
  auto const r = found.front();
  co_return page_name{.id = r.id(0), .slug = r.maybe_text(1).value_or(""), .former = r.boolean(2)};
}

std::vector<uuid> monitors_of_components(std::map<uuid, component_monitors> const& components) {
  std::set<uuid> all;
  for (auto const& [id, component] : components) all.insert(component.monitors.begin(), component.monitors.end());
  return {all.begin(), all.end()};
}

}  // namespace

task<std::optional<page_name>> snapshot_source::find_slug(std::string slug, deadline until) {
  return find_name(db_, {find_by_slug, postgres::parameters(slug)}, until);
}

task<std::optional<page_name>> snapshot_source::find(uuid id, deadline until) {
  return find_name(db_, {find_by_id, postgres::parameters(id)}, until);
}

task<std::optional<page_name>> snapshot_source::find_domain(std::string domain, deadline until) {
  return find_name(db_, {find_by_domain, postgres::parameters(domain)}, until);
}

task<page_version> snapshot_source::version(uuid id, deadline until) {
  postgres::query ask{read_page_version, postgres::parameters(id)};
  auto const found = settled(co_await db_.read(std::move(ask), until));
  co_return page_version{.version = found.front().maybe_integer(0), .now = found.front().time(1)};
}

task<std::optional<served_page>> snapshot_source::read(uuid id, deadline until) {
  std::vector<postgres::query> ask;
  ask_snapshot(id, ask);
  auto const rows = take_snapshot_rows(settled(co_await db_.run(std::move(ask), until)));
  if (rows.page.empty()) co_return std::nullopt;
  auto out = read_served_page(rows);
  auto const live = unstored_days(out, rows);
  std::vector<postgres::query> ask_live;
  ask_monitor_days(monitors_of_components(read_component_monitors(rows.evidence)), live, out.snapshot.as_of,
                   ask_live);
  auto const found = settled(co_await db_.run(std::move(ask_live), until));
  set_component_days(out, rows, live, read_monitor_days(found, live));
  pages::bound_snapshot(out.snapshot);
  co_return out;
}

task<std::vector<uuid>> snapshot_source::published(uuid after, std::int64_t most, deadline until) {
  postgres::query ask{list_published, postgres::parameters(after, most)};
  co_return read_ids(settled(co_await db_.run(std::move(ask), until)));
}

task<std::optional<pages::logo>> snapshot_source::logo(uuid id, deadline until) {
  postgres::query ask{read_page_logo, postgres::parameters(id)};
  auto const found = settled(co_await db_.run(std::move(ask), until));
  if (found.empty()) co_return std::nullopt;
  auto const r = found.front();
  co_return pages::logo{
      .content_type = std::string(r.text(0)), .bytes = std::string(as_text(r.bytes(1))), .changed_at = r.time(2)};
}

}  // namespace svc::store
