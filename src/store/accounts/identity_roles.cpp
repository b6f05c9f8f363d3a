#include "store/accounts/identity_roles.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace svc::store {
namespace {

// A slug may look like an id; then both are found, inside one organization only.
constexpr postgres::statement resolve_roles{"identity_resolve_roles", R"(
SELECT n.position, o.id, p.id
  FROM unnest($1::bigint[], $2::uuid[], $3::text[], $4::uuid[], $5::text[])
       AS n (position, organization_id, organization, project_id, project)
  JOIN organizations o ON o.id = n.organization_id OR o.slug = n.organization
  LEFT JOIN projects p ON p.organization_id = o.id AND n.project <> '' AND p.archived_at IS NULL
                      AND (p.id = n.project_id OR p.slug = n.project)
 WHERE n.project = '' OR p.id IS NOT NULL
 ORDER BY n.position)"};

constexpr postgres::statement held_roles{"identity_held_roles", R"(
SELECT m.organization_id, NULL::uuid, m.role, m.source IS NOT NULL AND m.role <> 'org_owner'
  FROM organization_members m WHERE m.user_id = $1
UNION ALL
SELECT p.organization_id, p.id, m.role, m.source IS NOT NULL
  FROM project_members m JOIN projects p ON p.id = m.project_id WHERE m.user_id = $1)"};

constexpr postgres::statement grant_organization_role{"identity_grant_organization_role", R"(
INSERT INTO organization_members (organization_id, user_id, role, source) VALUES ($1, $2, $3, nullif($4, ''))
ON CONFLICT DO NOTHING)"};
constexpr postgres::statement grant_project_role{"identity_grant_project_role", R"(
INSERT INTO project_members (project_id, user_id, role, source) VALUES ($1, $2, $3, nullif($4, ''))
ON CONFLICT DO NOTHING)"};
constexpr postgres::statement change_mapped_organization_role{"identity_set_organization_role", R"(
UPDATE organization_members SET role = $3, source = nullif($4, '')
 WHERE organization_id = $1 AND user_id = $2 AND source IS NOT NULL AND role <> 'org_owner')"};
constexpr postgres::statement change_mapped_project_role{"identity_set_project_role", R"(
UPDATE project_members SET role = $3, source = nullif($4, '')
 WHERE project_id = $1 AND user_id = $2 AND source IS NOT NULL)"};
constexpr postgres::statement remove_mapped_organization_role{"identity_remove_organization_role", R"(
DELETE FROM organization_members
 WHERE organization_id = $1 AND user_id = $2 AND source IS NOT NULL AND role <> 'org_owner')"};
constexpr postgres::statement remove_mapped_project_role{"identity_remove_project_role", R"(
DELETE FROM project_members WHERE project_id = $1 AND user_id = $2 AND source IS NOT NULL)"};

constexpr postgres::statement lock_organizations{
    "identity_lock_organizations",
    "SELECT id FROM organizations WHERE id = ANY ($1::uuid[]) ORDER BY id FOR NO KEY UPDATE"};
constexpr postgres::statement owned_organizations{
    "identity_owned_organizations",
    "SELECT organization_id FROM organization_members WHERE user_id = $1 AND role = 'org_owner'"};
constexpr postgres::statement full_organizations{"identity_full_organizations", R"(
SELECT m.organization_id FROM organization_members m WHERE m.organization_id = ANY ($1::uuid[])
 GROUP BY m.organization_id HAVING count(*) >= $2)"};

postgres::query statement_of(role_change const& change, uuid user, std::string_view source) {
  auto const& place = change.place;
  bool const in_project = place.project.has_value();
  auto const where = place.project.value_or(place.organization);
  switch (change.kind) {
    case role_change_kind::grant:
      return {in_project ? grant_project_role : grant_organization_role,
              postgres::parameters(where, user, place.role, source)};
    case role_change_kind::change:
      return {in_project ? change_mapped_project_role : change_mapped_organization_role,
              postgres::parameters(where, user, place.role, source)};
    case role_change_kind::release:
      return {in_project ? change_mapped_project_role : change_mapped_organization_role,
              postgres::parameters(where, user, place.role, "")};
    case role_change_kind::remove:
      break;
  }
  return {in_project ? remove_mapped_project_role : remove_mapped_organization_role,
          postgres::parameters(where, user)};
}

audit_entry audit_of(role_change const& change, uuid user, std::string_view provider) {
  bool const removes = change.kind == role_change_kind::remove;
  std::string const removal = change.place.project ? "member.role_removed" : "member.removed";
  boost::json::object details{{"role", change.place.role}};
  if (!provider.empty()) details["provider"] = provider;
  if (change.kind == role_change_kind::release) details["released"] = true;
  return {.actor = {},
          .organization = change.place.organization,
          .project = change.place.project,
          .action = removes ? removal : "member.role_set",
          .resource = "member",
          .resource_id = user,
          .details = boost::json::serialize(details)};
}

std::vector<uuid> joined_organizations(std::vector<role_change> const& changes) {
  std::vector<uuid> out;
  for (auto const& each : changes)
    if (each.kind == role_change_kind::grant && !each.place.project) out.push_back(each.place.organization);
  return out;
}

}  // namespace

