// Runners and their tokens, of an organisation or of the project of the call.
#include "api/call_options.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/domain/display_text.hpp"
#include "svc/domain/token.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {
namespace {

/// A runner token has no versions: only its revocation changes it.
constexpr std::int64_t runner_token_version = 1;

void project_of_runner_json(http::json_text& out, std::optional<store::named_thing> const& project) {
  if (!project) {
    out.member("project", std::optional<std::string>());
    return;
  }
  out.open("project").member("id", project->id).member("slug", project->slug).member("name", project->name).close();
}

void runner_token_json(http::json_text& out, store::shown_runner_token const& token) {
  out.member("id", token.id).member("name", token.name).member("start", token.start);
  project_of_runner_json(out, token.project);
  out.member("runners", token.runners).passing_member("lastSeenAt", token.last_seen_at);
  if (token.creator)
    out.open("createdBy").member("id", token.creator->id).member("name", token.creator->name).close();
  else
    out.member("createdBy", std::optional<std::string>());
  out.member("createdAt", token.created_at);
}

void runner_json(http::json_text& out, store::shown_runner const& runner) {
  out.member("id", runner.id)
      .member("name", runner.name)
      .member("version", runner.version)
      .stored_member("labels", runner.labels)
      .member("slots", runner.slots)
      .member("busy", runner.busy)
      .open("token")
      .member("id", runner.token.id)
      .member("name", runner.token.name)
      .close();
  project_of_runner_json(out, runner.project);
  out.member("registeredAt", runner.created_at).passing_member("lastSeenAt", runner.last_seen_at);
}

store::runner_scope of_organization(call const& c) {
  return {.organization = c.caller.organization_id};
}

store::runner_scope of_project(call const& c) {
  return {.organization = c.caller.organization_id, .project = c.caller.project_id};
}

task<result<reply>> runner_tokens_page(call& c, store::runner_scope scope) {
  auto const found = co_await c.use.stores.organization_runners.tokens(scope, c.page(), c.until);
  co_return page_reply(c, found, runner_token_json);
}

task<result<reply>> runners_page(call& c, store::runner_scope scope) {
  auto const found = co_await c.use.stores.organization_runners.runners(scope, c.page(), c.until);
  co_return page_reply(c, found, runner_json);
}

task<result<reply>> new_runner_token(call& c, store::runner_scope scope) {
  auto name = checked_name(c.member("name")->as_string());
  if (!name) co_return name.error();
  auto const minted = mint_runner_token();
  auto const made = co_await c.use.stores.organization_runners.create(scope, std::move(*name), minted.start,
                                                                      minted.digest, c.actor(), c.until);
  if (!made) co_return made.error();
  http::json_text out;
  runner_token_json(out, *made);
  out.member("key", minted.key.reveal());
  reply answer{.status = 201, .text = out.take()};
  answer.secret = true;
  co_return answer;
}

task<result<reply>> end_runner_token(call& c, store::runner_scope scope) {
  if (!c.expected_versions().allows(runner_token_version)) co_return errc::precondition_failed;
  auto const done = co_await c.use.stores.organization_runners.revoke(scope, c.path_id(), c.actor(), c.until);
  if (!done) co_return done.error();
  co_return reply{.status = 204};
}

}  // namespace

task<result<reply>> list_organization_runner_tokens(call& c) {
  return runner_tokens_page(c, of_organization(c));
}

task<result<reply>> create_organization_runner_token(call& c) {
  return new_runner_token(c, of_organization(c));
}

task<result<reply>> revoke_organization_runner_token(call& c) {
  return end_runner_token(c, of_organization(c));
}

task<result<reply>> list_organization_runners(call& c) {
  return runners_page(c, of_organization(c));
}

task<result<reply>> list_project_runner_tokens(call& c) {
  return runner_tokens_page(c, of_project(c));
}

task<result<reply>> create_project_runner_token(call& c) {
  return new_runner_token(c, of_project(c));
}

task<result<reply>> revoke_project_runner_token(call& c) {
  return end_runner_token(c, of_project(c));
}

task<result<reply>> list_project_runners(call& c) {
  return runners_page(c, of_project(c));
}

}  // namespace svc::api
