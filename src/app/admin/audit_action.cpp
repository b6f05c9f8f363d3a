#include "app/admin/actions.hpp"

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

boost::json::object row_json(store::audit_row const& row) {
  audit_entry const& e = row.what;
  boost::system::error_code ignored;
  return {{"createdAt", to_rfc3339(row.created_at)},
          {"action", e.action},
          {"actor", e.actor.name},
          {"actorId", id_or_null(e.actor.user)},
          {"tokenId", id_or_null(e.actor.token)},
          {"resource", e.resource},
          {"resourceId", id_or_null(e.resource_id)},
          {"project", id_or_null(e.project)},
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
  boost::json::array rows;
  for (store::audit_row const& row : found.rows) rows.push_back(row_json(row));
  co_return boost::json::value{{"total", found.total}, {"page", a.page}, {"rows", std::move(rows)}};
}

}  // namespace svc::app::admin
