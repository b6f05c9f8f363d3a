#include "api/call_options.hpp"
#include "api/dashboard/sign_in.hpp"
#include "api/resources.hpp"
#include "svc/access/epoch_publisher.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/api/sign_in_services.hpp"
#include "svc/domain/cron.hpp"
#include "svc/domain/display_text.hpp"
#include "svc/domain/token.hpp"
#include "svc/http/site/pages.hpp"
#include "svc/store/repositories.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace svc::api {
namespace {

namespace json = boost::json;

constexpr std::size_t longest_user_name = 255;

/// Returns nothing for an empty text.
std::optional<std::string> some_text(std::string text) {
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

reply account_reply(call const& c, store::own_account const& account) {
  auto const fresh = std::chrono::duration_cast<microseconds>(c.use.sign_in.times().fresh).count();
  return shown_reply(c, account.version, [&](http::json_text& out) {
    open_user(out, account.user, account.name, account.email)
        .member("emailVerifiedAt", account.email_verified_at)
        .stored_member("preferences", account.preferences)
        .close();
    open_session(out, account.session, account.expires_at)
        .member("method", account.method)
        .member_if("provider", some_text(account.provider))
        .member("authenticatedAt", account.authenticated_at)
        .member("freshUntil", timestamp{account.authenticated_at.micros + fresh})
        .close()
        .open_list("organizations");
    for (auto const& each : account.organizations) {
      out.open_element()
          .member("id", each.id)
          .member("slug", each.slug)
          .member("name", each.name)
          .member("role", each.role)
          .member("policyMet", each.policy_met)
          .close();
    }
    out.close_list().member_if("bundle", some_text(c.use.pages.bundle()));
  });
}

/// Merges the patch into the account. The contract has checked the forms.
result<store::account_edit> edit_of(json::object const& patch, store::own_account const& current) {
  store::account_edit out{.name = current.name, .preferences = current.preferences};
  if (auto const* name = patch.if_contains("name")) {
    auto checked = checked_name(name->as_string(), "/name", longest_user_name);
    if (!checked) return checked.error();
    out.name = std::move(*checked);
  }
  if (auto const* preferences = patch.if_contains("preferences")) {
    auto merged = json::parse(current.preferences).as_object();
    for (auto const& [name, content] : preferences->as_object()) merged[name] = content;
    if (auto const* zone = merged.if_contains("timeZone"); zone != nullptr && !is_time_zone(zone->as_string()))
      return error(errc::validation_failed, {}, {{"/preferences/timeZone", "must be a name of the IANA database"}});
    out.preferences = json::serialize(merged);
  }
  return out;
}

void own_token_json(http::json_text& out, store::own_token const& token) {
  out.member("id", token.id)
      .member("kind", to_string(token.kind))
      .member("name", token.name)
      .member("start", token.start)
      .member("enabled", token.enabled)
      .member("stopped", token.stopped)
      .member("projectId", token.project)
      .member("project", token.project_name)
      .member("organizationId", token.organization)
      .member("organization", token.organization_name)
      .member_if("jobId", token.job)
      .member_if("expiresAt", token.expires_at)
      .passing_member("lastUsedAt", token.last_used_at)
      .member("createdAt", token.created_at);
}

void own_project_json(http::json_text& out, store::own_project const& project) {
  out.member("id", project.id)
      .member("slug", project.slug)
      .member("name", project.name)
      .member("role", project.role)
      .member("policyMet", project.policy_met)
      .open("organization")
      .member("id", project.organization)
      .member("slug", project.organization_slug)
      .member("name", project.organization_name)
      .close()
      .member("createdAt", project.created_at);
}

/// A session has no versions: all changes end it.
constexpr std::int64_t session_version = 1;

}  // namespace

task<result<reply>> get_account(call& c) {
  auto const account = co_await c.use.stores.accounts.read(c.caller.owner_id, c.caller.token_id, c.until);
  if (!account) co_return account.error();
  co_return account_reply(c, *account);
}

task<result<reply>> update_account(call& c) {
  auto const edit = [&c](store::own_account const& current) { return edit_of(c.body.as_object(), current); };
  auto done =
      co_await c.use.stores.accounts.update(c.caller.owner_id, edit, c.expected_versions(), c.actor(), c.until);
  co_await c.use.changes.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  co_return account_reply(c, *done.outcome);
}

task<result<reply>> list_own_sessions(call& c) {
  auto const live = co_await c.use.stores.sessions.list(c.caller.owner_id, c.until);
  auto const asked = c.page();
  auto const total = static_cast<std::int64_t>(live.size());
  auto const first = std::min(asked.offset(), total), end = std::min(first + asked.limit, total);
  co_return page_reply(c, {.total = total}, [&](http::json_text& out) {
    for (auto i = first; i < end; ++i) {
      auto const& each = live[static_cast<std::size_t>(i)];
      out.open_element()
          .member("id", each.id)
          .member("current", each.id == c.caller.token_id)
          .member("method", each.method)
          .member_if("provider", some_text(each.provider))
          .member("createdAt", each.created_at)
          .member("authenticatedAt", each.authenticated_at)
          .member("lastSeenAt", each.last_seen_at)
          .member("expiresAt", each.expires_at)
          .member("ip", each.ip)
          .member("userAgent", each.user_agent)
          .close();
    }
  });
}

task<result<reply>> end_other_sessions(call& c) {
  if (!c.expected_versions().allows(session_version)) co_return errc::precondition_failed;
  auto done = co_await c.use.stores.sessions.end_all(c.caller.owner_id, c.caller.token_id,
                                                     std::string(session_end::ended), c.actor(), c.until);
  co_await c.use.changes.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  c.use.sign_in.count_end(session_end::ended, done.outcome->size());
  co_return reply{.status = 204};
}

task<result<reply>> end_own_session(call& c) {
  if (!c.expected_versions().allows(session_version)) co_return errc::precondition_failed;
  auto done = co_await c.use.stores.sessions.end(c.caller.owner_id, c.path_id(), std::string(session_end::ended),
                                                 c.actor(), c.until);
  co_await c.use.changes.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  c.use.sign_in.count_end(session_end::ended);
  co_return reply{.status = 204};
}

task<result<reply>> list_own_tokens(call& c) {
  auto const found = co_await c.use.stores.accounts.tokens(c.caller.owner_id, c.page(), c.until);
  co_return page_reply(c, found, own_token_json);
}

task<result<reply>> list_own_events(call& c) {
  auto const found = co_await c.use.stores.audit.list_events(c.caller.owner_id, c.page(), c.until);
  co_return page_reply(c, found, audit_json);
}

task<result<reply>> list_own_projects(call& c) {
  auto const found = co_await c.use.stores.accounts.projects(c.caller.owner_id, c.caller.token_id,
                                                             query_text(c, "search"), c.page(), c.until);
  co_return page_reply(c, found, own_project_json);
}

}  // namespace svc::api
