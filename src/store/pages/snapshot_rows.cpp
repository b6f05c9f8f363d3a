#include "store/pages/snapshot_rows.hpp"

#include "store/pages/day_rows.hpp"
#include "store/pages/incident_sql.hpp"
#include "store/pages/post_sql.hpp"
#include "store/pages/status_rows.hpp"
#include "store/sql/sql_text.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace svc::store {
namespace {

/// Posts of incidents, and of occurrences, that a snapshot reads; the newest of the page.
constexpr int most_read_posts = 3000;

constexpr postgres::statement read_shown_page{"snapshot_page", R"(
SELECT p.shown_version, p.id, p.project_id, (SELECT g.slug FROM page_slugs g WHERE g.page_id = p.id AND g.slot = 0),
       p.name, p.headline, p.description, p.visibility, p.language, p.time_zone, p.accent_color, p.support_url,
       (SELECT l.content_type FROM page_logos l WHERE l.page_id = p.id), p.allow_feeds, p.allow_subscribers,
       CASE WHEN p.domain_verified_at IS NOT NULL THEN p.custom_domain END, p.allowed_cidrs
  FROM status_pages p JOIN projects j ON j.id = p.project_id
 WHERE p.id = $1 AND p.status = 'published' AND p.deleted_at IS NULL AND j.archived_at IS NULL)"};

constexpr postgres::statement read_shown_days{"snapshot_days", R"(
SELECT d.component_id, (d.day - date '1970-01-01')::bigint, d.worst, d.up_seconds, d.down_seconds
  FROM page_components c JOIN page_component_days d ON d.component_id = c.id
 WHERE c.page_id = $1 AND d.day > (statement_timestamp() AT TIME ZONE 'UTC')::date - 93)"};

constexpr auto read_shown_incidents_sql =
    sql("SELECT", incident_columns,
        "FROM incidents i WHERE i.page_id = $1 ORDER BY i.started_at DESC, i.id DESC LIMIT 1050");
constexpr postgres::statement read_shown_incidents{"snapshot_incidents", read_shown_incidents_sql};

// Bodies beyond the bytes of a snapshot are not read, because older ones are left out anyway.
constexpr auto read_shown_posts_sql =
    sql("SELECT o.parent_id, o.id, o.status, CASE WHEN o.bytes <= 262144 THEN o.body ELSE '' END, o.display_at,"
        " o.edited_at, o.automatic, o.bytes > 262144 FROM (SELECT n.*, sum(octet_length(n.body)) OVER (ORDER BY"
        " n.display_at DESC, n.id DESC) AS bytes FROM (SELECT * FROM page_posts q WHERE q.page_id = $1"
        " ORDER BY q.display_at DESC, q.id DESC LIMIT 3000) n) o ORDER BY o.display_at DESC, o.id DESC");
constexpr postgres::statement read_shown_posts{"snapshot_posts", read_shown_posts_sql};

// Cancelled occurrences are shown for 30 days.
constexpr postgres::statement read_shown_occurrences{"snapshot_occurrences", R"(
SELECT p.occurrence_id, p.name, p.body, p.components, p.starts_at, p.ends_at, p.announced_at, p.edited_at, p.changed_at,
       p.cancelled_at IS NOT NULL, p.sequence
  FROM page_occurrences p
 WHERE p.page_id = $1 AND (p.cancelled_at IS NULL OR p.cancelled_at > statement_timestamp() - interval '30 days')
 ORDER BY p.ends_at DESC, p.occurrence_id DESC LIMIT 400)"};

constexpr auto read_shown_occurrence_posts_sql = sql(
    "SELECT o.parent_id, o.id, o.status, CASE WHEN o.bytes <= 262144 THEN o.body ELSE '' END, o.display_at,"
    " o.edited_at, o.automatic, o.bytes > 262144 FROM (SELECT n.*, sum(octet_length(n.body)) OVER (ORDER BY"
    " n.display_at DESC, n.id DESC) AS bytes FROM (SELECT q.* FROM page_occurrences p JOIN page_posts q"
    " ON q.parent_id = p.occurrence_id WHERE p.page_id = $1 ORDER BY q.display_at DESC, q.id DESC LIMIT 3000) n) o"
    " ORDER BY o.display_at DESC, o.id DESC");
constexpr postgres::statement read_shown_occurrence_posts{"snapshot_occurrence_posts",
                                                          read_shown_occurrence_posts_sql};

constexpr postgres::statement read_snapshot_time{"snapshot_time", "SELECT clock_timestamp()"};

template <class Value>
Value snapshot_word(std::optional<Value> const& parsed) {
  if (!parsed) throw std::logic_error("unknown word in a row of a page's snapshot");
  return *parsed;
}

pages::page_facts read_page_facts(postgres::row r) {
  return {.id = r.id(1),
          .slug = r.maybe_text(3).value_or(""),
          .name = std::string(r.text(4)),
          .headline = r.maybe_text(5).value_or(""),
          .description = r.maybe_text(6).value_or(""),
          .visible = snapshot_word(pages::visibility_of(r.text(7))),
          .language = snapshot_word(pages::page_language_of(r.text(8))),
          .time_zone = std::string(r.text(9)),
          .accent_color = r.maybe_text(10).value_or(""),
          .support_url = r.maybe_text(11).value_or(""),
          .logo_type = r.maybe_text(12).value_or(""),
          .feeds = r.boolean(13),
          .subscribers = r.boolean(14)};
}

/// Reads posts by their parents, the newest first. An automatic post has its text in the language of the page.
struct shown_posts {
  std::map<uuid, std::vector<pages::post>> by_parent{};
  std::map<uuid, bool> shortened{};
  std::optional<timestamp> oldest{};  ///< set if older posts were not read
};

shown_posts read_shown_posts_of(postgres::rows const& found, pages::page_language language) {
  shown_posts out;
  for (int i = 0; i < found.size(); ++i) {
    auto const r = found[i];
    pages::post post{.id = r.id(1),
                     .status = snapshot_word(pages::post_status_of(r.text(2))),
                     .body = std::string(r.text(3)),
                     .published_at = r.time(4),
                     .edited_at = r.maybe_time(5)};
    if (post.body.empty() && r.boolean(6)) post.body = pages::automatic_text(language, post.status);
    if (r.boolean(7) && !r.boolean(6)) out.shortened[r.id(0)] = true;
    out.by_parent[r.id(0)].push_back(std::move(post));
  }
  if (found.size() >= most_read_posts) out.oldest = found[found.size() - 1].time(4);
  return out;
}

std::vector<pages::page_incident> read_page_incidents(postgres::rows const& found, shown_posts& posts) {
  std::vector<pages::page_incident> out;
  for (int i = 0; i < found.size(); ++i) {
    auto row = read_incident_row(found[i]);
    pages::page_incident incident{.id = row.id,
                                  .name = std::move(row.set.name),
                                  .effect = row.set.effect,
                                  .status = row.status,
                                  .started_at = row.set.started_at,
                                  .resolved_at = row.resolved_at,
                                  .components = std::move(row.set.components),
                                  .posts = std::move(posts.by_parent[row.id])};
    incident.shortened = posts.shortened.contains(row.id) || (posts.oldest && incident.started_at <= *posts.oldest);
    out.push_back(std::move(incident));
  }
  return out;
}

pages::page_maintenance read_page_occurrence(postgres::row r, shown_posts& posts) {
  pages::page_maintenance out{.id = r.id(0),
                              .name = std::string(r.text(1)),
                              .starts_at = r.time(4),
                              .ends_at = r.time(5),
                              .changed_at = r.time(8),
                              .sequence = static_cast<std::int32_t>(r.integer(10)),
                              .cancelled = r.boolean(9),
                              .components = r.ids(3),
                              .posts = std::move(posts.by_parent[r.id(0)])};
  out.posts.push_back({.id = out.id,
                       .status = pages::post_status::scheduled,
                       .body = std::string(r.text(2)),
                       .published_at = r.time(6),
                       .edited_at = r.maybe_time(7)});
  out.shortened = posts.shortened.contains(out.id);
  return out;
}

std::vector<pages::page_maintenance> read_page_occurrences(postgres::rows const& found, shown_posts& posts) {
  std::vector<pages::page_maintenance> out;
  for (int i = 0; i < found.size(); ++i) out.push_back(read_page_occurrence(found[i], posts));
  std::ranges::sort(out, [](auto const& a, auto const& b) {
    return a.starts_at != b.starts_at ? a.starts_at < b.starts_at : a.id < b.id;
  });
  return out;
}

/// The stored days of components, by their numbers.
using stored_days = std::map<uuid, std::map<std::int64_t, pages::day_bar>>;

stored_days read_stored_days(postgres::rows const& found) {
  stored_days out;
  for (int i = 0; i < found.size(); ++i) {
    auto const r = found[i];
    out[r.id(0)][r.integer(1)] = {.worst = snapshot_word(pages::component_status_of(r.text(2))),
                                  .up_seconds = static_cast<std::int32_t>(r.integer(3)),
                                  .down_seconds = static_cast<std::int32_t>(r.integer(4))};
  }
  return out;
}

/// Returns the periods of a component that reach into the day. Others are skipped before their components are read,
/// because a page may have a thousand incidents with a hundred components each.
std::vector<pages::status_period> periods_of(pages::page_snapshot const& snapshot, uuid component,
                                             pages::local_day const& day) {
  std::vector<pages::status_period> out;
  for (auto const& incident : snapshot.incidents) {
    if (incident.resolved_at && *incident.resolved_at <= day.starts_at) continue;
    for (auto const& affected : incident.components)
      if (affected.id == component)
        out.push_back({incident.started_at, incident.resolved_at.value_or(snapshot.as_of), affected.status});
  }
  for (auto const& each : snapshot.maintenance) {
    if (each.cancelled || each.ends_at <= day.starts_at || each.starts_at >= day.ends_at) continue;
    if (std::ranges::find(each.components, component) != each.components.end())
      out.push_back({each.starts_at, each.ends_at, pages::component_status::under_maintenance});
  }
  return out;
}

}  // namespace

