#include "svc/http/contract.hpp"
#include "unit/http/shipped_contract.hpp"

#include "svc/http/error_table.hpp"

#include <doctest/doctest.h>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <string>
#include <string_view>

namespace svc::http {
namespace {

namespace json = boost::json;

struct operation_case {
  std::string_view id, method, path, permission, rate_class;
  std::size_t body_limit;
  unsigned success;
};

constexpr std::size_t mib = 1 << 20;

operation_case const expected[] = {
    {"list_cli_tokens", "GET", "/api/cli-tokens", "token:view", "cli", 0, 200},
    {"create_cli_token", "POST", "/api/cli-tokens", "token:create", "cli", mib, 201},
    {"get_cli_token", "GET", "/api/cli-tokens/{id}", "token:view", "cli", 0, 200},
    {"update_cli_token", "PATCH", "/api/cli-tokens/{id}", "", "cli", mib, 200},
    {"delete_cli_token", "DELETE", "/api/cli-tokens/{id}", "", "cli", 0, 204},
    {"rotate_cli_token", "POST", "/api/cli-tokens/{id}/rotate", "token:update", "cli", mib, 201},
    {"whoami", "GET", "/api/auth/whoami", "", "cli", 0, 200},
    {"list_jobs", "GET", "/api/jobs", "job:view", "cli", 0, 200},
    {"create_job", "POST", "/api/jobs", "job:create", "cli", mib, 201},
    {"get_job", "GET", "/api/jobs/{id}", "job:view", "cli", 0, 200},
    {"update_job", "PATCH", "/api/jobs/{id}", "job:update", "cli", mib, 200},
    {"delete_job", "DELETE", "/api/jobs/{id}", "job:delete", "cli", 0, 204},
    {"get_job_trigger", "GET", "/api/jobs/{id}/trigger", "job:view", "cli", 0, 200},
    {"trigger_job", "POST", "/api/jobs/{id}/trigger", "job:trigger", "trigger", 65536, 202},
    {"list_trigger_keys", "GET", "/api/jobs/{id}/trigger-keys", "token:view", "cli", 0, 200},
    {"create_trigger_key", "POST", "/api/jobs/{id}/trigger-keys", "token:create", "cli", mib, 201},
    {"update_trigger_key", "PATCH", "/api/jobs/{id}/trigger-keys/{keyId}", "", "cli", mib, 200},
    {"delete_trigger_key", "DELETE", "/api/jobs/{id}/trigger-keys/{keyId}", "", "cli", 0, 204},
    {"rotate_trigger_key", "POST", "/api/jobs/{id}/trigger-keys/{keyId}/rotate", "token:update", "cli", mib, 201},
    {"list_tests", "GET", "/api/tests", "test:view", "cli", 0, 200},
    {"create_test", "POST", "/api/tests", "test:create", "cli", 11 * mib, 201},
    {"get_test", "GET", "/api/tests/{id}", "test:view", "cli", 0, 200},
    {"update_test", "PATCH", "/api/tests/{id}", "test:update", "cli", 11 * mib, 200},
    {"delete_test", "DELETE", "/api/tests/{id}", "test:delete", "cli", 0, 204},
    {"list_runs", "GET", "/api/runs", "run:view", "cli", 0, 200},
    {"get_run", "GET", "/api/runs/{id}", "run:view", "cli", 0, 200},
    {"get_run_status", "GET", "/api/runs/{id}/status", "run:view", "cli", 0, 200},
    {"stream_run", "GET", "/api/runs/{id}/stream", "run:view", "cli", 0, 200},
    {"get_run_output", "GET", "/api/runs/{id}/output", "run:view", "cli", 0, 200},
    {"cancel_run", "POST", "/api/runs/{id}/cancel", "run:cancel", "cli", 0, 202},
    {"delete_run", "DELETE", "/api/runs/{id}", "run:delete", "cli", 0, 204},
    {"rerun_run", "POST", "/api/runs/{id}/rerun", "job:trigger", "cli", 0, 202},
    {"execute_test", "POST", "/api/tests/{id}/execute", "job:trigger", "cli", 0, 202},
    {"get_test_tags", "GET", "/api/tests/{id}/tags", "test:view", "cli", 0, 200},
    {"put_test_tags", "PUT", "/api/tests/{id}/tags", "test:update", "cli", mib, 200},
    {"list_tags", "GET", "/api/tags", "tag:view", "cli", 0, 200},
    {"create_tag", "POST", "/api/tags", "tag:create", "cli", mib, 201},
    {"get_tag", "GET", "/api/tags/{id}", "tag:view", "cli", 0, 200},
    {"update_tag", "PATCH", "/api/tags/{id}", "tag:update", "cli", mib, 200},
    {"delete_tag", "DELETE", "/api/tags/{id}", "tag:delete", "cli", 0, 204},
    {"list_variables", "GET", "/api/variables", "variable:view", "cli", 0, 200},
    {"create_variable", "POST", "/api/variables", "variable:create", "cli", mib, 201},
    {"get_variable", "GET", "/api/variables/{id}", "variable:view", "cli", 0, 200},
    {"update_variable", "PATCH", "/api/variables/{id}", "variable:update", "cli", mib, 200},
    {"delete_variable", "DELETE", "/api/variables/{id}", "variable:delete", "cli", 0, 204},
    {"list_monitors", "GET", "/api/monitors", "monitor:view", "cli", 0, 200},
    {"create_monitor", "POST", "/api/monitors", "monitor:create", "cli", mib, 201},
    {"get_monitor", "GET", "/api/monitors/{id}", "monitor:view", "cli", 0, 200},
    {"update_monitor", "PATCH", "/api/monitors/{id}", "monitor:update", "cli", mib, 200},
    {"delete_monitor", "DELETE", "/api/monitors/{id}", "monitor:delete", "cli", 0, 204},
    {"restore_monitor", "POST", "/api/monitors/{id}/restore", "monitor:create", "cli", 0, 200},
    {"pause_monitor", "POST", "/api/monitors/{id}/pause", "monitor:update", "cli", 0, 200},
    {"test_monitor", "POST", "/api/monitors/test", "monitor:create", "probe", mib, 200},
    {"check_monitor", "POST", "/api/monitors/{id}/check", "monitor:update", "probe", 0, 202},
    {"rotate_heartbeat_key", "POST", "/api/monitors/{id}/rotate-key", "monitor:update", "cli", 65536, 200},
    {"resume_monitor", "POST", "/api/monitors/{id}/resume", "monitor:update", "cli", 0, 200},
    {"list_monitor_results", "GET", "/api/monitors/{id}/results", "monitor:view", "cli", 0, 200},
    {"get_monitor_stats", "GET", "/api/monitors/{id}/stats", "monitor:view", "cli", 0, 200},
    {"get_monitor_series", "GET", "/api/monitors/{id}/series", "monitor:view", "cli", 0, 200},
    {"list_outages", "GET", "/api/monitors/{id}/outages", "monitor:view", "cli", 0, 200},
    {"acknowledge_outage", "POST", "/api/monitors/{id}/outages/{outageId}/acknowledge", "monitor:update", "cli", 0,
     200},
    {"get_monitor_tags", "GET", "/api/monitors/{id}/tags", "monitor:view", "cli", 0, 200},
    {"replace_monitor_tags", "PUT", "/api/monitors/{id}/tags", "monitor:update", "cli", 65536, 200},
    {"start_monitor_maintenance", "POST", "/api/monitors/{id}/maintenance", "monitor:update", "cli", 65536, 201},
    {"list_maintenance_windows", "GET", "/api/maintenance-windows", "monitor:view", "cli", 0, 200},
    {"create_maintenance_window", "POST", "/api/maintenance-windows", "monitor:create", "cli", 65536, 201},
    {"get_maintenance_window", "GET", "/api/maintenance-windows/{id}", "monitor:view", "cli", 0, 200},
    {"update_maintenance_window", "PATCH", "/api/maintenance-windows/{id}", "monitor:update", "cli", 65536, 200},
    {"delete_maintenance_window", "DELETE", "/api/maintenance-windows/{id}", "monitor:delete", "cli", 0, 204},
    {"end_maintenance_window", "POST", "/api/maintenance-windows/{id}/end", "monitor:update", "cli", 0, 200},
    {"list_incidents", "GET", "/api/status-pages/{id}/incidents", "status_page:view", "cli", 0, 200},
    {"create_incident", "POST", "/api/status-pages/{id}/incidents", "status_page:update", "cli", 65536, 201},
    {"get_incident", "GET", "/api/status-pages/{id}/incidents/{incidentId}", "status_page:view", "cli", 0, 200},
    {"update_incident", "PATCH", "/api/status-pages/{id}/incidents/{incidentId}", "status_page:update", "cli", 65536,
     200},
    {"delete_incident", "DELETE", "/api/status-pages/{id}/incidents/{incidentId}", "status_page:delete", "cli", 0,
     204},
    {"list_incident_updates", "GET", "/api/status-pages/{id}/incidents/{incidentId}/updates", "status_page:view",
     "cli", 0, 200},
    {"create_incident_update", "POST", "/api/status-pages/{id}/incidents/{incidentId}/updates", "status_page:update",
     "cli", 65536, 201},
    {"update_incident_update", "PATCH", "/api/status-pages/{id}/incidents/{incidentId}/updates/{updateId}",
     "status_page:update", "cli", 65536, 200},
    {"list_components", "GET", "/api/status-pages/{id}/components", "status_page:view", "cli", 0, 200},
    {"create_component", "POST", "/api/status-pages/{id}/components", "status_page:update", "cli", 65536, 201},
    {"get_component", "GET", "/api/status-pages/{id}/components/{componentId}", "status_page:view", "cli", 0, 200},
    {"update_component", "PATCH", "/api/status-pages/{id}/components/{componentId}", "status_page:update", "cli",
     65536, 200},
    {"delete_component", "DELETE", "/api/status-pages/{id}/components/{componentId}", "status_page:update", "cli", 0,
     204},
    {"list_status_pages", "GET", "/api/status-pages", "status_page:view", "cli", 0, 200},
    {"create_status_page", "POST", "/api/status-pages", "status_page:create", "cli", 65536, 201},
    {"get_status_page", "GET", "/api/status-pages/{id}", "status_page:view", "cli", 0, 200},
    {"update_status_page", "PATCH", "/api/status-pages/{id}", "status_page:update", "cli", 65536, 200},
    {"delete_status_page", "DELETE", "/api/status-pages/{id}", "status_page:delete", "cli", 0, 204},
    {"set_status_page_logo", "PUT", "/api/status-pages/{id}/logo", "status_page:update", "cli", 409600, 200},
    {"delete_status_page_logo", "DELETE", "/api/status-pages/{id}/logo", "status_page:update", "cli", 0, 204},
    {"verify_status_page_domain", "POST", "/api/status-pages/{id}/verify-domain", "status_page:update", "probe", 0,
     200},
    {"list_subscribers", "GET", "/api/status-pages/{id}/subscribers", "status_page:update", "cli", 0, 200},
    {"delete_subscriber", "DELETE", "/api/status-pages/{id}/subscribers/{subscriberId}", "status_page:update", "cli",
     0, 204},
    {"list_window_updates", "GET", "/api/maintenance-windows/{id}/updates", "status_page:view", "cli", 0, 200},
    {"create_window_update", "POST", "/api/maintenance-windows/{id}/updates", "status_page:update", "cli", 65536,
     201},
    {"update_window_update", "PATCH", "/api/maintenance-windows/{id}/updates/{updateId}", "status_page:update", "cli",
     65536, 200},
    {"list_locations", "GET", "/api/locations", "monitor:view", "cli", 0, 200},
    {"list_alerts", "GET", "/api/alerts", "monitor:view", "cli", 0, 200},
    {"list_alert_history", "GET", "/api/alerts/history", "monitor:view", "cli", 0, 200},
    {"get_alert", "GET", "/api/alerts/{id}", "monitor:view", "cli", 0, 200},
    {"retry_alert", "POST", "/api/alerts/{id}/retry", "notification:update", "cli", 0, 202},
    {"get_usage", "GET", "/api/usage", "job:view", "cli", 0, 200},
    {"list_audit", "GET", "/api/audit", "audit:view", "cli", 0, 200},
    {"list_notification_providers", "GET", "/api/notification-providers", "notification:view", "cli", 0, 200},
    {"create_notification_provider", "POST", "/api/notification-providers", "notification:create", "cli", mib, 201},
    {"get_notification_provider", "GET", "/api/notification-providers/{id}", "notification:view", "cli", 0, 200},
    {"update_notification_provider", "PATCH", "/api/notification-providers/{id}", "notification:update", "cli", mib,
     200},
    {"replace_notification_provider", "PUT", "/api/notification-providers/{id}", "notification:update", "cli", mib,
     200},
    {"get_notification_provider_usage", "GET", "/api/notification-providers/{id}/usage", "notification:view", "cli",
     0, 200},
    {"test_notification_provider", "POST", "/api/notification-providers/{id}/test", "notification:update", "probe", 0,
     200},
    {"test_unsaved_notification_provider", "POST", "/api/notification-providers/test", "notification:update", "probe",
     mib, 200},
    {"delete_notification_provider", "DELETE", "/api/notification-providers/{id}", "notification:delete", "cli", 0,
     204},
    {"beat", "GET", "/api/heartbeats/{key}", "", "heartbeat", 0, 200},
    {"post_beat", "POST", "/api/heartbeats/{key}", "", "heartbeat", 102'400, 200},
    {"signal_beat", "GET", "/api/heartbeats/{key}/{signal}", "", "heartbeat", 0, 200},
    {"post_signal_beat", "POST", "/api/heartbeats/{key}/{signal}", "", "heartbeat", 102'400, 200},
    {"get_client_file", "GET", "/cli/{file}", "", "download", 0, 200},
    {"get_health", "GET", "/api/health", "", "health", 0, 200},
    {"get_livez", "GET", "/livez", "", "none", 0, 200},
    {"get_readyz", "GET", "/readyz", "", "none", 0, 200},
    {"get_openapi_json", "GET", "/openapi/openapi.json", "", "feed", 0, 200},
    {"get_openapi_yaml", "GET", "/openapi/openapi.yaml", "", "feed", 0, 200},
};

TEST_CASE("the shipped contract contains exactly these operations") {
  for (auto const& op : shipped()->operations()) {
    CAPTURE(op.id);
    CHECK(std::ranges::find(expected, op.id, &operation_case::id) != std::end(expected));
  }
  for (auto const& e : expected) {
    CAPTURE(e.id);
    auto const& op = named(e.id);
    CHECK(op.method == e.method);
    CHECK(op.path == e.path);
    CHECK(op.permission == e.permission);
    CHECK(op.rate_class == e.rate_class);
    CHECK(op.body_limit == e.body_limit);
    CHECK(op.success == e.success);
    CHECK(embedded::openapi_yaml.find("operationId: " + op.id + "\n") != std::string_view::npos);
  }
}

TEST_CASE("the consequences of an operation's keys") {
  for (auto const& op : shipped()->operations()) {
    CAPTURE(op.id);
    auto const fails_with = [&](std::string_view code) {
      return std::find(op.errors.begin(), op.errors.end(), code) != op.errors.end();
    };
    bool const with_token = !op.token_kinds.empty();
    CHECK(op.lenient_query == !with_token);
    bool const makes_runs = op.id == "trigger_job" || op.id == "rerun_run" || op.id == "execute_test";
    CHECK(op.accepts_idempotency == makes_runs);
    bool const ping = op.rate_class == "heartbeat";
    CHECK(op.any_media == (ping && op.body_limit > 0));
    bool const optional = op.id == "trigger_job" || op.id.starts_with("rotate_") || ping;
    CHECK(op.body_required == (op.body_limit > 0 && !optional));
    CHECK(fails_with("token_required") == with_token);
    CHECK(fails_with("validation_failed") == (with_token || op.path.find('{') != std::string::npos));
    CHECK(fails_with("rate_limited") == (op.rate_class != "none"));
    CHECK(fails_with("idempotency_not_supported") == !op.accepts_idempotency);
    CHECK(fails_with("malformed_json") == (op.body_limit > 0 && !ping));
    CHECK(fails_with("unsupported_content_coding") == (op.body_limit > 0));
    CHECK(fails_with("body_too_large"));
    bool const changes = op.method == "PATCH" || op.method == "PUT" || op.method == "DELETE";
    bool const switches = op.id == "pause_monitor" || op.id == "resume_monitor" || op.id == "restore_monitor" ||
                          op.id == "rotate_heartbeat_key" || op.id == "end_maintenance_window";
    CHECK(fails_with("precondition_failed") == (changes || switches || op.conditional));
    CHECK(fails_with("not_found") == (op.path.find('{') != std::string::npos));
    bool const for_keys = std::ranges::find(op.token_kinds, "trigger") != op.token_kinds.end();
    CHECK(fails_with("wrong_token_kind") == (with_token && !for_keys));
    bool const by_session = with_token && op.id != "whoami";
    CHECK(op.takes_session == by_session);
    CHECK_FALSE(op.only_session);
    CHECK(op.scope == session_scope_kind::project);
    for (char const* code : {"session_invalid", "session_ended", "cross_site_request", "project_required"})
      CHECK(fails_with(code) == by_session);
    CHECK_FALSE(fails_with("session_required"));
    bool const mints = op.id == "create_cli_token" || op.id == "rotate_cli_token" || op.id == "create_trigger_key" ||
                       op.id == "rotate_trigger_key";
    CHECK(op.fresh == mints);
    CHECK(fails_with("fresh_sign_in_required") == mints);
    auto const& common = shipped()->common_errors();
    for (auto const& code : op.errors) {
      // Two Authorization fields are malformed, too, which only an operation with a token can report.
      if (code != "malformed_request") CHECK(std::find(common.begin(), common.end(), code) == common.end());
    }
  }
}

TEST_CASE("every error that the service knows is named") {
  auto const runners = contract::load(embedded::internal_json);
  auto const pages = contract::load(embedded::dashboard_json);
  // Errors of the dashboard's pages, which are not operations.
  constexpr errc of_pages[] = {errc::dashboard_not_built, errc::feeds_disabled};
  for (std::uint16_t i = 0; i < errc_count; ++i) {
    auto const& row = row_of(static_cast<errc>(i));
    CAPTURE(row.name);
    auto const names = [&](std::vector<std::string> const& list) {
      return std::find(list.begin(), list.end(), row.name) != list.end();
    };
    auto const somewhere = [&](contract const& contract) {
      return std::ranges::any_of(contract.operations(), [&](auto const& op) { return names(op.errors); });
    };
    bool const named =
        names(shipped()->common_errors()) || somewhere(*shipped()) || somewhere(*runners) || somewhere(*pages);
    bool const is_of_page = std::ranges::find(of_pages, row.code) != std::end(of_pages);
    CHECK(named != is_of_page);
  }
}

TEST_CASE("examples are valid and every request body has one") {
  auto const document = json::parse(embedded::openapi_json);
  auto const& components = document.at("components");
  auto const validator = body_validator::make(shipped());
  for (auto const& [name, schema] : components.at("schemas").as_object()) {
    CAPTURE(std::string(name));
    auto const* const examples = schema.as_object().if_contains("examples");
    if (name.starts_with("Create") || name.starts_with("Update") || name == "TriggerJob") {
      bool const variant = name.ends_with("Provider") || (name.ends_with("Monitor") && name != "CreateMonitor");
      CHECK((examples != nullptr || variant));
    }
    if (examples == nullptr) continue;
    CHECK(!examples->as_array().empty());
    for (auto const& example : examples->as_array()) {
      auto const checked = validator->check_schema(name, example, {});
      CHECK((checked.has_error() ? checked.error().details.front().field : "ok") == "ok");
    }
  }
  for (auto const& [name, example] : components.at("examples").as_object()) {
    CHECK(validator->check_schema("Error", example.at("value"), {}).has_value());
  }
}

TEST_CASE("the contract routes") {
  auto const found = shipped()->find("HEAD", {"api", "jobs", "01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f70"});
  REQUIRE(found.found != nullptr);
  CHECK(found.found->id == "get_job");
  CHECK(found.head);
  auto const bad = shipped()->find("GET", {"api", "jobs", "42"});
  REQUIRE(bad.bad_parameter.has_value());
  CHECK(bad.bad_parameter->details.front().field == "id");
  CHECK(bad.bad_parameter->details.front().message == "must be a UUID");
}

TEST_CASE("an operation that another module serves is described, but not routed") {
  for (auto const* name : {"summary", "rss", "feed.json", "ical", "badge.svg", "subscribe"}) {
    CAPTURE(name);
    CHECK(embedded::openapi_yaml.find(std::string("/api/status-pages/{name}/") + name + ":") !=
          std::string_view::npos);
    auto const found = shipped()->find("GET", {"api", "status-pages", "acme", name});
    CHECK(found.found == nullptr);
    CHECK(found.allowed.empty());
  }
}

struct query_case {
  std::string_view name, operation;
  std::vector<std::pair<std::string, std::string>> query;
  std::string expected;  ///< "name=value" of all parameters, or "! name: message" of all faults
};

std::string outcome(result<parameter_list> const& checked) {
  std::string text;
  if (checked.has_error()) {
    CHECK(checked.error().code == errc::validation_failed);
    for (auto const& [field, message] : checked.error().details) text += "! " + field + ": " + message + "\n";
  } else {
    for (auto const& [name, value] : *checked) text += name + "=" + value + "\n";
  }
  return text;
}

TEST_CASE("queries") {
  std::string const id = "01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f70";
  query_case const cases[] = {
      {"defaults", "list_cli_tokens", {}, "page=1\nlimit=20\n"},
      {"lowest", "list_cli_tokens", {{"page", "1"}, {"limit", "1"}}, "page=1\nlimit=1\n"},
      {"highest", "list_cli_tokens", {{"limit", "100"}}, "page=1\nlimit=100\n"},
      {"zero and too many",
       "list_cli_tokens",
       {{"page", "0"}, {"limit", "101"}},
       "! page: must be from 1 to 1000000\n! limit: must be from 1 to 100\n"},
      {"negative", "list_cli_tokens", {{"limit", "-1"}}, "! limit: must be from 1 to 100\n"},
      {"huge", "list_cli_tokens", {{"limit", "99999999999999999999"}}, "! limit: must be from 1 to 100\n"},
      {"plus sign", "list_cli_tokens", {{"limit", "+5"}}, "! limit: must be an integer\n"},
      {"leading zero", "list_cli_tokens", {{"limit", "05"}}, "! limit: must be an integer\n"},
      {"space", "list_cli_tokens", {{"limit", " 5"}}, "! limit: must be an integer\n"},
      {"fraction", "list_cli_tokens", {{"limit", "5.0"}}, "! limit: must be an integer\n"},
      {"empty", "list_cli_tokens", {{"limit", ""}}, "! limit: must be an integer\n"},
      {"twice", "list_cli_tokens", {{"page", "1"}, {"page", "1"}}, "! page: must be given once\n"},
      {"unknown", "list_cli_tokens", {{"x", "1"}}, "! x: is unknown; known are: page, limit, cursor\n"},
      {"names are case-sensitive",
       "list_cli_tokens",
       {{"Page", "1"}},
       "! Page: is unknown; known are: page, limit, cursor\n"},
      {"no parameters at all", "whoami", {{"x", ""}}, "! x: is unknown; this operation takes no query parameters\n"},
      {"public and lenient", "get_health", {{"x", "1"}, {"x", "2"}}, ""},
      {"boolean default", "get_test", {}, "includeScript=false\n"},
      {"boolean", "get_test", {{"includeScript", "true"}}, "includeScript=true\n"},
      {"no boolean", "get_test", {{"includeScript", "1"}}, "! includeScript: must be true or false\n"},
      {"enum",
       "list_jobs",
       {{"sort", "-name"}, {"status", "passed"}},
       "page=1\nlimit=20\nstatus=passed\nsort=-name\n"},
      {"no enum value",
       "list_jobs",
       {{"sort", "id"}},
       "! sort: must be one of: -createdAt, createdAt, name, -name\n"},
      {"text", "list_tests", {{"search", "ä%"}}, "page=1\nlimit=20\nsearch=ä%\n"},
      {"state and monitor",
       "list_maintenance_windows",
       {{"state", "active"}, {"monitorId", id}},
       "page=1\nlimit=20\nstate=active\nmonitorId=" + id + "\n"},
      {"no state of a window",
       "list_maintenance_windows",
       {{"state", "over"}},
       "! state: must be one of: scheduled, active, finished\n"},
      {"status of pages",
       "list_status_pages",
       {{"status", "archived"}, {"search", "acme"}},
       "page=1\nlimit=20\nstatus=archived\nsearch=acme\n"},
      {"no status of an incident",
       "list_incidents",
       {{"status", "scheduled"}},
       "! status: must be one of: investigating, identified, monitoring, resolved\n"},
      {"empty text", "list_tests", {{"search", ""}}, "! search: must have 1 to 255 characters\n"},
      {"uuid and time",
       "list_runs",
       {{"jobId", id}, {"from", "2026-11-20T10:11:12Z"}},
       "page=1\nlimit=20\njobId=" + id + "\nfrom=2026-11-20T10:11:12Z\n"},
      {"no uuid, no time",
       "list_runs",
       {{"jobId", "1"}, {"to", "today"}},
       "! jobId: must be a UUID\n! to: must be an RFC 3339 timestamp such as 2026-11-20T10:11:12.345Z\n"},
      {"header parameters are no query",
       "get_job",
       {{"If-None-Match", "x"}},
       "! If-None-Match: is unknown; this operation takes no query parameters\n"},
      {"long unknown name",
       "whoami",
       {{std::string(5000, 'x'), ""}},
       "! " + std::string(128, 'x') + "...: is unknown; this operation takes no query parameters\n"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(outcome(shipped()->check_query(named(c.operation), c.query)) == c.expected);
  }
}

}  // namespace
}  // namespace svc::http
