// Lists of users, organizations, projects, members and instances.
#include "app/admin/actions.hpp"
#include "app/maintenance/instance_view.hpp"

namespace svc::app::admin {

namespace {

boost::json::value listed_or_null(std::string const& text) {
  if (text.empty()) return nullptr;
  return boost::json::value(text);
}

template <class Row, class ToJson>
boost::json::value page_json(arguments const& a, store::listed_page<Row> const& found, ToJson to_json) {
  boost::json::array rows;
  for (Row const& row : found.rows) rows.push_back(to_json(row));
  return {{"total", found.total}, {"page", a.page}, {"rows", std::move(rows)}};
}

page_request page_of(arguments const& a) {
  return {.number = a.page, .limit = a.rows};
}

}  // namespace

task<answer> list_users(session& s, arguments a) {
  auto const found = co_await s.listing.users(page_of(a), s.patience());
  co_return page_json(a, found, [](store::listed_user const& user) {
    return boost::json::object{{"email", user.email},
                               {"name", user.name},
                               {"organizations", listed_or_null(user.organizations)},
                               {"banned", user.banned},
                               {"createdAt", to_rfc3339(user.created_at)},
                               {"id", user.id.to_string()}};
  });
}

task<answer> list_organizations(session& s, arguments a) {
  auto const found = co_await s.listing.organizations(page_of(a), s.patience());
  co_return page_json(a, found, [](store::listed_organization const& organization) {
    return boost::json::object{{"slug", organization.slug},
                               {"name", organization.name},
                               {"members", organization.members},
                               {"projects", organization.projects},
                               {"createdAt", to_rfc3339(organization.created_at)},
                               {"id", organization.id.to_string()}};
  });
}

task<answer> list_projects(session& s, arguments a) {
  std::optional<uuid> organization;
  if (!a.organization.empty()) {
    auto const known = co_await s.directory.find_organization(a.organization, s.patience());
    if (!known) co_return known.error();
    organization = *known;
  }
  auto const found = co_await s.listing.projects(organization, page_of(a), s.patience());
  co_return page_json(a, found, [](store::listed_project const& project) {
    return boost::json::object{{"project", project.path},
                               {"name", project.name},
                               {"members", project.members},
                               {"archived", project.archived},
                               {"createdAt", to_rfc3339(project.created_at)},
                               {"id", project.id.to_string()},
                               {"organizationId", project.organization.to_string()}};
  });
}

task<answer> list_members(session& s, arguments a) {
  bool const of_project = !a.project.empty();
  auto const scope = of_project ? co_await s.directory.find_project(a.project, s.patience())
                                : co_await s.directory.find_organization(a.organization, s.patience());
  if (!scope) co_return scope.error();
  auto const found = of_project ? co_await s.listing.members_of_project(*scope, page_of(a), s.patience())
                                : co_await s.listing.members_of_organization(*scope, page_of(a), s.patience());
  co_return page_json(a, found, [of_project](store::listed_member const& member) {
    boost::json::object out{{"email", member.email}, {"name", member.name}, {"role", member.role}};
    if (!of_project) out["projects"] = listed_or_null(member.projects);
    out["banned"] = member.banned;
    out["createdAt"] = to_rfc3339(member.created_at);
    out["id"] = member.id.to_string();
    return out;
  });
}

/// Lists the instances that either store knows: an instance that reaches only one of them exists too.
task<answer> list_instances(session& s, arguments) {
  auto known = known_of(co_await s.instances.read(s.patience()));
  auto const listed = co_await s.instances_in_redis();
  boost::json::array rows;
  for (auto const& instance : merged(std::move(known), listed.value_or(std::vector<instance_identity>{}))) {
    auto row = to_json(instance);
    if (!listed) row["redis"] = nullptr;  // not known
    rows.push_back(std::move(row));
  }
  co_return boost::json::value(std::move(rows));
}

}  // namespace svc::app::admin
