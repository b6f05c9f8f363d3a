// Finds the project of a resource by the resource's id.
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/store/accounts/account_store.hpp"

#include <array>

namespace svc::store {
namespace {

// $1 user, $2 session, $3 id. Each resource is found by its key. LIMIT 1 keeps the plan and opens one partition of
// runs.
consteval auto place_sql(auto const& resource, auto const& parent, auto const& condition) {
  return sql(
      "SELECT o.slug, p.slug, om.role, coalesce(pm.role, ''), coalesce((SELECT policy_met(o.sign_in_policy,"
      " s.method, s.provider) FROM sessions s WHERE s.id = $2), false), x.parent FROM (SELECT project_id, ",
      parent, " AS parent FROM ", resource, " WHERE id = $3 ", condition,
      " LIMIT 1) x JOIN projects p ON p.id = x.project_id AND p.archived_at IS NULL"
      " JOIN organizations o ON o.id = p.organization_id"
      " JOIN organization_members om ON om.organization_id = o.id AND om.user_id = $1"
      " LEFT JOIN project_members pm ON pm.project_id = p.id AND pm.user_id = $1");
}
constexpr auto no_parent = sql("NULL::uuid");
constexpr auto place_of_monitor_sql = place_sql("monitors", no_parent, "");
constexpr auto place_of_outage_sql = place_sql("outages", "monitor_id", "");
constexpr auto place_of_alert_sql = place_sql("alerts", no_parent, "");
constexpr auto place_of_job_sql = place_sql("jobs", no_parent, "AND deleted_at IS NULL");
constexpr auto place_of_run_sql = place_sql("run_history", no_parent, "");
constexpr auto place_of_test_sql = place_sql("tests", no_parent, "");
constexpr auto place_of_provider_sql = place_sql("notification_providers", no_parent, "");
constexpr auto place_of_status_page_sql = place_sql("status_pages", no_parent, "AND deleted_at IS NULL");

/// In the order of `page_resource`.
constexpr std::array<postgres::statement, 8> places{{
    {"place_of_monitor", place_of_monitor_sql},
    {"place_of_outage", place_of_outage_sql},
    {"place_of_alert", place_of_alert_sql},
    {"place_of_job", place_of_job_sql},
    {"place_of_run", place_of_run_sql},
    {"place_of_test", place_of_test_sql},
    {"place_of_provider", place_of_provider_sql},
    {"place_of_status_page", place_of_status_page_sql},
}};

}  // namespace

task<std::optional<resource_place>> account_store::locate(uuid user, uuid session, page_resource type, uuid id,
                                                          deadline until) {
  postgres::query ask{places[static_cast<std::size_t>(type)], postgres::parameters(user, session, id)};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  if (found.empty()) co_return std::nullopt;
  auto const r = found.front();
  resource_place out{.organization = std::string(r.text(0)),
                     .project = std::string(r.text(1)),
                     .user_role = effective_role(r.text(2), r.text(3)),
                     .policy_met = r.boolean(4),
                     .parent = r.maybe_id(5)};
  if (out.user_role == role::none) co_return std::nullopt;
  co_return out;
}

}  // namespace svc::store
