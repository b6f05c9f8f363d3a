#include "store/pages/mailed_page.hpp"

#include "svc/domain/pages/settings.hpp"

#include <utility>

namespace svc::store {
namespace {

constexpr auto find_mailed_page_sql =
    sql("SELECT", mailed_page_columns,
        ", p.status = 'published' AND p.allow_subscribers AND p.deleted_at IS NULL"
        " AND j.archived_at IS NULL FROM status_pages p JOIN projects j ON j.id = p.project_id",
        mailed_page_joins, "WHERE p.id = $1");
constexpr postgres::statement find_mailed_page{"page_mail_page", find_mailed_page_sql};

// $2: a post, or an occurrence for its announcement.
constexpr postgres::statement find_mailed_post{"page_mail_post", R"(
SELECT t.status, t.body, t.display_at, i.id, i.name, i.impact, i.status, i.started_at, i.resolved_at,
       o.occurrence_id, o.name, o.body, o.starts_at, o.ends_at, o.announced_at, o.cancelled_at IS NOT NULL
  FROM (SELECT $2::uuid AS id) w
  LEFT JOIN page_posts t ON t.id = w.id
  LEFT JOIN incidents i ON i.page_id = $1 AND i.id = t.parent_id
  LEFT JOIN page_occurrences o ON o.page_id = $1 AND o.occurrence_id = coalesce(t.parent_id, w.id)
 WHERE i.id IS NOT NULL OR o.occurrence_id IS NOT NULL)"};

constexpr postgres::statement find_mailed_components{"page_mail_components", R"(
WITH parent AS (SELECT coalesce((SELECT t.parent_id FROM page_posts t WHERE t.id = $2), $2) AS id), named AS (
  SELECT c.component_id AS id FROM parent w JOIN incident_components c ON c.page_id = $1 AND c.incident_id = w.id
  UNION
  SELECT unnest(o.components) FROM parent w JOIN page_occurrences o ON o.page_id = $1 AND o.occurrence_id = w.id
)
SELECT c.id, c.name FROM page_components c JOIN named n ON n.id = c.id WHERE c.page_id = $1
 ORDER BY c.position, c.slot)"};

/// An automatic post has its text in the language of the page.
pages::post read_mailed_text(postgres::row r, uuid const& id, pages::page_language language) {
  if (r.is_null(0))
    return {.id = id,
            .status = pages::post_status::scheduled,
            .body = std::string(r.text(11)),
            .published_at = r.time(14)};
  pages::post out{.id = id,
                  .status = pages::post_status_of(r.text(0)).value_or(pages::post_status::note),
                  .body = std::string(r.text(1)),
                  .published_at = r.time(2)};
  if (out.body.empty()) out.body = pages::automatic_text(language, out.status);
  return out;
}

pages::page_incident read_mailed_incident(postgres::row r, pages::post post, std::vector<uuid> const& components) {
  pages::page_incident out{.id = r.id(3),
                           .name = std::string(r.text(4)),
                           .effect = pages::impact_of(r.text(5)).value_or(pages::impact::none),
                           .status = pages::post_status_of(r.text(6)).value_or(pages::post_status::investigating),
                           .started_at = r.time(7),
                           .resolved_at = r.maybe_time(8)};
  for (auto const& id : components) out.components.push_back({.id = id});
  out.posts.push_back(std::move(post));
  return out;
}

pages::page_maintenance read_mailed_maintenance(postgres::row r, pages::post post, std::vector<uuid> components) {
  pages::page_maintenance out{.id = r.id(9),
                              .name = std::string(r.text(10)),
                              .starts_at = r.time(12),
                              .ends_at = r.time(13),
                              .cancelled = r.boolean(15),
                              .components = std::move(components)};
  out.posts.push_back(std::move(post));
  return out;
}

}  // namespace

mailed_page read_mailed_page(postgres::row r, int first) {
  mailed_page out{.project = r.id(first), .domain = std::string(r.text(first + 6))};
  auto& page = out.snapshot.page;
  page.id = r.id(first + 1);
  page.name = r.text(first + 2);
  page.language = pages::page_language_of(r.text(first + 3)).value_or(pages::page_language::en);
  page.time_zone = r.text(first + 4);
  page.slug = r.text(first + 5);
  return out;
}

std::vector<postgres::query> mailed_post_queries(uuid const& page, uuid const& post) {
  auto const both = postgres::parameters(page, post);
  return {{find_mailed_page, postgres::parameters(page)}, {find_mailed_post, both}, {find_mailed_components, both}};
}

mailed_post read_mailed_post(postgres::rows const* found, uuid const& post) {
  mailed_post out;
  if (found[0].empty()) return out;
  out.page = read_mailed_page(found[0].front(), 0);
  if (found[1].empty()) return out;
  out.wanted = found[0].front().boolean(mailed_page_column_count);
  auto& snapshot = out.page.snapshot;
  for (int i = 0; i < found[2].size(); ++i) {
    out.components.push_back(found[2][i].id(0));
    auto& component = snapshot.components.emplace_back();
    component.id = found[2][i].id(0);
    component.name = found[2][i].text(1);
  }
  auto const r = found[1].front();
  auto text = read_mailed_text(r, post, snapshot.page.language);
  if (r.is_null(3))
    snapshot.maintenance.push_back(read_mailed_maintenance(r, std::move(text), out.components));
  else
    snapshot.incidents.push_back(read_mailed_incident(r, std::move(text), out.components));
  return out;
}

}  // namespace svc::store
