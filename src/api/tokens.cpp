#include "api/replies.hpp"
#include "api/resources.hpp"
#include "api/token_changes.hpp"
#include "svc/access/epoch_publisher.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/http/json.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {

void token_json(http::json_text& out, store::stored_token const& t) {
  out.member("id", t.id)
      .member("name", t.name)
      .member("start", t.start)
      .member("enabled", t.enabled)
      .member_if("expiresAt", t.expires_at)
      .member("createdAt", t.created_at)
      .member("updatedAt", t.updated_at)
      .passing_member("lastUsedAt", t.last_used_at)
      .passing_member("lastUsedIp", t.last_used_ip)
      .open("createdBy")
      .member("id", t.created_by)
      .member("name", t.created_by_name)
      .close();
  if (t.previous)
    out.open("previous").member("start", t.previous->start).member("expiresAt", t.previous->expires_at).close();
}

task<result<reply>> create_cli_token(call& c) {
  auto asked = read_new_token(c, token_kind::cli, {c.caller.project_id});
  if (!asked) co_return asked.error();
  auto const made = co_await create_token(c, std::move(*asked));
  if (!made) co_return made.error();
  reply out = keyed_reply(c, *made, "token", token_json);
  out.fields.emplace_back("Location", location_of(c.use.public_url, "/api/cli-tokens/" + made->token.id.to_string()));
  co_return out;
}

task<result<reply>> list_cli_tokens(call& c) {
  store::token_scope const scope{c.caller.project_id};
  auto const found = co_await c.use.stores.tokens.list(scope, c.page(), c.until);
  if (!found) co_return found.error();
  // No client learns of a change before Redis knows it.
  co_await c.use.changes.publish(co_await c.use.stores.tokens.epochs_of(scope, c.until));
  co_return page_reply(c, *found, token_json);
}

task<result<reply>> get_cli_token(call& c) {
  auto found = co_await c.use.stores.tokens.get({c.caller.project_id}, c.path_id(), c.until);
  // The answer reveals changes, and so does a 404 for a tombstone: no client learns of one before Redis knows it.
  if (!found.touched.empty()) co_await c.use.changes.publish(std::move(found.touched));
  if (!found.outcome) co_return found.outcome.error();
  co_return shown_reply(c, *found.outcome, token_json);
}

task<result<reply>> update_cli_token(call& c) {
  auto edit = read_edit(c);
  if (!edit) co_return edit.error();
  auto editor = editor_of(c, permission::token_update, only_disables(*edit));
  if (!editor) co_return editor.error();
  auto done = co_await c.use.stores.tokens.update({c.caller.project_id}, c.path_id(), std::move(*edit),
                                                  std::move(*editor), c.until);
  // This applies also after a refusal or an edit that changes nothing, because both may reveal somebody else's
  // change.
  co_await c.use.changes.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  co_return changed_reply(c, *done.outcome, "token", token_json);
}

task<result<reply>> delete_cli_token(call& c) {
  auto editor = editor_of(c, permission::token_delete, true);
  if (!editor) co_return editor.error();
  auto done = co_await c.use.stores.tokens.revoke({c.caller.project_id}, c.path_id(), std::move(*editor), c.until);
  // Also after a 404: a repeated DELETE reveals the first one.
  co_await c.use.changes.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  co_return reply{.status = 204};
}

task<result<reply>> rotate_cli_token(call& c) {
  auto const made = co_await rotate_token(c, {c.caller.project_id}, c.path_id());
  if (!made) co_return made.error();
  co_return keyed_reply(c, *made, "token", token_json);
}

/// The confirmed record gives the answer, without SQL.
task<result<reply>> whoami(call& c) {
  principal const& caller = c.caller;
  auto const& cli = c.use.limits.cli;
  http::json_text out;
  out.member("id", caller.token_id)
      .member("kind", to_string(caller.kind))
      .member("name", caller.token_name)
      .open("project")
      .member("id", caller.project_id)
      .member("slug", caller.project_slug)
      .close()
      .open("organization")
      .member("id", caller.organization_id)
      .member("slug", caller.organization_slug)
      .close()
      .open("user")
      .member("id", caller.owner_id)
      .member("name", caller.owner_name)
      .close()
      .member("role", to_string(caller.owner_role))
      .member_if("expiresAt", caller.expires_at)
      .open("limits")
      .member("limit", cli.limit)
      .member("windowSeconds", cli.seconds)
      .close();
  co_return reply{.text = out.take()};
}

}  // namespace svc::api
