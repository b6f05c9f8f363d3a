#include "api/call_options.hpp"
#include "api/replies.hpp"
#include "svc/access/epoch_publisher.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/domain/session.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {
namespace {

/// A membership has no versions; only its role and its end change it.
constexpr std::int64_t membership_version = 1;

/// Only administrators see the projects of each member.
bool sees_projects(call const& c) {
  return allows(c.caller.session->in_organization, organization_permission::member_update);
}

void member_json(http::json_text& out, store::shown_member const& member, bool with_projects) {
  out.member("id", member.id)
      .member("name", member.name)
      .member("email", member.email)
      .member("emailVerifiedAt", member.email_verified_at)
      .member("role", member.role)
      .member("source", member.source)
      .member("disabled", member.disabled);
  if (with_projects) out.stored_member("projects", member.projects);
  out.member("createdAt", member.created_at);
}

void impact_json(http::json_text& out, store::impacted_token const& token) {
  out.member("id", token.id)
      .member("kind", to_string(token.kind))
      .member("name", token.name)
      .member("start", token.start)
      .member("projectId", token.project)
      .member("project", token.project_name)
      .member_if("jobId", token.job)
      .member("createdAt", token.created_at);
}

void runner_tokens_json(http::json_text& out, std::vector<store::known_runner_token> const& tokens) {
  out.open("runnerTokens")
      .member("total", static_cast<std::int64_t>(tokens.size()))
      .member("note",
              "Runner tokens belong to the organisation, so they stay valid. Revoke those that the person may know.")
      .open_list("tokens");
  for (auto const& each : tokens)
    out.open_element()
        .member("id", each.id)
        .member("name", each.name)
        .member("start", each.start)
        .member("projectId", each.project)
        .member("project", each.project_name)
        .close();
  out.close_list().close();
}

}  // namespace

task<result<reply>> list_organization_members(call& c) {
  auto const found = co_await c.use.stores.members.list(c.caller.organization_id, c.page(), c.until);
  bool const with_projects = sees_projects(c);
  co_return page_reply(c, found, [&](http::json_text& out) {
    for (auto const& each : found.rows) {
      out.open_element();
      member_json(out, each, with_projects);
      out.close();
    }
  });
}

task<result<reply>> list_member_impact(call& c) {
  auto const found =
      co_await c.use.stores.members.impact(c.caller.organization_id, c.path_id("userId"), c.page(), c.until);
  if (!found) co_return found.error();
  auto const rows = [&](http::json_text& out) {
    for (auto const& each : found->stopped.rows) {
      out.open_element();
      impact_json(out, each);
      out.close();
    }
  };
  co_return page_reply(c, found->stopped, rows,
                       [&](http::json_text& out) { runner_tokens_json(out, found->runner_tokens); });
}

task<result<reply>> update_organization_member(call& c) {
  if (!c.expected_versions().allows(membership_version)) co_return errc::precondition_failed;
  auto const role = parse_organization_role(c.member("role")->as_string());
  auto done = co_await c.use.stores.members.set_role(c.caller.organization_id, c.path_id("userId"), role,
                                                     member_editor_of(c), c.until);
  co_await c.use.changes.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  co_return shown_reply(c, membership_version,
                        [&](http::json_text& out) { member_json(out, *done.outcome, sees_projects(c)); });
}

task<result<reply>> remove_organization_member(call& c) {
  if (!c.expected_versions().allows(membership_version)) co_return errc::precondition_failed;
  auto done = co_await c.use.stores.members.remove(c.caller.organization_id, c.path_id("userId"), member_editor_of(c),
                                                   c.until);
  co_await c.use.changes.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  co_return reply{.status = 204};
}

}  // namespace svc::api
