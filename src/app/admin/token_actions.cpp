#include "app/admin/actions.hpp"
#include "svc/domain/display_text.hpp"

namespace svc::app::admin {

namespace {

using slug_map = std::map<uuid, std::string>;

boost::json::value slug_or_null(std::optional<uuid> const& id, slug_map const& slugs) {
  auto const found = id ? slugs.find(*id) : slugs.end();
  return found == slugs.end() ? boost::json::value() : boost::json::value(found->second);
}

boost::json::object runner_json(store::stored_runner_token const& t, slug_map const& slugs) {
  boost::json::value project, seen;
  if (t.project) project = t.project->to_string();
  if (t.last_seen_at) seen = to_rfc3339(*t.last_seen_at);
  return {{"id", t.id.to_string()},
          {"name", t.name},
          {"start", t.start},
          {"organization", t.organization.to_string()},
          {"project", std::move(project)},
          {"organizationSlug", slug_or_null(t.organization, slugs)},
          {"projectSlug", slug_or_null(t.project, slugs)},
          {"runners", t.runners},
          {"lastSeenAt", std::move(seen)},
          {"createdAt", to_rfc3339(t.created_at)}};
}

}  // namespace

task<answer> create_runner(session& s, arguments a) {
  auto const name = checked_name(a.name, "name");
  if (!name) co_return name.error();
  auto const minted = mint_runner_token();
  store::new_runner_token token{.name = *name, .start = minted.start, .digest = minted.digest};
  auto const scope = a.project.empty() ? co_await s.directory.find_organization(a.organization, s.patience())
                                       : co_await s.directory.find_project(a.project, s.patience());
  if (!scope) co_return scope.error();
  (a.project.empty() ? token.organization : token.project) = *scope;
  auto const made = co_await s.runners.create(std::move(token), s.actor, s.patience());
  if (!made) co_return made.error();
  std::vector<uuid> ids{made->organization};
  if (made->project) ids.push_back(*made->project);
  auto out = runner_json(*made, co_await s.listing.slugs(std::move(ids), s.patience()));
  out["key"] = minted.key.reveal();
  co_return boost::json::value(std::move(out));
}

task<answer> list_runners(session& s, arguments a) {
  std::optional<uuid> organization;
  if (!a.organization.empty()) {
    auto const found = co_await s.directory.find_organization(a.organization, s.patience());
    if (!found) co_return found.error();
    organization = *found;
  }
  auto const found = co_await s.runners.list(organization, s.patience());
  std::vector<uuid> ids;
  for (auto const& token : found) {
    ids.push_back(token.organization);
    if (token.project) ids.push_back(*token.project);
  }
  auto const slugs = co_await s.listing.slugs(std::move(ids), s.patience());
  boost::json::array rows;
  for (auto const& token : found) rows.push_back(runner_json(token, slugs));
  co_return boost::json::value(std::move(rows));
}

namespace {

error no_id(std::string const& subject, std::string const& text) {
  return {errc::validation_failed, "'" + text + "' is not the id of a " + subject + "."};
}

}  // namespace

task<answer> revoke_runner(session& s, arguments a) {
  error const missing{errc::not_found,
                      "There is no unrevoked runner token with this id; svcd admin list-runners shows ids."};
  auto const id = uuid::parse(a.id);
  if (!id) {
    auto unknown = no_id("runner token", a.id);
    unknown.message += " svcd admin list-runners shows ids.";
    co_return unknown;
  }
  auto const done = co_await s.runners.revoke(*id, s.actor, s.patience());
  if (!done) co_return missing;
  co_return boost::json::value{{"id", id->to_string()}, {"revoked", true}};
}

namespace {

/// More than a project or job can hold, so one page shows all.
constexpr page_request all_tokens{1, 100};
constexpr std::uint32_t default_window = 60;

boost::json::value time_or_null(std::optional<timestamp> const& t) {
  if (!t) return nullptr;
  return boost::json::value(to_rfc3339(*t));
}

boost::json::object token_json(store::stored_token const& t) {
  return {{"id", t.id.to_string()},
          {"kind", to_string(t.kind)},
          {"name", t.name},
          {"start", t.start},
          {"owner", t.owner_name},
          {"enabled", t.enabled},
          {"expiresAt", time_or_null(t.expires_at)},
          {"createdAt", to_rfc3339(t.created_at)}};
}

/// Mints, stores and announces a token. The answer holds the secret, which cannot be read again later.
task<answer> create(session& s, arguments a, token_kind kind, store::token_scope scope) {
  auto const owner = co_await s.directory.find_user(a.user, s.patience());
  if (!owner) co_return owner.error();
  auto const name = checked_name(a.name, "name");
  if (!name) co_return name.error();
  minted_token const minted = mint_token(kind);
  store::new_token token{.kind = kind,
                         .scope = scope,
                         .owner = owner->id,
                         .name = *name,
                         .start = minted.start,
                         .digest = minted.digest,
                         .expires_in = a.expires_in,
                         .expires_at = parse_rfc3339(a.expires_at)};
  if (a.limit) token.rate = window_limit{*a.limit, a.window.value_or(default_window)};
  auto const made = co_await s.tokens.create(std::move(token), s.actor, s.patience());
  if (!made.outcome && made.outcome.error().code == errc::owner_removed)
    co_return error(errc::owner_removed, a.user +
                                             " is not a member of the organization: svcd admin add-member "
                                             "--organization ORG --user " +
                                             a.user + " --role org_member");
  if (!made.outcome) co_return made.outcome.error();
  co_await s.announce({minted.digest});
  boost::json::object out = token_json(*made.outcome);
  out["key"] = minted.key.reveal();
  co_return boost::json::value(std::move(out));
}

task<answer> list(session& s, store::token_scope scope) {
  auto const found = co_await s.tokens.list(scope, all_tokens, s.patience());
  if (!found) co_return found.error();
  // Publishes first, so that everything shown is in force, as in the API's lists.
  co_await s.publish(co_await s.tokens.epochs_of(scope, s.patience()));
  boost::json::array rows;
  for (store::stored_token const& t : found->rows) rows.push_back(token_json(t));
  co_return boost::json::value(std::move(rows));
}

task<answer> revoke(session& s, arguments a, bool trigger_key) {
  std::string const subject = trigger_key ? "trigger key" : "token";
  auto const id = uuid::parse(a.id);
  if (!id) co_return no_id(subject, a.id);
  auto const scope = co_await s.tokens.scope_of(*id, s.patience());
  error const missing{errc::not_found, "There is no unrevoked " + subject + " with this id."};
  if (!scope || scope->job.has_value() != trigger_key) co_return missing;
  store::token_editor const editor{.actor = s.actor, .as = role::org_owner};
  auto done = co_await s.tokens.revoke(*scope, *id, editor, s.patience());
  co_await s.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error().code == errc::not_found ? missing : done.outcome.error();
  co_return boost::json::value{{"id", id->to_string()}, {"revoked", true}};
}

task<result<store::token_scope>> find_keys(session& s, std::string text) {
  auto const job = uuid::parse(text);
  if (!job) co_return no_id("job", text);
  auto const scope = co_await s.tokens.keys_of(*job, s.patience());
  if (!scope) co_return error(errc::not_found, "There is no job with this id.");
  co_return *scope;
}

}  // namespace

task<answer> create_token(session& s, arguments a) {
  auto const project = co_await s.directory.find_project(a.project, s.patience());
  if (!project) co_return project.error();
  token_kind const kind = a.kind == "test" ? token_kind::test : token_kind::cli;
  co_return co_await create(s, std::move(a), kind, {*project});
}

task<answer> list_tokens(session& s, arguments a) {
  auto const project = co_await s.directory.find_project(a.project, s.patience());
  if (!project) co_return project.error();
  co_return co_await list(s, {*project});
}

task<answer> revoke_token(session& s, arguments a) {
  return revoke(s, std::move(a), false);
}

task<answer> create_trigger_key(session& s, arguments a) {
  auto const scope = co_await find_keys(s, a.job);
  if (!scope) co_return scope.error();
  co_return co_await create(s, std::move(a), token_kind::trigger, *scope);
}

task<answer> list_trigger_keys(session& s, arguments a) {
  auto const scope = co_await find_keys(s, a.job);
  if (!scope) co_return scope.error();
  co_return co_await list(s, *scope);
}

task<answer> revoke_trigger_key(session& s, arguments a) {
  return revoke(s, std::move(a), true);
}

}  // namespace svc::app::admin
