// The contract of the dashboard's pages, by itself and with the public one.
#include "svc/http/contract.hpp"

#include <doctest/doctest.h>

#include <boost/json.hpp>

#include <algorithm>

using namespace svc;
using namespace svc::http;
namespace json = boost::json;

namespace {

std::shared_ptr<contract const> dashboard() {
  static auto const loaded = contract::load(embedded::dashboard_json);
  return loaded;
}

}  // namespace

TEST_CASE("each operation of the dashboard has its scope, and only public ones take no session") {
  struct {
    char const* id;
    char const* method;
    char const* path;
    session_scope_kind scope;
    bool takes_session, fresh, own_pages;
  } const expected[] = {
      {"get_account", "GET", "/dashboard/v1/me", session_scope_kind::user, true, false, false},
      {"update_account", "PATCH", "/dashboard/v1/me", session_scope_kind::user, true, false, false},
      {"list_own_sessions", "GET", "/dashboard/v1/me/sessions", session_scope_kind::user, true, false, false},
      {"end_other_sessions", "DELETE", "/dashboard/v1/me/sessions", session_scope_kind::user, true, true, false},
      {"end_own_session", "DELETE", "/dashboard/v1/me/sessions/{id}", session_scope_kind::user, true, true, false},
      {"preview_sign_in_link", "POST", "/dashboard/v1/sign-in/link/preview", session_scope_kind::project, false,
       false, true},
      {"sign_in_by_link", "POST", "/dashboard/v1/sign-in/link", session_scope_kind::project, false, false, true},
      {"set_own_password", "PUT", "/dashboard/v1/me/password", session_scope_kind::user, true, true, false},
      {"refresh_session", "POST", "/dashboard/v1/me/fresh", session_scope_kind::user, true, false, false},
      {"sign_in_by_password", "POST", "/dashboard/v1/sign-in/password", session_scope_kind::project, false, false,
       true},
      {"recover_account", "POST", "/dashboard/v1/sign-in/recovery", session_scope_kind::project, false, false, true},
      {"get_sign_in_methods", "GET", "/dashboard/v1/sign-in/methods", session_scope_kind::project, false, false,
       false},
      {"start_oidc_sign_in", "POST", "/dashboard/v1/sign-in/oidc/{provider}/start", session_scope_kind::project,
       false, false, true},
      // The provider's redirect comes from another site.
      {"finish_oidc_sign_in", "GET", "/dashboard/v1/sign-in/oidc/{provider}/callback", session_scope_kind::project,
       false, false, false},
      {"start_fresh_oidc_sign_in", "POST", "/dashboard/v1/me/fresh/oidc", session_scope_kind::user, true, false,
       false},
      {"sign_out", "POST", "/dashboard/v1/sign-out", session_scope_kind::user, true, false, false},
      {"list_own_tokens", "GET", "/dashboard/v1/me/tokens", session_scope_kind::user, true, false, false},
      {"list_own_events", "GET", "/dashboard/v1/me/events", session_scope_kind::user, true, false, false},
      {"list_own_projects", "GET", "/dashboard/v1/projects", session_scope_kind::user, true, false, false},
      {"list_organization_projects", "GET", "/dashboard/v1/organizations/{organizationId}/projects",
       session_scope_kind::organization, true, false, false},
      {"create_project", "POST", "/dashboard/v1/organizations/{organizationId}/projects",
       session_scope_kind::organization, true, false, false},
      {"archive_project", "POST", "/dashboard/v1/organizations/{organizationId}/projects/{projectId}/archive",
       session_scope_kind::organization, true, true, false},
      {"restore_project", "POST", "/dashboard/v1/organizations/{organizationId}/projects/{projectId}/restore",
       session_scope_kind::organization, true, false, false},
      {"get_project", "GET", "/dashboard/v1/project", session_scope_kind::project, true, false, false},
      {"stream_events", "GET", "/dashboard/v1/events", session_scope_kind::project, true, false, false},
      {"update_project", "PATCH", "/dashboard/v1/project", session_scope_kind::project, true, false, false},
      {"list_project_members", "GET", "/dashboard/v1/project/members", session_scope_kind::project, true, false,
       false},
      {"set_project_member", "PUT", "/dashboard/v1/project/members/{userId}", session_scope_kind::project, true, true,
       false},
      {"remove_project_member", "DELETE", "/dashboard/v1/project/members/{userId}", session_scope_kind::project, true,
       true, false},
      {"get_organization", "GET", "/dashboard/v1/organizations/{organizationId}", session_scope_kind::organization,
       true, false, false},
      {"update_organization", "PATCH", "/dashboard/v1/organizations/{organizationId}",
       session_scope_kind::organization, true, false, false},
      {"set_sign_in_policy", "PUT", "/dashboard/v1/organizations/{organizationId}/sign-in-policy",
       session_scope_kind::organization, true, true, false},
      {"list_organization_audit", "GET", "/dashboard/v1/organizations/{organizationId}/audit",
       session_scope_kind::organization, true, false, false},
      {"list_organization_members", "GET", "/dashboard/v1/organizations/{organizationId}/members",
       session_scope_kind::organization, true, false, false},
      {"update_organization_member", "PATCH", "/dashboard/v1/organizations/{organizationId}/members/{userId}",
       session_scope_kind::organization, true, false, false},
      {"remove_organization_member", "DELETE", "/dashboard/v1/organizations/{organizationId}/members/{userId}",
       session_scope_kind::organization, true, true, false},
      {"list_member_impact", "GET", "/dashboard/v1/organizations/{organizationId}/members/{userId}/impact",
       session_scope_kind::organization, true, false, false},
      {"list_invitations", "GET", "/dashboard/v1/organizations/{organizationId}/invitations",
       session_scope_kind::organization, true, false, false},
      {"create_invitation", "POST", "/dashboard/v1/organizations/{organizationId}/invitations",
       session_scope_kind::organization, true, true, false},
      {"revoke_invitation", "DELETE", "/dashboard/v1/organizations/{organizationId}/invitations/{id}",
       session_scope_kind::organization, true, false, false},
      {"renew_invitation", "POST", "/dashboard/v1/organizations/{organizationId}/invitations/{id}/renew",
       session_scope_kind::organization, true, true, false},
      {"accept_invitation", "POST", "/dashboard/v1/invitations/accept", session_scope_kind::user, true, false, false},
      {"preview_invitation", "POST", "/dashboard/v1/sign-in/invitation/preview", session_scope_kind::project, false,
       false, true},
      {"sign_in_by_invitation", "POST", "/dashboard/v1/sign-in/invitation", session_scope_kind::project, false, false,
       true},
      {"list_organization_runner_tokens", "GET", "/dashboard/v1/organizations/{organizationId}/runner-tokens",
       session_scope_kind::organization, true, false, false},
      {"create_organization_runner_token", "POST", "/dashboard/v1/organizations/{organizationId}/runner-tokens",
       session_scope_kind::organization, true, true, false},
      {"revoke_organization_runner_token", "DELETE",
       "/dashboard/v1/organizations/{organizationId}/runner-tokens/{id}", session_scope_kind::organization, true,
       false, false},
      {"list_organization_runners", "GET", "/dashboard/v1/organizations/{organizationId}/runners",
       session_scope_kind::organization, true, false, false},
      {"list_project_runner_tokens", "GET", "/dashboard/v1/project/runner-tokens", session_scope_kind::project, true,
       false, false},
      {"create_project_runner_token", "POST", "/dashboard/v1/project/runner-tokens", session_scope_kind::project,
       true, true, false},
      {"revoke_project_runner_token", "DELETE", "/dashboard/v1/project/runner-tokens/{id}",
       session_scope_kind::project, true, false, false},
      {"get_overview", "GET", "/dashboard/v1/overview", session_scope_kind::project, true, false, false},
      {"get_monitor_bars", "GET", "/dashboard/v1/monitors/bars", session_scope_kind::project, true, false, false},
      {"list_project_outages", "GET", "/dashboard/v1/outages", session_scope_kind::project, true, false, false},
      {"list_project_runners", "GET", "/dashboard/v1/project/runners", session_scope_kind::project, true, false,
       false},
      {"locate_resource", "GET", "/dashboard/v1/locate", session_scope_kind::user, true, false, false},
      {"preview_schedule", "GET", "/dashboard/v1/schedule-preview", session_scope_kind::project, true, false, false},
      {"explain_waiting_run", "GET", "/dashboard/v1/runs/{id}/waiting", session_scope_kind::project, true, false,
       false},
      {"list_limits", "GET", "/dashboard/v1/limits", session_scope_kind::project, true, false, false},
  };
  CHECK(dashboard()->operations().size() == std::size(expected));
  for (auto const& e : expected) {
    CAPTURE(e.id);
    auto const& all = dashboard()->operations();
    auto const found = std::ranges::find(all, e.id, &operation::id);
    REQUIRE(found != all.end());
    CHECK(found->method == e.method);
    CHECK(found->path == e.path);
    CHECK(found->takes_session == e.takes_session);
    CHECK(found->only_session == e.takes_session);
    if (e.takes_session) CHECK(found->scope == e.scope);
    CHECK(found->fresh == e.fresh);
    CHECK(found->own_pages == e.own_pages);
    CHECK(found->token_kinds.empty() != e.takes_session);
  }
}

