#pragma once

#include "store/sql/sql_text.hpp"
#include "svc/domain/pages/settings.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"
#include "svc/store/change.hpp"

#include <string_view>
#include <vector>

// Shared parts of the statements that read and change status pages.

namespace svc::store {

/// The columns that `read_status_page` reads, in its order, of page `p`.
inline constexpr auto status_page_columns =
    sql(" p.id, p.name, (SELECT g.slug FROM page_slugs g WHERE g.page_id = p.id AND g.slot = 0), p.headline,"
        " p.description, p.status, p.visibility, p.allowed_cidrs, p.language, p.time_zone, p.accent_color,"
        " p.support_url, p.allow_feeds, p.allow_subscribers, p.auto_incidents, p.auto_incident_minutes,"
        " ARRAY(SELECT r.provider_id FROM page_providers r WHERE r.page_id = p.id ORDER BY r.slot), p.custom_domain,"
        " p.domain_token, p.domain_verified_at, (SELECT l.content_type FROM page_logos l WHERE l.page_id = p.id),"
        " (SELECT count(*) FROM page_components c WHERE c.page_id = p.id), p.created_by, p.version, p.created_at,"
        " p.updated_at ");
inline constexpr auto get_status_page_sql =
    sql("SELECT", status_page_columns,
        "FROM status_pages p WHERE p.project_id = $1 AND p.id = $2 AND p.deleted_at IS NULL");
inline constexpr postgres::statement get_status_page{"page_get", get_status_page_sql};

/// Reads the columns above, starting at column `first`; `status` and `evidence_at` are not among them.
pages::status_page read_status_page(postgres::row r, int first = 0);

/// Locks a page for a change of it or of its parts. All writers of windows lock the project first, and so must all
/// that lock both. No row: there is no such page. Column 0: the database's time after the wait; column 1: the
/// version.
postgres::query lock_page_query(uuid project, uuid page);
/// Makes all copies of the page old.
postgres::query raise_shown_query(uuid page);

/// Appends a page and its slug, or its changed settings. Frees a new page's slug first if the project may take it.
void insert_page(uuid project, uuid page, uuid owner, pages::page_settings const& set,
                 std::string const& domain_token, std::vector<postgres::query>& queries);
void update_page(uuid project, pages::status_page const& current, pages::page_settings const& wanted,
                 std::vector<postgres::query>& queries);

/// Deletes ended slugs, and those that the project may take: its own that no page uses.
postgres::query free_slug_query(uuid project, std::string const& slug);
/// Deletes ended former slugs of the page. Then `free_former_slot_query` has the slot for its current slug, or NULL.
postgres::query end_former_slugs_query(uuid page);
postgres::query free_former_slot_query(uuid page);
/// Keeps the current slug in that slot for 90 days.
postgres::query retire_slug_query(uuid page, std::int64_t slot);
postgres::query insert_slug_query(uuid project, uuid page, std::string const& slug);

/// The providers of the project that take posts, among these. Column 0: their ids.
postgres::query find_page_providers_query(uuid project, std::vector<uuid> const& providers);
/// Errors: validation_failed.
result<> check_page_providers(std::vector<uuid> const& wanted, postgres::rows const& known);

postgres::query audited_page(editor const& editor, std::string_view verb, uuid id, std::string_view name);

/// Returns the error of a write that failed because the slug is taken or a provider cannot be used. Throws for any
/// other failure.
error refusal_of_page(postgres::server_error const& failure);

}  // namespace svc::store
