#pragma once

#include "store/accounts/account_sql.hpp"
#include "svc/domain/identity.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"
#include "svc/store/accounts/identity_store.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

// The roles that identity providers give. Requires the lock of the user.

namespace svc::store {

/// Finds the organizations and projects that are named; read the result with `read_placed_roles`. Names that match
/// nothing, and archived projects, are left out.
postgres::query resolve_roles_query(std::vector<named_role> const& roles);
std::vector<placed_role> read_placed_roles(postgres::rows const& found, std::vector<named_role> const& roles);

/// Reads all roles of the user. An owner's role counts as given by hand, whoever gave it.
postgres::query held_roles_query(uuid user);
std::vector<held_role> read_held_roles(postgres::rows const& found);

/// Adds the statements and audit rows of the changes to the sign-in. `source`: the provider; empty: by hand.
void add_role_changes(opening& sign_in, std::vector<role_change> const& changes, std::string_view source);

/// Locks the organizations in which roles change, in the order of their ids. Their members can then be counted. A
/// concurrent change of a policy, or the archiving of a project, waits for the lock and then finds the user.
postgres::query lock_changed_query(std::vector<role_change> const& changes);
/// Returns the organizations that the user owns. With their locks the answer holds until COMMIT, because changes of
/// owners take these locks.
postgres::query owned_organizations_query(uuid user);
/// Drops changes of the role of somebody whom a person has made an owner since the roles were read.
void drop_changes_of_owners(std::vector<role_change>& changes, std::vector<uuid> const& owned);
/// Returns a row for each of these organizations that has this number of members or more. Requires their locks.
postgres::query full_organizations_query(std::vector<role_change> const& changes, std::size_t most);
/// True if one of the changes makes the user a member of an organization.
bool joins_organization(std::vector<role_change> const& changes);

}  // namespace svc::store