TEST_CASE("several documents are one contract, with positions over all of them") {
  auto const both = contract::load({embedded::openapi_json, embedded::dashboard_json});
  auto const alone = contract::load(embedded::openapi_json);
  CHECK(both->operations().size() == alone->operations().size() + dashboard()->operations().size());
  for (std::size_t i = 0; i < both->operations().size(); ++i) CHECK(both->operations()[i].index == i);
  CHECK(both->find("POST", {"dashboard", "v1", "sign-out"}).found->id == "sign_out");
  CHECK(both->find("GET", {"api", "jobs"}).found->id == "list_jobs");

  auto const validator = body_validator::make(both);
  auto const& link = *both->find("POST", {"dashboard", "v1", "sign-in", "link"}).found;
  CHECK(validator->check(link, json::parse(R"({"token":"t"})")).has_value());
  CHECK(validator->check(link, json::parse(R"({"token":1})")).has_error());
  CHECK(validator->check_schema("CreateJob", json::parse("{}"), "").has_error());
  CHECK(validator->check_schema("LinkSecret", json::parse(R"({"token":"t"})"), "").has_value());
}

TEST_CASE("documents that contradict each other, or scopes that nothing enforces, are refused") {
  CHECK_THROWS_AS(contract::load({embedded::dashboard_json, embedded::dashboard_json}), std::runtime_error);
  auto other = json::parse(embedded::openapi_json);
  other.at("components").at("schemas").at("Error").as_object()["description"] = "Another one.";
  CHECK_THROWS_AS(contract::load({json::serialize(other), embedded::dashboard_json}), std::runtime_error);

  struct {
    char const* name;
    void (*spoil)(json::object&);
  } const cases[] = {
      {"unknown scope", [](json::object& op) { op["x-scope"] = "galaxy"; }},
      {"organization without its id", [](json::object& op) { op["x-scope"] = "organization"; }},
      {"permission of a user", [](json::object& op) { op["x-permission"] = "job:view"; }},
      {"fresh for nobody",
       [](json::object& op) {
         op["x-fresh"] = true;
         op["x-token-kinds"] = json::array();
         op["security"] = json::array();
       }},
      {"scope of a bearer token", [](json::object& op) { op["x-token-kinds"] = json::array{"cli", "session"}; }},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto document = json::parse(embedded::dashboard_json);
    c.spoil(document.at("paths").at("/dashboard/v1/me").at("get").as_object());
    CHECK_THROWS_AS(contract::load(json::serialize(document)), std::runtime_error);
  }
}