postgres::query resolve_roles_query(std::vector<named_role> const& roles) {
  std::int64_t position = 0;
  postgres::query out{resolve_roles};
  out.parameters.add_array(roles, [&](named_role const& /*role*/) { return position++; });
  out.parameters.add_array(roles, [](named_role const& role) { return uuid::parse(role.organization); });
  out.parameters.add_array(roles, [](named_role const& role) { return std::string_view(role.organization); });
  out.parameters.add_array(roles, [](named_role const& role) { return uuid::parse(role.project); });
  out.parameters.add_array(roles, [](named_role const& role) { return std::string_view(role.project); });
  return out;
}

std::vector<placed_role> read_placed_roles(postgres::rows const& found, std::vector<named_role> const& roles) {
  std::vector<placed_role> out;
  for (int i = 0; i < found.size(); ++i) {
    postgres::row const r = found[i];
    auto const position = static_cast<std::size_t>(r.integer(0));
    out.push_back({.organization = r.id(1), .project = r.maybe_id(2), .role = roles.at(position).role});
  }
  return out;
}

postgres::query held_roles_query(uuid user) {
  return {held_roles, postgres::parameters(user)};
}

std::vector<held_role> read_held_roles(postgres::rows const& found) {
  std::vector<held_role> out;
  for (int i = 0; i < found.size(); ++i) {
    postgres::row const r = found[i];
    out.push_back({.place = {.organization = r.id(0), .project = r.maybe_id(1), .role = std::string(r.text(2))},
                   .managed = r.boolean(3)});
  }
  return out;
}

void add_role_changes(opening& sign_in, std::vector<role_change> const& changes, std::string_view source) {
  for (auto const& each : changes) {
    sign_in.changes.push_back(statement_of(each, sign_in.user, source));
    sign_in.audits.push_back(audit_of(each, sign_in.user, sign_in.session.provider));
  }
  sign_in.bumps_keys = sign_in.bumps_keys || !changes.empty();
}

postgres::query lock_changed_query(std::vector<role_change> const& changes) {
  std::vector<uuid> organizations;
  for (auto const& each : changes) organizations.push_back(each.place.organization);
  return {lock_organizations, postgres::parameters(organizations)};
}

postgres::query owned_organizations_query(uuid user) {
  return {owned_organizations, postgres::parameters(user)};
}

postgres::query full_organizations_query(std::vector<role_change> const& changes, std::size_t most) {
  return {full_organizations, postgres::parameters(joined_organizations(changes), static_cast<std::int64_t>(most))};
}

void drop_changes_of_owners(std::vector<role_change>& changes, std::vector<uuid> const& owned) {
  std::erase_if(changes, [&](role_change const& each) {
    return !each.place.project && std::ranges::find(owned, each.place.organization) != owned.end();
  });
}

bool joins_organization(std::vector<role_change> const& changes) {
  return !joined_organizations(changes).empty();
}

}  // namespace svc::store
