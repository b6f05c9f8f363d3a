#include "http/public_pages/routes.hpp"
#include "svc/domain/pages/inputs.hpp"

#include <doctest/doctest.h>

namespace svc::public_pages {
namespace {

using outcome = page_route::outcome;

TEST_CASE("which paths of the service are public pages") {
  std::string const id = "01934f2e-a001-7d3e-9b1f-5a2c8e4d6f70", token(32, 'x');
  struct {
    std::string target;
    outcome content;
    page_form form = page_form::status;
    std::string name = "acme";
  } const cases[] = {
      {"/status/acme", outcome::found},
      {"/status/acme/", outcome::found},
      {"/status/acme?utm=1", outcome::found},
      {"/status/acme/history?month=2026-01", outcome::found, page_form::history},
      {"/status/acme/incidents/" + id, outcome::found, page_form::incident},
      {"/status/acme/maintenance/" + id, outcome::found, page_form::maintenance},
      {"/status/acme/logo", outcome::found, page_form::logo},
      {"/status/acme/subscriptions/" + token, outcome::found, page_form::subscription},
      {"/api/status-pages/acme/summary", outcome::found, page_form::summary},
      {"/api/status-pages/acme/rss", outcome::found, page_form::rss},
      {"/api/status-pages/acme/feed.json", outcome::found, page_form::json_feed},
      {"/api/status-pages/acme/ical", outcome::found, page_form::calendar},
      {"/api/status-pages/acme/badge.svg", outcome::found, page_form::badge},
      {"/api/status-pages/acme/subscribe", outcome::found, page_form::subscribe},
      {"/api/status-pages/" + id + "/summary", outcome::found, page_form::summary, id},
      {"/status/acme/incidents", outcome::missing},
      {"/status/acme/incidents/1", outcome::missing, page_form::incident},
      {"/status/acme/subscriptions/" + token + "x", outcome::missing, page_form::subscription},
      {"/status/acme//", outcome::missing},
      {"/status/acme/logo/", outcome::missing},
      {"/status/", outcome::missing, page_form::status, ""},
      {"/status/ab", outcome::missing, page_form::status, ""},
      {"/status/Acme", outcome::missing, page_form::status, ""},
      {"/status/api", outcome::missing, page_form::status, ""},
      {"/status/%61cme", outcome::missing, page_form::status, ""},
      {"/status/" + id, outcome::missing, page_form::status, ""},
      {"/status/../app", outcome::missing, page_form::status, ""},
      {"/api/status-pages/a/rss", outcome::missing, page_form::rss, ""},
      {"/status", outcome::foreign, page_form::status, ""},
      {"/statuses/acme", outcome::foreign, page_form::status, ""},
      {"/api/status-pages", outcome::foreign, page_form::status, ""},
      {"/api/status-pages/" + id, outcome::foreign, page_form::status, ""},
      {"/api/status-pages/" + id + "/components", outcome::foreign, page_form::status, ""},
      {"/api/status-pages/" + id + "/logo", outcome::foreign, page_form::status, ""},
      {"/api/status-pages/" + id + "/rss/", outcome::foreign, page_form::status, ""},
      {"/", outcome::foreign, page_form::status, ""},
      {"", outcome::foreign, page_form::status, ""},
  };
  for (auto const& each : cases) {
    CAPTURE(each.target);
    auto const found = find_service_route(each.target);
    CHECK(found.content == each.content);
    CHECK(found.form == each.form);
    CHECK(found.name.text == each.name);
  }
}

TEST_CASE("a page's own domain has the page at the root and its data next to it") {
  for (auto const& [target, form] : {std::pair{"/", page_form::status},
                                     {"", page_form::status},
                                     {"/history", page_form::history},
                                     {"/summary", page_form::summary},
                                     {"/rss?x", page_form::rss},
                                     {"/badge.svg", page_form::badge},
                                     {"/subscribe", page_form::subscribe}}) {
    CAPTURE(target);
    auto const found = find_domain_route("status.acme.example", target);
    CHECK(found.content == outcome::found);
    CHECK(found.form == form);
    CHECK(found.name == page_name{name_kind::domain, "status.acme.example"});
  }
  for (auto const* const target : {"/api", "/api/jobs", "/app", "/status/acme", "/livez", "*", "/robots.txt"}) {
    CAPTURE(target);
    CHECK(find_domain_route("status.acme.example", target).content == outcome::missing);
  }
}

TEST_CASE("which hosts may be domains of pages") {
  CHECK(domain_of_host("Status.Acme.example:443", "svc.example") == "status.acme.example");
  CHECK(domain_of_host("status.acme.example", "svc.example") == "status.acme.example");
  for (auto const* const host : {"svc.example", "SVC.example:8443", "a.svc.example", "localhost", "127.0.0.1",
                                 "10.0.0.1:80", "[::1]:80", "[2001:db8::1]", "", "a..b", "exa mple.org"}) {
    CAPTURE(host);
    CHECK_FALSE(domain_of_host(host, "svc.example"));
  }
  CHECK(pages::host_of_url("https://svc.example:8443/path") == "svc.example");
  CHECK(pages::host_of_url("http://[::1]:80") == "[::1]");
  CHECK(pages::host_of_url("svc.example") == "svc.example");
}

TEST_CASE("a moved page keeps the rest of the path, but no strange bytes") {
  CHECK(moved_path(find_service_route("/status/old-one/history?month=2026-01"), "acme") ==
        "/status/acme/history?month=2026-01");
  CHECK(moved_path(find_service_route("/api/status-pages/old-one/rss"), "acme") == "/api/status-pages/acme/rss");
  CHECK(moved_path(find_service_route("/status/old-one?a=\x01"), "acme") == "/status/acme");
  CHECK(moved_path(find_service_route("/status/old-one?a=\xc3\xa9"), "acme") == "/status/acme");
}

TEST_CASE("query parameters are found by their names") {
  CHECK(query_value("a=1&month=2026-01&month=2", "month") == "2026-01");
  CHECK(query_value("month", "month") == "");
  CHECK(query_value("months=1&=2&&", "month") == std::nullopt);
  CHECK(query_value("", "month") == std::nullopt);
}

}  // namespace
}  // namespace svc::public_pages
