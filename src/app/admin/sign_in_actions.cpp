#include "app/admin/actions.hpp"
#include "svc/domain/token.hpp"

#include <algorithm>

namespace svc::app::admin {
namespace {

constexpr std::chrono::hours link_life{24};

/// Creates a link and returns its address. The secret follows `#`, so that browsers send it to no server before
/// the click.
task<result<std::string>> make_link(session& s, uuid user) {
  auto const minted = mint_link_secret();
  bool const returning = co_await s.sign_ins.has_method(user, s.patience());
  auto const made = co_await s.sign_ins.create_link(
      {.user = user, .kind = returning ? "recovery" : "first", .digest = minted.digest, .life = link_life}, s.actor,
      s.patience());
  if (!made) co_return made.error();
  co_return s.public_url + "/app/link#" + std::string(minted.key.reveal());
}

/// Returns the id of the row that `find` finds, otherwise of the row that `make` creates.
task<result<uuid>> found_or_made(task<result<uuid>> find, std::function<task<result<uuid>>()> make, bool& created) {
  auto found = co_await std::move(find);
  if (found || found.error().code != errc::not_found) co_return found;
  created = true;
  co_return co_await make();
}

task<result<uuid>> find_user_id(session& s, std::string email) {
  auto const found = co_await s.directory.find_user(std::move(email), s.patience());
  if (!found) co_return found.error();
  co_return found->id;
}

}  // namespace

task<answer> bootstrap(session& s, arguments a) {
  bool made_user = false, made_organization = false, made_project = false;
  auto const user = co_await found_or_made(
      find_user_id(s, a.email), [&] { return s.directory.create_user(a.email, a.name, s.actor, s.patience()); },
      made_user);
  if (!user) co_return user.error();
  auto const organization = co_await found_or_made(
      s.directory.find_organization(a.organization, s.patience()),
      [&] { return s.directory.create_organization(a.organization, a.organization, s.actor, s.patience()); },
      made_organization);
  if (!organization) co_return organization.error();
  auto const project = co_await found_or_made(
      s.directory.find_project(a.organization + "/" + a.project, s.patience()),
      [&] { return s.directory.create_project(*organization, a.project, a.project, s.actor, s.patience()); },
      made_project);
  if (!project) co_return project.error();
  auto owner = co_await s.directory.set_organization_role(*organization, *user, "org_owner", s.actor, s.patience());
  co_await s.publish(std::move(owner.touched));
  if (!owner.outcome) co_return owner.outcome.error();
  auto const link = co_await make_link(s, *user);
  if (!link) co_return link.error();
  co_return boost::json::value{{"user", user->to_string()},
                               {"organization", organization->to_string()},
                               {"project", project->to_string()},
                               {"createdUser", made_user},
                               {"createdOrganization", made_organization},
                               {"createdProject", made_project},
                               {"link", *link}};
}

task<answer> create_sign_in_link(session& s, arguments a) {
  auto const user = co_await s.directory.find_user(a.user, s.patience());
  if (!user) co_return user.error();
  boost::json::object out{{"user", user->id.to_string()}, {"email", user->email}};
  if (a.reset) {
    auto done = co_await s.sign_ins.reset(user->id, s.actor, s.patience());
    co_await s.publish(std::move(done.touched));
    if (!done.outcome) co_return done.outcome.error();
    out["ended"] = {{"password", done.outcome->password},
                    {"identities", done.outcome->identities},
                    {"sessions", done.outcome->sessions},
                    {"tokens", done.outcome->tokens}};
  }
  auto const link = co_await make_link(s, user->id);
  if (!link) co_return link.error();
  out["link"] = *link;
  co_return boost::json::value(std::move(out));
}

task<answer> list_sessions(session& s, arguments a) {
  auto const user = co_await s.directory.find_user(a.user, s.patience());
  if (!user) co_return user.error();
  boost::json::array rows;
  for (auto const& each : co_await s.sessions.list(user->id, s.patience()))
    rows.push_back({{"id", each.id.to_string()},
                    {"method", each.method},
                    {"provider", each.provider},
                    {"createdAt", to_rfc3339(each.created_at)},
                    {"authenticatedAt", to_rfc3339(each.authenticated_at)},
                    {"lastSeenAt", to_rfc3339(each.last_seen_at)},
                    {"expiresAt", to_rfc3339(each.expires_at)},
                    {"ip", each.ip},
                    {"userAgent", each.user_agent}});
  co_return boost::json::value(std::move(rows));
}

task<answer> end_sessions(session& s, arguments a) {
  auto const user = co_await s.directory.find_user(a.user, s.patience());
  if (!user) co_return user.error();
  auto done =
      co_await s.sessions.end_all(user->id, std::nullopt, std::string(session_end::ended), s.actor, s.patience());
  co_await s.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  co_return boost::json::value{
      {"user", user->id.to_string()}, {"email", user->email}, {"ended", done.outcome->size()}};
}

task<answer> set_sign_in_policy(session& s, arguments a) {
  for (auto const& each : a.providers)
    if (std::ranges::find(s.providers, each) == s.providers.end())
      co_return error(errc::validation_failed,
                      "The configuration has no identity provider \"" + each +
                          "\"; nobody could sign in with it. Name an id of [[sign_in.oidc]].");
  if (a.sign_in == "oidc" && s.providers.empty())
    co_return error(errc::validation_failed,
                    "The configuration has no [[sign_in.oidc]], so nobody could sign in to the organization.");
  auto const organization = co_await s.directory.find_organization(a.organization, s.patience());
  if (!organization) co_return organization.error();
  auto done = co_await s.organizations.set_policy(
      *organization, {.only_oidc = a.sign_in == "oidc", .providers = std::move(a.providers)}, {}, s.actor,
      s.patience());
  co_await s.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  auto policy = boost::json::parse(done.outcome->policy).as_object();
  co_return boost::json::value{
      {"organization", done.outcome->slug}, {"signIn", policy["signIn"]}, {"providers", policy["providers"]}};
}

}  // namespace svc::app::admin
