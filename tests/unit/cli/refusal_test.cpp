#include "cli/http/refusal.hpp"
#include "cli/http/transport.hpp"

#include <doctest/doctest.h>
#include <boost/json/value.hpp>

#include <string>
#include <vector>

using namespace svc::cli;

namespace {

std::string const reported = R"({"error":"No such job.","code":"not_found","requestId":"r-1"})";

}  // namespace

TEST_CASE("exit code, code and sentence of an answer") {
  struct row {
    int status;
    std::string body;
    exit_code exit;
    std::string code;
  };
  std::vector<row> const table{
      {400, reported, exit_code::refused, "not_found"},
      {401, reported, exit_code::not_allowed, "not_found"},
      {403, reported, exit_code::not_allowed, "not_found"},
      {404, reported, exit_code::refused, "not_found"},
      {408, reported, exit_code::unreachable, "not_found"},
      {429, reported, exit_code::unreachable, "not_found"},
      {500, reported, exit_code::unreachable, "not_found"},
      {503, reported, exit_code::unreachable, "not_found"},
      {404, "<html>", exit_code::unreachable, "not_the_service"},
      {404, "", exit_code::unreachable, "not_the_service"},
      {404, "[]", exit_code::unreachable, "not_the_service"},
      {404, "{}", exit_code::unreachable, "not_the_service"},
      {401, R"({"error":"no code"})", exit_code::unreachable, "not_the_service"},
      {404, R"({"error":1,"code":2})", exit_code::unreachable, "not_the_service"},
      {404, R"({"error":"a","code":"b","details":7})", exit_code::refused, "b"},
      {404, std::string(100'000, '['), exit_code::unreachable, "not_the_service"},
  };
  for (auto const& each : table) {
    CAPTURE(each.status);
    CAPTURE(each.body.substr(0, 50));
    auto const got = refusal_of({.status = each.status, .body = each.body});
    CHECK(got.exit() == each.exit);
    CHECK(got.code() == each.code);
    CHECK(got.more().at("status") == each.status);
  }
}

TEST_CASE("details and request id are kept, and said") {
  auto const got =
      refusal_of({.status = 400, .body = R"({"error":"Wrong.","code":"validation_failed","requestId":"r-7",
      "details":[{"field":"/name","message":"must be shorter"},{"field":"/x"},7]})"});
  CHECK(std::string(got.what()) == "Wrong.");
  CHECK(got.more().at("requestId") == "r-7");
  CHECK(got.more().at("details").as_array().size() == 3);
  CHECK(got.hint().starts_with("/name must be shorter\n     /x"));
  auto const limited = refusal_of({.status = 429, .fields = {{"retry-after", "9"}}, .body = reported});
  CHECK(limited.hint() == "Try again in 9 s.");
}

TEST_CASE("a refusal names the object, the path or the time instead of fields of HTTP") {
  constexpr auto id = "01934f2e-5555-7d3e-9b1f-5a2c8e4d6f70";
  auto const path = [](std::string const& before, std::string const& after = {}) { return before + id + after; };
  std::string const missing = "There is no such resource in the token's project; check the id.";
  std::string const no_route = "There is no such path; see /openapi/openapi.json.";
  std::string const busy = "The service is busy; retry after the time in Retry-After.";
  struct {
    std::string error, code, target, expected;
    bool has_wait = false;
  } const cases[] = {
      {missing, "not_found", path("/api/jobs/", "/trigger"),
       "There is no job " + path("") + " in the token's project."},
      {missing, "not_found", path(path("/api/monitors/", "/outages/"), "/acknowledge"),
       "There is no outage " + path("") + " of the monitor " + path("") + " in the token's project."},
      {missing, "not_found", path("/api/maintenance-windows/", "/end"),
       "There is no window " + path("") + " in the token's project."},
      {missing, "not_found", path(path("/api/status-pages/", "/incidents/"), "/updates"),
       "There is no incident " + path("") + " of the page " + path("") + " in the token's project."},
      {missing, "not_found", path(path(path("/api/status-pages/", "/incidents/"), "/updates/")),
       "There is no update " + path("") + " of the incident " + path("") + " of the page " + path("") +
           " in the token's project."},
      {missing, "not_found", "/api/jobs/nightly", missing},
      {missing, "not_found", "", missing},
      {"This service does not hand out its client.", "not_found", "/cli/svc-linux-amd64",
       "This service does not hand out its client."},
      {no_route, "route_not_found", "/api/job?limit=1", "The service has no path /api/job. Did you mean /api/jobs?"},
      {no_route, "route_not_found", "/api/jobs/x/y", "The service has no path /api/jobs/x/y."},
      {busy, "overloaded", "/api/jobs", "The service is busy; retry in 3 s.", true},
      {busy, "overloaded", "/api/jobs", "The service is busy; retry later."},
  };
  for (auto const& c : cases) {
    CAPTURE(c.target);
    answer a{.status = 404, .body = R"({"error":")" + c.error + R"(","code":")" + c.code + R"("})"};
    if (c.has_wait) a.fields.emplace_back("retry-after", "3");
    CHECK(refusal_of(a, "SERVICE_TOKEN", c.target).what() == c.expected);
  }
}

TEST_CASE("the hint of a refusal names the credential that was used") {
  struct {
    int status;
    char const* source;
    char const* part;
  } const table[] = {
      {401, "SERVICE_TOKEN", "Check SERVICE_TOKEN"},
      {401, "svc login", "log in again with svc login"},
      {401, "login", "Check the token that you gave to svc login"},
      {401, "SERVICE_TRIGGER_KEY", "Check SERVICE_TRIGGER_KEY: a key triggers only its own job"},
      {403, "SERVICE_TRIGGER_KEY", "Check SERVICE_TRIGGER_KEY"},
      {403, "SERVICE_TOKEN", "svc whoami shows the role"},
  };
  for (auto const& each : table) {
    CAPTURE(std::string(each.source));
    CHECK(refusal_of({.status = each.status, .body = reported}, each.source).hint().find(each.part) !=
          std::string::npos);
  }
}

TEST_CASE("the hint about a credential that was found names the command that lets it in again") {
  struct {
    int status;
    char const* source;
    std::string code;
    char const* hint;
  } const table[] = {
      {401, "SERVICE_TRIGGER_KEY", "token_disabled",
       "svc job keys enable JOB KEY lets it in again, with a CLI token."},
      {401, "SERVICE_TOKEN", "token_disabled", "svc token enable TOKEN lets it in again, with another token."},
      {401, "SERVICE_TRIGGER_KEY", "token_expired",
       "svc job keys create JOB NAME makes another key, with a CLI token."},
      {401, "SERVICE_TRIGGER_KEY", "token_revoked",
       "svc job keys create JOB NAME makes another key, with a CLI token."},
      {403, "SERVICE_TRIGGER_KEY", "address_not_allowed",
       "svc job keys update JOB KEY --allow-from CIDR admits another address, with a CLI token."},
  };
  for (auto const& each : table) {
    CAPTURE(each.code);
    auto const body = R"({"error":"Refused.","code":")" + each.code + R"(","requestId":"r-1"})";
    CHECK(refusal_of({.status = each.status, .body = body}, each.source).hint() == each.hint);
  }
}

TEST_CASE("the shown part of a foreign answer is short and harmless") {
  auto const got =
      refusal_of({.status = 502, .body = "<h1>\r\n\tBad \x1b]0;gateway\a</h1>" + std::string(9999, 'x')});
  std::string const sentence = got.what();
  CHECK(sentence.size() < 400);
  CHECK(sentence.find('\x1b') == std::string::npos);
  CHECK(sentence.find("<h1> Bad ") != std::string::npos);
}

TEST_CASE("bodies: JSON, nothing, or not the service's") {
  CHECK(parsed_body({.status = 200, .body = R"({"a":1})"}).at("a") == 1);
  CHECK(parsed_body({.status = 204}).is_null());
  CHECK_THROWS_AS(parsed_body({.status = 200, .body = "well"}), failure);
  CHECK(is_html({.status = 200, .fields = {{"content-type", "Text/HTML; charset=utf-8"}}}));
  CHECK_FALSE(is_html({.status = 200, .fields = {{"content-type", "application/json"}}}));
}

TEST_CASE("a redirect names only the host") {
  base_url url;
  url.text = "https://ci.example.com";
  url.scheme = "https";
  struct row {
    std::string location, named;
  };
  std::vector<row> const table{{"https://other.example/x?token=s", "https://other.example ("},
                               {"https://user:pass@other.example:1/", "https://other.example:1 ("},
                               {"/login", "https://ci.example.com ("},
                               {"//other.example/x", "https://other.example ("}};
  for (auto const& each : table) {
    CAPTURE(each.location);
    auto const got = redirected({.status = 302, .fields = {{"location", each.location}}}, url);
    CHECK(std::string(got.what()).find("redirects to " + each.named) != std::string::npos);
    CHECK(got.exit() == exit_code::unreachable);
  }
  CHECK(redirected({.status = 302}, url).code() == "redirected");
}

TEST_CASE("another listener of the service keeps its own sentence, and the hint is about the address") {
  std::string const sentence =
      "This is the operator's listener (admin.address). The API is at the addresses of listeners.";
  for (std::string const code : {"route_not_found", "invalid_token"}) {
    CAPTURE(code);
    auto const body = R"({"error":")" + sentence + R"(","code":")" + code + R"(","requestId":"r-1"})";
    auto const got = refusal_of({.status = code == "invalid_token" ? 401 : 404, .body = body}, "SERVICE_TOKEN",
                                "/api/auth/whoami");
    CHECK(std::string(got.what()) == sentence);
    CHECK(got.hint() == "Check the address: --url, SERVICE_URL or svc doctor.");
  }
}

TEST_CASE("a certificate that is not valid is explained with the file of certificates that was used") {
  settings used;
  used.url.host = "ci.example.com";
  used.url.port = "443";
  attempt const last{.content = trouble::certificate, .detail = "self-signed certificate"};
  CHECK(failure_of(last, used, 1, false).hint().find("with --cacert FILE or SERVICE_CACERT") != std::string::npos);
  used.ca_file = "/home/ada/other.pem";
  CHECK(failure_of(last, used, 1, false).hint().find("Only the certificates in /home/ada/other.pem were trusted") !=
        std::string::npos);
}
