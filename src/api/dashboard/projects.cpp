#include "api/call_options.hpp"
#include "svc/access/epoch_publisher.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/domain/display_text.hpp"
#include "svc/store/repositories.hpp"

#include <algorithm>
#include <array>

namespace svc::api {
namespace {

constexpr std::size_t longest_project_name = 255;

/// The role in a project has no versions; only its value and its end change it.
constexpr std::int64_t project_role_version = 1;

/// A project as its organisation's administrators see it.
void project_json(http::json_text& out, store::shown_project const& project) {
  out.member("id", project.id)
      .member("slug", project.slug)
      .member("name", project.name)
      .member("archivedAt", project.archived_at)
      .member("createdAt", project.created_at);
}

/// The project of the call, with the caller's role.
reply project_details(call const& c, store::shown_project const& project) {
  return shown_reply(c, project.version, [&](http::json_text& out) {
    out.member("id", project.id)
        .member("slug", project.slug)
        .member("name", project.name)
        .member("role", to_string(c.caller.owner_role))
        .open("organization")
        .member("id", project.organization)
        .member("slug", project.organization_slug)
        .member("name", project.organization_name)
        .close()
        .member("createdAt", project.created_at);
  });
}

void project_member_json(http::json_text& out, store::project_member const& member) {
  out.member("id", member.id)
      .member("name", member.name)
      .member("email", member.email)
      .member("emailVerifiedAt", member.email_verified_at)
      .member("role", member.role)
      .member("source", member.source)
      .member("disabled", member.disabled)
      .member("createdAt", member.created_at);
}

result<std::string> project_name_in(call const& c) {
  return checked_name(c.member("name")->as_string(), "/name", longest_project_name);
}

/// The contract has only these.
role project_role_in(call const& c) {
  constexpr std::array roles{role::project_viewer, role::project_editor, role::project_admin};
  std::string_view const wanted = c.member("role")->as_string();
  auto const found = std::ranges::find_if(roles, [&](role each) { return to_string(each) == wanted; });
  return found == roles.end() ? role::none : *found;
}

/// Archives or restores a project of the organisation; without effect if it is so already.
task<result<reply>> switch_project_of(call& c, bool archived) {
  auto done = co_await c.use.stores.projects.set_archived(c.caller.organization_id, c.path_id("projectId"), archived,
                                                          c.actor(), c.until);
  co_await c.use.changes.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  co_return shown_reply(c, *done.outcome, project_json);
}

}  // namespace

task<result<reply>> list_organization_projects(call& c) {
  auto const found = co_await c.use.stores.projects.list(c.caller.organization_id, c.page(), c.until);
  co_return page_reply(c, found, project_json);
}

task<result<reply>> create_project(call& c) {
  auto name = project_name_in(c);
  if (!name) co_return name.error();
  auto done = co_await c.use.stores.projects.create(
      c.caller.organization_id, std::string(c.member("slug")->as_string()), std::move(*name), c.actor(), c.until);
  co_await c.use.changes.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  auto shown = shown_reply(c, *done.outcome, project_json);
  shown.status = 201;
  co_return shown;
}

task<result<reply>> archive_project(call& c) {
  return switch_project_of(c, true);
}

task<result<reply>> restore_project(call& c) {
  return switch_project_of(c, false);
}

task<result<reply>> get_project(call& c) {
  auto const found = co_await c.use.stores.projects.read(c.caller.organization_id, c.caller.project_id, c.until);
  if (!found) co_return error(errc::project_not_found);
  co_return project_details(c, *found);
}

task<result<reply>> update_project(call& c) {
  auto name = project_name_in(c);
  if (!name) co_return name.error();
  auto done = co_await c.use.stores.projects.rename(edit_by(c), std::move(*name), c.until);
  co_await c.use.changes.publish(std::move(done.touched));
  // It has been archived since the request was admitted.
  if (!done.outcome && done.outcome.error().code == errc::not_found) co_return error(errc::project_not_found);
  if (!done.outcome) co_return done.outcome.error();
  co_return project_details(c, *done.outcome);
}

task<result<reply>> list_project_members(call& c) {
  auto const found = co_await c.use.stores.projects.members(c.caller.project_id, c.page(), c.until);
  co_return page_reply(c, found, project_member_json);
}

task<result<reply>> set_project_member(call& c) {
  auto done = co_await c.use.stores.projects.set_member(edit_by(c), c.path_id("userId"), project_role_in(c), c.until);
  co_await c.use.changes.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  co_return shown_reply(c, project_role_version,
                        [&](http::json_text& out) { project_member_json(out, *done.outcome); });
}

task<result<reply>> remove_project_member(call& c) {
  if (!c.expected_versions().allows(project_role_version)) co_return errc::precondition_failed;
  auto done = co_await c.use.stores.projects.remove_member(edit_by(c), c.path_id("userId"), c.until);
  co_await c.use.changes.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  co_return reply{.status = 204};
}

}  // namespace svc::api