void ask_snapshot(uuid page, std::vector<postgres::query>& queries) {
  postgres::parameters const id(page);
  queries.push_back({read_shown_page, id});
  queries.push_back(evidence_query({page}));
  queries.push_back({read_shown_days, id});
  queries.push_back({read_shown_incidents, id});
  queries.push_back({read_shown_posts, id});
  queries.push_back({read_shown_occurrences, id});
  queries.push_back({read_shown_occurrence_posts, id});
  queries.push_back({read_snapshot_time, {}});
}

snapshot_rows take_snapshot_rows(std::vector<postgres::rows> found) {
  return {.page = std::move(found.at(0)),
          .evidence = std::move(found.at(1)),
          .days = std::move(found.at(2)),
          .incidents = std::move(found.at(3)),
          .posts = std::move(found.at(4)),
          .occurrences = std::move(found.at(5)),
          .occurrence_posts = std::move(found.at(6)),
          .time = std::move(found.at(7))};
}

served_page read_served_page(snapshot_rows const& rows) {
  auto const r = rows.page.front();
  served_page out{.id = r.id(1),
                  .project = r.id(2),
                  .slug = r.maybe_text(3).value_or(""),
                  .domain = r.maybe_text(15),
                  .allowed_cidrs = r.texts(16),
                  .version = r.integer(0)};
  auto& snapshot = out.snapshot;
  snapshot.page = read_page_facts(r);
  snapshot.as_of = rows.time.front().time(0);
  snapshot.components = read_components(rows.evidence, snapshot.as_of);
  auto posts = read_shown_posts_of(rows.posts, snapshot.page.language);
  snapshot.incidents = read_page_incidents(rows.incidents, posts);
  auto occurrence_posts = read_shown_posts_of(rows.occurrence_posts, snapshot.page.language);
  snapshot.maintenance = read_page_occurrences(rows.occurrences, occurrence_posts);
  pages::set_evidence_time(snapshot);
  return out;
}

void set_component_days(served_page& served, snapshot_rows const& rows, pages::local_day const& today,
                        std::map<uuid, std::vector<pages::monitor_day>> const& monitors) {
  auto stored = read_stored_days(rows.days);
  auto const known = read_component_monitors(rows.evidence);
  auto& snapshot = served.snapshot;
  for (auto& component : snapshot.components) {
    auto& days = stored[component.id];
    for (auto day = today.day - static_cast<std::int64_t>(pages::most_days) + 1; day < today.day; ++day)
      component.days.push_back(days[day]);
    auto const& [rule, ids] = known.at(component.id);
    component.days.push_back(pages::bar_of_day(days_of_monitors(monitors, ids, 0), rule,
                                               periods_of(snapshot, component.id, today), today, snapshot.as_of));
  }
}

}  // namespace svc::store
