#include "app/admin/actions.hpp"

namespace svc::app::admin {

namespace {

boost::json::object runner_json(store::stored_runner_token const& t) {
  boost::json::value project, seen;
  if (t.project) project = t.project->to_string();
  if (t.last_seen_at) seen = to_rfc3339(*t.last_seen_at);
  return {{"id", t.id.to_string()},
          {"name", t.name},
          {"start", t.start},
          {"organization", t.organization.to_string()},
          {"project", std::move(project)},
          {"executors", t.runners},
          {"lastSeenAt", std::move(seen)},
          {"createdAt", to_rfc3339(t.created_at)}};
}

}  // namespace

task<answer> create_runner(session& s, arguments a) {
  auto const name = checked_name(a.name, 100, "name");
  if (!name) co_return name.error();
  auto const minted = mint_runner_token();
  store::new_runner_token what{.name = *name, .start = minted.start, .digest = minted.digest};
  auto const place = a.project.empty() ? co_await s.directory.find_organization(a.organization, s.patience())
                                       : co_await s.directory.find_project(a.project, s.patience());
  if (!place) co_return place.error();
  (a.project.empty() ? what.organization : what.project) = *place;
  auto const made = co_await s.runners.create(std::move(what), s.by, s.patience());
  if (!made) co_return made.error();
  auto out = runner_json(*made);
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
  boost::json::array rows;
  for (auto const& one : co_await s.runners.list(organization, s.patience())) rows.push_back(runner_json(one));
  co_return boost::json::value(std::move(rows));
}

task<answer> revoke_runner(session& s, arguments a) {
  error const missing{errc::not_found, "There is no unrevoked runner token with this id."};
  auto const id = uuid::parse(a.id);
  if (!id) co_return missing;
  auto const done = co_await s.runners.revoke(*id, s.by, s.patience());
  if (!done) co_return missing;
  co_return boost::json::value{{"id", id->to_string()}, {"revoked", true}};
}

}  // namespace svc::app::admin
