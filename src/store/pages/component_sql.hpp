#pragma once

#include "store/sql/sql_text.hpp"
#include "svc/core/result.hpp"
#include "svc/domain/pages/settings.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"

#include <vector>

// Shared parts of the statements that read and change components of status pages.

namespace svc::store {

/// The columns that `read_component_row` reads, in its order, of component `c`.
inline constexpr auto component_columns =
    sql(" c.id, c.page_id, c.name, c.description, c.group_name, c.position,"
        " ARRAY(SELECT t.monitor_id FROM page_component_monitors t WHERE t.component_id = c.id ORDER BY t.slot),"
        " c.aggregation, c.show_uptime, c.status_override, c.override_until,"
        " (SELECT count(*) FROM page_component_monitors t LEFT JOIN monitors m ON m.id = t.monitor_id"
        " WHERE t.component_id = c.id AND (m.id IS NULL OR m.deleted_at IS NOT NULL)),"
        " c.version, c.created_at, c.updated_at ");
inline constexpr auto get_component_sql =
    sql("SELECT", component_columns,
        "FROM page_components c JOIN status_pages p ON p.id = c.page_id"
        " WHERE p.project_id = $1 AND p.id = $2 AND p.deleted_at IS NULL AND c.id = $3");
inline constexpr postgres::statement get_component{"component_get", get_component_sql};

/// Reads the columns above, starting at column `first`; `status` is not among them.
pages::component read_component_row(postgres::row r, int first = 0);

/// The new component's slot, or NULL.
postgres::query free_component_slot_query(uuid page);
/// Inserts a component without its monitors.
postgres::query insert_component_query(uuid project, uuid page, uuid id, std::int64_t slot,
                                       pages::component_settings const& set);
postgres::query update_component_query(uuid page, uuid id, pages::component_settings const& set);
postgres::query delete_component_query(uuid page, uuid id);

/// The monitors among these that the component may have: those of the project, and those that it has already even if
/// they were deleted. Column 0: their ids.
postgres::query find_component_monitors_query(uuid project, uuid id, std::vector<uuid> const& monitors);
/// Errors: validation_failed.
result<> check_component_monitors(std::vector<uuid> const& wanted, postgres::rows const& known);
/// Replaces the monitors of a component. The second statement inserts fewer rows than `monitors` has if the page has
/// no room for them. Both need the lock of the page.
void replace_component_monitors(uuid page, uuid id, std::vector<uuid> const& monitors,
                                std::vector<postgres::query>& queries);

}  // namespace svc::store
