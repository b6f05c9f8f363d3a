#include "svc/store/directory/directory_list.hpp"

#include "store/sql/settled.hpp"

#include <utility>

namespace svc::store {
namespace {

// Column 0 is the length of the whole list. What is read for each row is read after LIMIT.
constexpr postgres::statement list_users{"directory_users", R"(
SELECT u.total, u.id, u.email, u.name, u.disabled_at IS NOT NULL, u.created_at,
       (SELECT string_agg(o.slug, ', ' ORDER BY o.slug) FROM organization_members m
          JOIN organizations o ON o.id = m.organization_id WHERE m.user_id = u.id)
  FROM (SELECT count(*) OVER () AS total, * FROM users ORDER BY lower(email) LIMIT $1 OFFSET $2) u
 ORDER BY lower(u.email))"};
constexpr postgres::statement list_organizations{"directory_organizations", R"(
SELECT o.total, o.id, o.slug, o.name,
       (SELECT count(*) FROM organization_members m WHERE m.organization_id = o.id),
       (SELECT count(*) FROM projects p WHERE p.organization_id = o.id), o.created_at
  FROM (SELECT count(*) OVER () AS total, * FROM organizations ORDER BY slug LIMIT $1 OFFSET $2) o
 ORDER BY o.slug)"};
constexpr postgres::statement list_projects{"directory_projects", R"(
SELECT p.total, p.id, p.organization_id, p.path, p.name,
       (SELECT count(*) FROM project_members m WHERE m.project_id = p.id),
       p.archived_at IS NOT NULL, p.created_at
  FROM (SELECT count(*) OVER () AS total, p.*, o.slug || '/' || p.slug AS path, o.slug AS organization_slug
          FROM projects p JOIN organizations o ON o.id = p.organization_id
         WHERE $3::uuid IS NULL OR p.organization_id = $3
         ORDER BY o.slug, p.slug LIMIT $1 OFFSET $2) p
 ORDER BY p.organization_slug, p.slug)"};
constexpr postgres::statement list_organization_members{"directory_organization_members", R"(
SELECT m.total, m.user_id, m.email, m.name, m.role,
       (SELECT string_agg(p.slug || ' ' || r.role, ', ' ORDER BY p.slug) FROM project_members r
          JOIN projects p ON p.id = r.project_id
         WHERE r.user_id = m.user_id AND p.organization_id = $3),
       m.disabled_at IS NOT NULL, m.created_at
  FROM (SELECT count(*) OVER () AS total, m.user_id, m.role, m.created_at, u.email, u.name, u.disabled_at
          FROM organization_members m JOIN users u ON u.id = m.user_id
         WHERE m.organization_id = $3 ORDER BY lower(u.email) LIMIT $1 OFFSET $2) m
 ORDER BY lower(m.email))"};
constexpr postgres::statement list_project_members{"directory_project_members", R"(
SELECT count(*) OVER (), m.user_id, u.email, u.name, m.role, NULL::text, u.disabled_at IS NOT NULL, m.created_at
  FROM project_members m JOIN users u ON u.id = m.user_id
 WHERE m.project_id = $3 ORDER BY lower(u.email) LIMIT $1 OFFSET $2)"};
constexpr postgres::statement find_slugs{"directory_slugs", R"(
SELECT id, slug FROM organizations WHERE id = ANY($1)
UNION ALL
SELECT p.id, o.slug || '/' || p.slug FROM projects p JOIN organizations o ON o.id = p.organization_id
 WHERE p.id = ANY($1))"};

std::string listed_text(postgres::row const& r, int column) {
  return r.maybe_text(column).value_or(std::string());
}

template <class Row, class Read>
listed_page<Row> read_listed(postgres::rows const& found, Read read) {
  listed_page<Row> out;
  if (!found.empty()) out.total = found.front().integer(0);
  for (int i = 0; i < found.size(); ++i) out.rows.push_back(read(found[i]));
  return out;
}

constexpr page_request first_row{.number = 1, .limit = 1};

/// Returns true if the list may have rows although the page has none: the total is then known from another page.
template <class Row>
bool is_past_the_end(listed_page<Row> const& page, page_request wanted) {
  return page.rows.empty() && wanted.number > 1;
}

listed_member read_member(postgres::row const& r) {
  return {.id = r.id(1),
          .email = listed_text(r, 2),
          .name = listed_text(r, 3),
          .role = listed_text(r, 4),
          .projects = listed_text(r, 5),
          .banned = r.boolean(6),
          .created_at = r.time(7)};
}

}  // namespace

task<listed_page<listed_user>> directory_list::users(page_request wanted, deadline until) {
  auto const found =
      settled(co_await db_.run({list_users, postgres::parameters(wanted.limit, wanted.rows_before())}, until));
  auto out = read_listed<listed_user>(found, [](postgres::row const& r) {
    return listed_user{.id = r.id(1),
                       .email = listed_text(r, 2),
                       .name = listed_text(r, 3),
                       .organizations = listed_text(r, 6),
                       .banned = r.boolean(4),
                       .created_at = r.time(5)};
  });
  if (is_past_the_end(out, wanted)) out.total = (co_await users(first_row, until)).total;
  co_return out;
}

task<listed_page<listed_organization>> directory_list::organizations(page_request wanted, deadline until) {
  auto const found = settled(
      co_await db_.run({list_organizations, postgres::parameters(wanted.limit, wanted.rows_before())}, until));
  auto out = read_listed<listed_organization>(found, [](postgres::row const& r) {
    return listed_organization{.id = r.id(1),
                               .slug = listed_text(r, 2),
                               .name = listed_text(r, 3),
                               .members = r.integer(4),
                               .projects = r.integer(5),
                               .created_at = r.time(6)};
  });
  if (is_past_the_end(out, wanted)) out.total = (co_await organizations(first_row, until)).total;
  co_return out;
}

task<listed_page<listed_project>> directory_list::projects(std::optional<uuid> organization, page_request wanted,
                                                           deadline until) {
  auto const found = settled(co_await db_.run(
      {list_projects, postgres::parameters(wanted.limit, wanted.rows_before(), organization)}, until));
  auto out = read_listed<listed_project>(found, [](postgres::row const& r) {
    return listed_project{.id = r.id(1),
                          .organization = r.id(2),
                          .path = listed_text(r, 3),
                          .name = listed_text(r, 4),
                          .members = r.integer(5),
                          .archived = r.boolean(6),
                          .created_at = r.time(7)};
  });
  if (is_past_the_end(out, wanted)) out.total = (co_await projects(organization, first_row, until)).total;
  co_return out;
}

task<listed_page<listed_member>> directory_list::members_of_organization(uuid organization, page_request wanted,
                                                                         deadline until) {
  auto const found = settled(co_await db_.run(
      {list_organization_members, postgres::parameters(wanted.limit, wanted.rows_before(), organization)}, until));
  auto out = read_listed<listed_member>(found, read_member);
  if (is_past_the_end(out, wanted))
    out.total = (co_await members_of_organization(organization, first_row, until)).total;
  co_return out;
}

task<listed_page<listed_member>> directory_list::members_of_project(uuid project, page_request wanted,
                                                                    deadline until) {
  auto const found = settled(co_await db_.run(
      {list_project_members, postgres::parameters(wanted.limit, wanted.rows_before(), project)}, until));
  auto out = read_listed<listed_member>(found, read_member);
  if (is_past_the_end(out, wanted)) out.total = (co_await members_of_project(project, first_row, until)).total;
  co_return out;
}

task<std::map<uuid, std::string>> directory_list::slugs(std::vector<uuid> ids, deadline until) {
  std::map<uuid, std::string> out;
  if (ids.empty()) co_return out;
  auto const found = settled(co_await db_.run({find_slugs, postgres::parameters(ids)}, until));
  for (int i = 0; i < found.size(); ++i) out.emplace(found[i].id(0), listed_text(found[i], 1));
  co_return out;
}

}  // namespace svc::store
