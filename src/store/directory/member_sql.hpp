#pragma once

#include "store/sql/sql_text.hpp"
#include "svc/domain/audit.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"
#include "svc/store/directory/directory_store.hpp"

#include <boost/json.hpp>

#include <optional>
#include <string>
#include <vector>

// The statements for the members of an organisation that the operator's and the members' own changes share.

namespace svc::store {

/// The tokens and keys that stop when the user $2 leaves the organisation $1.
inline constexpr auto is_stopped_token =
    sql(" t.owner_id = $2 AND t.revoked_at IS NULL AND t.owner_left_at IS NULL"
        " AND t.project_id IN (SELECT p.id FROM projects p WHERE p.organization_id = $1) ");
inline constexpr auto stopped_token_columns = sql(" t.id, t.kind, t.project_id, t.job_id, t.name, t.start ");

/// Locks the organisation until COMMIT, so that changes of its owners wait for each other. Precedes the locks of its
/// members.
postgres::query lock_organization_query(uuid organization);

/// Ends the membership with its roles in projects and stops the tokens. The first statement waits for creations of
/// tokens, which lock the membership, so that the later statements see these tokens. Column 0 of its result is the
/// role, if there was one; give the second result to `note_lost_roles`, and read the third with `read_stopped`.
std::vector<postgres::query> removal_queries(uuid organization, uuid user);
/// Notes for announcements that the member is gone from these projects; no audit row of the removal names them.
void note_lost_roles(audit_actor const& actor, uuid user, postgres::rows const& projects);
/// The tokens that `removal_queries` would stop, for `read_stopped`.
postgres::query list_stopped_query(uuid organization, uuid user);
std::vector<stopped_token> read_stopped(postgres::rows const& found);

/// The runner tokens that the user has made, for `read_known_runners`. They belong to the organisation, so a removal
/// leaves them.
postgres::query known_runners_query(uuid organization, uuid user);
std::vector<known_runner_token> read_known_runners(postgres::rows const& found);

/// Bumps the epochs of the user and of the user's trigger keys in the organisation, or only reads them. Both search
/// when they run, so that they find keys created meanwhile.
postgres::query bump_member_query(uuid organization, uuid user);
postgres::query member_epochs_query(uuid organization, uuid user);
/// The same for the trigger keys in one project.
postgres::query bump_project_member_query(uuid project, uuid user);
postgres::query project_member_epochs_query(uuid project, uuid user);

audit_entry member_audit(std::string verb, uuid organization, std::optional<uuid> project, uuid user,
                         audit_actor const& actor, boost::json::object const& details);
audit_entry stopped_audit(stopped_token const& t, uuid organization, audit_actor const& actor);

error no_member();

}  // namespace svc::store
