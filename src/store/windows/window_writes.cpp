#include "store/windows/window_writes.hpp"

#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"

#include <boost/json.hpp>

#include <string>
#include <utility>

namespace svc::store {
namespace {

using namespace windows;

constexpr auto unusable_start = "The window's start cannot be used.";
constexpr auto unknown_publication = "The window's status pages or components cannot be used.";
constexpr auto unknown_targets = "The window's monitors or tags cannot be used.";

// The locks keep a purge of a deleted monitor from a deadlock with the new targets, whose keys wait for it.
constexpr postgres::statement find_window_monitors{"window_find_monitors", R"(
SELECT m.id FROM monitors m
 WHERE m.project_id = $1 AND m.id = ANY ($3)
   AND (m.deleted_at IS NULL
        OR EXISTS (SELECT FROM maintenance_targets t WHERE t.window_id = $2 AND t.monitor_id = m.id))
 ORDER BY m.id FOR KEY SHARE OF m)"};

constexpr postgres::statement find_window_tags{"window_find_tags",
                                               "SELECT id FROM tags WHERE project_id = $1 AND id = ANY ($2)"};

constexpr postgres::statement insert_window{"window_insert", R"(
INSERT INTO maintenance_windows (id, project_id, created_by, slot, name, description, all_monitors, starts_at, ends_at,
                                 cron, time_zone, duration_minutes, first_at, until_at, exclude_from_uptime,
                                 announcement_title, announcement_body, announce_hours, notify, planned_until,
                                 extend_at, over_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22))"};

constexpr postgres::statement update_window{"window_update", R"(
UPDATE maintenance_windows
   SET name = $3, description = $4, all_monitors = $5, starts_at = $6, ends_at = $7, cron = $8, time_zone = $9,
       duration_minutes = $10, first_at = $11, until_at = $12, exclude_from_uptime = $13,
       announcement_title = $14, announcement_body = $15, announce_hours = $16, notify = $17, planned_until = $18,
       extend_at = $19, over_at = $20, version = version + 1, updated_at = clock_timestamp()
 WHERE project_id = $1 AND id = $2)"};

constexpr postgres::statement insert_target_monitors{"window_insert_monitors", R"(
INSERT INTO maintenance_targets (project_id, window_id, slot, monitor_id)
SELECT $1, $2, t.slot, t.id FROM unnest($3::uuid[]) WITH ORDINALITY t (id, slot))"};

constexpr postgres::statement insert_target_tags{"window_insert_tags", R"(
INSERT INTO maintenance_targets (project_id, window_id, slot, tag_id)
SELECT $1, $2, t.slot, t.id FROM unnest($3::uuid[]) WITH ORDINALITY t (id, slot))"};

constexpr postgres::statement delete_targets{"window_delete_targets",
                                             "DELETE FROM maintenance_targets WHERE window_id = $1"};

constexpr postgres::statement find_window_pages{"window_find_pages", R"(
SELECT id FROM status_pages WHERE project_id = $1 AND id = ANY ($2) AND deleted_at IS NULL)"};

constexpr postgres::statement find_window_components{"window_find_components", R"(
SELECT id FROM page_components WHERE project_id = $1 AND page_id = ANY ($2) AND id = ANY ($3))"};

constexpr postgres::statement delete_window_pages{"window_delete_pages",
                                                  "DELETE FROM maintenance_window_pages WHERE window_id = $1"};
constexpr postgres::statement insert_window_pages{"window_insert_pages", R"(
INSERT INTO maintenance_window_pages (project_id, window_id, slot, page_id)
SELECT $1, $2, t.slot, t.id FROM unnest($3::uuid[]) WITH ORDINALITY t (id, slot))"};
constexpr postgres::statement delete_window_components{
    "window_delete_components", "DELETE FROM maintenance_window_components WHERE window_id = $1"};
constexpr postgres::statement insert_window_components{"window_insert_components", R"(
INSERT INTO maintenance_window_components (project_id, window_id, slot, component_id)
SELECT $1, $2, t.slot, t.id FROM unnest($3::uuid[]) WITH ORDINALITY t (id, slot))"};

constexpr postgres::statement publish_these_windows{"window_publish", "SELECT publish_windows($1)"};

/// Adds the columns from `name` to `over_at`, in the order of both statements above.
void add_settings(postgres::parameters& values, window_settings const& set, window_plan const& plan) {
  values.add(set.name);
  values.add(set.description);
  values.add(set.targets.all);
  values.add(set.once ? std::optional(set.once->starts_at) : std::nullopt);
  values.add(set.once ? std::optional(set.once->ends_at) : std::nullopt);
  auto const& rule = set.recurring;
  values.add(rule ? std::optional(rule->cron) : std::nullopt);
  values.add(rule ? std::optional(rule->time_zone) : std::nullopt);
  values.add(rule ? std::optional<std::int64_t>(rule->duration.count()) : std::nullopt);
  values.add(rule ? rule->first_at : std::nullopt);
  values.add(rule ? rule->until : std::nullopt);
  values.add(set.exclude_from_uptime);
  auto const& announcement = set.shown.announcement;
  values.add(announcement ? std::optional(announcement->title) : std::nullopt);
  values.add(announcement ? std::optional(announcement->body) : std::nullopt);
  values.add(static_cast<std::int64_t>(set.shown.announced_before.count()));
  values.add(set.shown.notify);
  values.add(plan.planned_until);
  values.add(plan.extend_at);
  values.add(plan.over_at);
}

}  // namespace

void look_for_targets(uuid project, uuid window, window_targets const& targets,
                      std::vector<postgres::query>& queries) {
  queries.push_back({find_window_monitors, postgres::parameters(project, window, targets.monitors)});
  queries.push_back({find_window_tags, postgres::parameters(project, targets.tags)});
}

result<> check_targets_known(window_targets const& wanted, postgres::rows const& monitors,
                             postgres::rows const& tags) {
  auto wrong = check_known(wanted.monitors, monitors, "/monitorIds/", "", "is not a monitor of this project");
  auto const unknown_tags = check_known(wanted.tags, tags, "/tagIds/", "", "is not a tag of this project");
  wrong.insert(wrong.end(), unknown_tags.begin(), unknown_tags.end());
  if (wrong.empty()) return {};
  return error(errc::validation_failed, unknown_targets, std::move(wrong));
}

postgres::query insert_window_query(new_window const& window) {
  postgres::parameters values(window.id, window.project, window.owner, window.slot);
  add_settings(values, window.set, window.plan);
  return {insert_window, std::move(values)};
}

postgres::query update_window_query(uuid project, uuid id, window_settings const& set, window_plan const& plan) {
  postgres::parameters values(project, id);
  add_settings(values, set, plan);
  return {update_window, std::move(values)};
}

void insert_targets(uuid project, uuid window, window_targets const& targets, std::vector<postgres::query>& queries) {
  if (!targets.monitors.empty()) {
    queries.push_back({insert_target_monitors, postgres::parameters(project, window, targets.monitors)});
  }
  if (!targets.tags.empty()) {
    queries.push_back({insert_target_tags, postgres::parameters(project, window, targets.tags)});
  }
}

void replace_targets(uuid project, uuid window, window_targets const& targets,
                     std::vector<postgres::query>& queries) {
  queries.push_back({delete_targets, postgres::parameters(window)});
  insert_targets(project, window, targets, queries);
}

void look_for_publication(uuid project, window_publication const& shown, std::vector<postgres::query>& queries) {
  queries.push_back({find_window_pages, postgres::parameters(project, shown.status_pages)});
  queries.push_back({find_window_components, postgres::parameters(project, shown.status_pages, shown.components)});
}

result<> check_publication_known(window_publication const& wanted, postgres::rows const& pages,
                                 postgres::rows const& components) {
  auto wrong = check_known(wanted.status_pages, pages, "/statusPageIds/", "", "is not a status page of this project");
  auto const unknown =
      check_known(wanted.components, components, "/componentIds/", "", "is not a component of these status pages");
  wrong.insert(wrong.end(), unknown.begin(), unknown.end());
  if (wrong.empty()) return {};
  return error(errc::validation_failed, unknown_publication, std::move(wrong));
}

void replace_publication(uuid project, uuid window, window_publication const& shown,
                         std::vector<postgres::query>& queries) {
  queries.push_back({delete_window_pages, postgres::parameters(window)});
  queries.push_back({insert_window_pages, postgres::parameters(project, window, shown.status_pages)});
  queries.push_back({delete_window_components, postgres::parameters(window)});
  queries.push_back({insert_window_components, postgres::parameters(project, window, shown.components)});
}

postgres::query publish_windows_query(std::vector<uuid> const& windows) {
  return {publish_these_windows, postgres::parameters(windows)};
}

postgres::query audited_window(editor const& editor, std::string_view verb, uuid id, window_settings const& set) {
  if (editor.actor.audited) editor.actor.audited->push_back({editor.project, "monitor", std::nullopt});
  return audit_query(editor.entry("maintenance_window." + std::string(verb), "maintenance_window", id,
                                  boost::json::serialize(boost::json::object{{"name", set.name}})));
}

error refusal_of_window(postgres::server_error const& failure) {
  if (failure.constraint == "maintenance_windows_slot_unique") return {errc::window_limit_reached};
  if (failure.constraint == "maintenance_targets_monitor_exists" ||
      failure.constraint == "maintenance_targets_tag_exists") {
    return {errc::validation_failed, unknown_targets};
  }
  if (failure.constraint == "maintenance_window_pages_page_exists" ||
      failure.constraint == "maintenance_window_components_component_exists") {
    return {errc::validation_failed, unknown_publication};
  }
  // A window that recurred until now has an earlier occurrence with the new start.
  if (failure.constraint == "maintenance_occurrences_start_once") {
    return {errc::validation_failed, unusable_start, {{"/startsAt", "is the start of an earlier occurrence"}}};
  }
  reject(failure);
}

}  // namespace svc::store
