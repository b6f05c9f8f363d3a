#pragma once

#include "store/sql/sql_text.hpp"
#include "svc/core/result.hpp"
#include "svc/domain/pages/settings.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"
#include "svc/store/change.hpp"

#include <optional>
#include <vector>

// Shared parts of the statements that read and change incidents.

namespace svc::store {

inline constexpr auto incident_own_columns =
    sql(" i.id, i.page_id, i.name, i.impact, i.started_at, i.status, i.resolved_at, i.automatic, i.outage_id,"
        " i.created_by, i.version, i.created_at, i.updated_at, ");
inline constexpr auto affected_ids =
    sql("ARRAY(SELECT k.component_id FROM incident_components k WHERE k.incident_id = i.id ORDER BY k.slot)");
inline constexpr auto affected_statuses =
    sql("ARRAY(SELECT k.status FROM incident_components k WHERE k.incident_id = i.id ORDER BY k.slot)");
/// The columns that `read_incident_row` reads, in its order, of incident `i`.
inline constexpr auto incident_columns = sql(incident_own_columns, affected_ids, ", ", affected_statuses, " ");
inline constexpr auto get_incident_sql =
    sql("SELECT", incident_columns,
        "FROM incidents i JOIN status_pages p ON p.id = i.page_id"
        " WHERE p.project_id = $1 AND p.id = $2 AND p.deleted_at IS NULL AND i.id = $3");
inline constexpr postgres::statement get_incident{"incident_get", get_incident_sql};

/// Reads the columns above, starting at column `first`; posts are not among them.
pages::incident read_incident_row(postgres::row r, int first = 0);

/// Reads all posts of these incidents: column 0 is the incident, the columns of a post follow; the newest first.
postgres::query incident_posts_query(std::vector<uuid> const& incidents);
/// Reads the newest post of each, in the same columns.
postgres::query newest_posts_query(std::vector<uuid> const& incidents);
void add_incident_posts(postgres::rows const& found, std::vector<pages::incident>& into);

/// The slot of another open incident, or NULL.
postgres::query free_incident_slot_query(uuid page);
/// The incident's own slot while it is open, otherwise that of another open incident, or NULL.
postgres::query open_slot_query(uuid page, uuid id);
/// Column 0: those of the components that belong to the page.
postgres::query find_affected_query(uuid page, std::vector<pages::affected_component> const& components);
/// Errors: validation_failed (unknown or repeated components, a start that is in the future or too long ago).
result<> check_incident(pages::incident_settings const& wanted, postgres::rows const& known, timestamp now);

/// The state of an incident that follows from its newest post.
struct incident_state {
  pages::post_status status = pages::post_status::investigating;
  std::optional<timestamp> resolved_at{};
  std::optional<std::int64_t> slot{};  ///< while it is open
};

postgres::query insert_incident_query(uuid project, uuid page, uuid id, uuid owner,
                                      pages::incident_settings const& set, incident_state const& state);
postgres::query update_incident_query(uuid id, pages::incident_settings const& set);
/// Sets the state by a person's post, and raises the version.
postgres::query set_incident_state_query(uuid id, incident_state const& state);
/// Replaces the affected components.
void replace_affected(uuid page, uuid id, std::vector<pages::affected_component> const& components,
                      std::vector<postgres::query>& queries);
postgres::query delete_incident_query(uuid id);
/// Deletes the page's oldest resolved incidents beyond its limit.
postgres::query trim_incidents_query(uuid page);

postgres::query audited_incident(editor const& editor, std::string_view verb, uuid page, uuid id,
                                 std::string_view name);

}  // namespace svc::store
