// The contract of the dashboard's pages, alone and with the public one.
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
      {"sign_out", "POST", "/dashboard/v1/sign-out", session_scope_kind::user, true, false, false},
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
