#include "app/admin/actions.hpp"

#include <iostream>

namespace svc::app::admin {

namespace {

boost::json::value text_or_null(std::string const& text) {
  if (text.empty()) return nullptr;
  return boost::json::value(text);
}

boost::json::value id_or_null(std::optional<uuid> const& id) {
  if (!id) return nullptr;
  return boost::json::value(id->to_string());
}

/// The path of the entry's project, or else the slug of its organization.
boost::json::value scope_name(audit_entry const& e, std::map<uuid, std::string> const& slugs) {
  for (auto const& id : {e.project, e.organization})
    if (auto const found = id ? slugs.find(*id) : slugs.end(); found != slugs.end())
      return boost::json::value(found->second);
  return nullptr;
}

boost::json::object row_json(store::audit_row const& row, std::map<uuid, std::string> const& slugs) {
  audit_entry const& e = row.entry;
  boost::system::error_code ignored;
  return {{"createdAt", to_rfc3339(row.created_at)},
          {"action", e.action},
          {"actor", e.actor.name},
          {"actorId", id_or_null(e.actor.user)},
          {"tokenId", id_or_null(e.actor.token)},
          {"resource", e.resource},
          {"resourceId", id_or_null(e.resource_id)},
          {"project", id_or_null(e.project)},
          {"place", scope_name(e, slugs)},
          {"ip", text_or_null(e.actor.ip)},
          {"userAgent", text_or_null(e.actor.user_agent)},
          {"requestId", text_or_null(e.actor.request_id)},
          {"details", boost::json::parse(e.details, ignored)}};
}

}  // namespace

task<answer> show_audit(session& s, arguments a) {
  store::audit_filter which;
  if (!a.organization.empty()) {
    auto const found = co_await s.directory.find_organization(a.organization, s.patience());
    if (!found) co_return found.error();
    which.organization = *found;
  }
  if (!a.project.empty()) {
    auto const found = co_await s.directory.find_project(a.project, s.patience());
    if (!found) co_return found.error();
    which.project = *found;
  }
  if (!a.action.empty()) which.action = a.action;
  auto const found = co_await s.audit.list(which, {a.page, a.rows}, s.patience());
  std::vector<uuid> ids;
  for (store::audit_row const& row : found.rows)
    for (auto const& id : {row.entry.organization, row.entry.project})
      if (id) ids.push_back(*id);
  auto const slugs = co_await s.listing.slugs(std::move(ids), s.patience());
  boost::json::array rows;
  for (store::audit_row const& row : found.rows) rows.push_back(row_json(row, slugs));
  co_return boost::json::value{{"total", found.total}, {"page", a.page}, {"rows", std::move(rows)}};
}

namespace {

/// Where a member's role is: in an organization or in one of its projects.
struct member_scope {
  uuid id;
  bool is_project = false;
};

task<result<member_scope>> find_member_scope(session& s, arguments const& a) {
  bool const is_project = !a.project.empty();
  auto const id = is_project ? co_await s.directory.find_project(a.project, s.patience())
                             : co_await s.directory.find_organization(a.organization, s.patience());
  if (!id) co_return id.error();
  co_return member_scope{*id, is_project};
}

/// Updates Redis, then returns the result.
task<answer> answer_after_notice(session& s, store::change<> done, boost::json::object object) {
  co_await s.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  co_return boost::json::value(std::move(object));
}

boost::json::array stopped_json(std::vector<store::stopped_token> const& stopped) {
  boost::json::array rows;
  for (store::stopped_token const& t : stopped)
    rows.push_back({{"id", t.id.to_string()},
                    {"kind", to_string(t.kind)},
                    {"name", t.name},
                    {"start", t.start},
                    {"project", t.project.to_string()}});
  return rows;
}

task<answer> switch_ban(session& s, arguments a, bool banned) {
  auto const user = co_await s.directory.find_user(a.user, s.patience());
  if (!user) co_return user.error();
  auto done = co_await s.directory.set_banned(user->id, banned, s.actor, s.patience());
  co_await s.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  boost::json::object out{{"user", user->id.to_string()}, {"email", user->email}, {"banned", banned}};
  // A ban is never refused. The operator learns which organizations need another owner.
  if (banned) {
    boost::json::array organizations;
    for (auto const& slug : co_await s.directory.without_owner(user->id, s.patience()))
      organizations.emplace_back(slug);
    out["withoutOwner"] = std::move(organizations);
  }
  co_return boost::json::value(std::move(out));
}

task<answer> switch_archive(session& s, arguments a, bool archived) {
  auto const project = co_await s.directory.find_project(a.project, s.patience());
  if (!project) co_return project.error();
  auto done = co_await s.directory.set_archived(*project, archived, s.actor, s.patience());
  co_return co_await answer_after_notice(s, std::move(done),
                                         {{"project", project->to_string()}, {"archived", archived}});
}

task<answer> take_project_role(session& s, uuid project, uuid user) {
  auto done = co_await s.directory.remove_project_role(project, user, s.actor, s.patience());
  co_return co_await answer_after_notice(s, std::move(done),
                                         {{"user", user.to_string()}, {"project", project.to_string()}});
}

/// Like the impact that the dashboard shows.
task<answer> list_impact(session& s, uuid organization, uuid user) {
  auto const impact = co_await s.directory.impact_of_removal(organization, user, s.patience());
  boost::json::array known;
  for (auto const& each : impact.runner_tokens)
    known.push_back({{"id", each.id.to_string()},
                     {"name", each.name},
                     {"start", each.start},
                     {"project", id_or_null(each.project)}});
  if (!known.empty())
    std::cerr
        << "svcd: runner tokens belong to the organization, so they stay valid; `svcd admin revoke-runner` ends "
           "those that the person may know\n";
  co_return boost::json::value{{"dryRun", true},
                               {"user", user.to_string()},
                               {"stops", stopped_json(impact.stopped)},
                               {"runnerTokens", std::move(known)}};
}

}  // namespace

task<answer> create_user(session& s, arguments a) {
  auto const id = co_await s.directory.create_user(a.email, a.name, s.actor, s.patience());
  if (!id) co_return id.error();
  co_return boost::json::value{{"id", id->to_string()}, {"email", a.email}, {"name", a.name}};
}

task<answer> create_organization(session& s, arguments a) {
  auto const id = co_await s.directory.create_organization(a.slug, a.name, s.actor, s.patience());
  if (!id) co_return id.error();
  co_return boost::json::value{{"id", id->to_string()}, {"slug", a.slug}, {"name", a.name}};
}

task<answer> create_project(session& s, arguments a) {
  auto const organization = co_await s.directory.find_organization(a.organization, s.patience());
  if (!organization) co_return organization.error();
  auto const id = co_await s.directory.create_project(*organization, a.slug, a.name, s.actor, s.patience());
  if (!id) co_return id.error();
  co_return boost::json::value{
      {"id", id->to_string()}, {"organization", organization->to_string()}, {"slug", a.slug}, {"name", a.name}};
}

task<answer> set_role(session& s, arguments a) {
  bool const of_project = !a.project.empty();
  if (a.role.starts_with(of_project ? "org_" : "project_"))
    co_return error(
        errc::validation_failed,
        of_project
            ? "--role must be project_admin, project_editor or project_viewer with --project, not " + a.role + "."
            : "--role must be org_owner, org_admin or org_member with --organization, not " + a.role + ".");
  auto const scope = co_await find_member_scope(s, a);
  if (!scope) co_return scope.error();
  auto const user = co_await s.directory.find_user(a.user, s.patience());
  if (!user) co_return user.error();
  auto done = scope->is_project
                  ? co_await s.directory.set_project_role(scope->id, user->id, a.role, s.actor, s.patience())
                  : co_await s.directory.set_organization_role(scope->id, user->id, a.role, s.actor, s.patience());
  co_return co_await answer_after_notice(s, std::move(done),
                                         {{"user", user->id.to_string()},
                                          {"email", user->email},
                                          {scope->is_project ? "project" : "organization", scope->id.to_string()},
                                          {"role", a.role}});
}

task<answer> remove_member(session& s, arguments a) {
  if (a.dry_run && !a.project.empty())
    co_return error(errc::validation_failed,
                    "--dry-run needs --organization: a removal from a project ends no credential.");
  auto const scope = co_await find_member_scope(s, a);
  if (!scope) co_return scope.error();
  auto const user = co_await s.directory.find_user(a.user, s.patience());
  if (!user) co_return user.error();
  if (scope->is_project) co_return co_await take_project_role(s, scope->id, user->id);
  if (a.dry_run) co_return co_await list_impact(s, scope->id, user->id);

  auto done = co_await s.directory.remove_member(scope->id, user->id, s.actor, s.patience());
  co_await s.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  co_return boost::json::value{{"user", user->id.to_string()},
                               {"organization", scope->id.to_string()},
                               {"stopped", stopped_json(*done.outcome)}};
}

task<answer> ban_user(session& s, arguments a) {
  return switch_ban(s, std::move(a), true);
}

task<answer> unban_user(session& s, arguments a) {
  return switch_ban(s, std::move(a), false);
}

task<answer> archive_project(session& s, arguments a) {
  return switch_archive(s, std::move(a), true);
}

task<answer> unarchive_project(session& s, arguments a) {
  return switch_archive(s, std::move(a), false);
}

task<answer> release_slug(session& s, arguments a) {
  bool const released = co_await s.status_pages.release_slug(s.actor, a.slug, s.patience());
  if (!released)
    co_return error(
        errc::not_found,
        "No status page had this slug before, or a page uses it; first delete that page or give it another slug.");
  co_return boost::json::object{{"released", a.slug}};
}

task<answer> archive_page(session& s, arguments a) {
  bool const archived = co_await s.status_pages.archive_page(s.actor, a.id, s.patience());
  if (!archived) co_return error(errc::not_found, "There is no such status page, or it is archived already.");
  co_return boost::json::object{{"archived", a.id}};
}

}  // namespace svc::app::admin
