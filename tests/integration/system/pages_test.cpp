// The dashboard's pages as browsers get them: real TLS, pages of a folder.
#include "extra_instance.hpp"
#include "integration/system/sessions/browser.hpp"
#include "support/metrics_page.hpp"
#include "support/sample_pages.hpp"
#include "svc/core/deadline.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace svc::test {
namespace {

constexpr char const* script = "/app/assets/main-AB12CD34.js";
constexpr char const* of_browser = "text/html,application/xhtml+xml,*/*;q=0.8";

/// An instance that serves the pages of a folder.
struct pages_fixture {
  temporary_directory folder;
  extra_instance instance;

  explicit pages_fixture(std::vector<std::string> environment = {}) : instance(with_pages(std::move(environment))) {}

  std::vector<std::string> with_pages(std::vector<std::string> environment) const {
    support::write_pages(folder.path(), support::sample_pages());
    environment.push_back("SVC_DASHBOARD_DIRECTORY=" + folder.path());
    return environment;
  }
  double metric(std::string const& series, std::string const& part = {}) const {
    return sum_of(instance.pages().get("/metrics").body, series, part);
  }
};

TEST_CASE("a browser gets the pages over TLS, in its encoding and only once") {
  pages_fixture const site;
  auto client = site.instance.client();
  auto const files = support::sample_pages();

  auto const root = client.call("GET", "/", {}, {{"Accept", of_browser}});
  CHECK(root.status == 302);
  auto const index = client.call("GET", root.header("location").value(), {}, {{"Cookie", "svc_theme=dark"}});
  CHECK(index.status == 200);
  CHECK(index.header("content-type") == "text/html; charset=utf-8");
  CHECK(index.header("cache-control") == "no-store");
  CHECK(index.body.find("data-theme=\"dark\"") != std::string::npos);
  auto const start = index.body.find("nonce=\"") + 7;
  auto const nonce = index.body.substr(start, index.body.find('"', start) - start);
  CHECK(index.header("content-security-policy").value().find("'nonce-" + nonce + "'") != std::string::npos);
  CHECK(client.get("/app/").body != index.body);

  struct {
    std::string accepted, coding, path;
  } const forms[] = {{"br, gzip", "br", "assets/main-AB12CD34.js.br"},
                     {"gzip", "gzip", "assets/main-AB12CD34.js.gz"},
                     {"", "", "assets/main-AB12CD34.js"}};
  for (auto const& form : forms) {
    CAPTURE(form.accepted);
    auto const fields = form.accepted.empty() ? header_list{} : header_list{{"Accept-Encoding", form.accepted}};
    auto const got = client.call("GET", script, {}, fields);
    CHECK(got.status == 200);
    CHECK((got.body == files.at(form.path)));
    CHECK(got.header("content-encoding").value_or("") == form.coding);
    CHECK(got.header("vary") == "Accept-Encoding");
    CHECK(got.header("cache-control") == "public, max-age=31536000, immutable");
    auto const head = client.call("HEAD", script, {}, fields);
    CHECK(head.status == 200);
    CHECK(head.number("content-length") == static_cast<long long>(got.body.size()));
    auto known = fields;
    known.emplace_back("If-None-Match", got.header("etag").value());
    auto const unchanged = client.call("GET", script, {}, known);
    CHECK(unchanged.status == 304);
    CHECK(unchanged.body.empty());
  }

  auto const missing = client.get("/app/assets/main-00000000.js");
  CHECK(missing.status == 404);
  CHECK(missing.header("cache-control") == "no-store");
  auto const changed = client.call("POST", "/app/jobs", R"({"a":"b"})");
  CHECK(changed.status == 405);
  CHECK(changed.header("allow") == "GET, HEAD");
  // The connection is as usable as before.
  CHECK(client.get("/livez").status == 200);
  CHECK(site.metric("svc_page_requests_total{", "kind=\"asset\"") == 9);
  CHECK(site.metric("svc_page_requests_total{", "kind=\"missing\"") == 1);
  CHECK(site.metric("http_server_requests_total{", "http_route=\"/app\"") >= 14);
}

TEST_CASE("only hosts that are not the developer's own machine are pinned to TLS") {
  pages_fixture const site;
  auto client = site.instance.client();
  for (auto const* const target : {"/app/", "/app/boot.js", "/livez"}) {
    for (auto const& [host, pinned] : {std::pair{"svc.example", true},
                                       {"127.0.0.1:8443", true},
                                       {"localhost:8443", false},
                                       {"LOCALHOST", false},
                                       {"a.localhost", false}}) {
      CAPTURE(target);
      CAPTURE(host);
      auto const got =
          client.http().raw("GET " + std::string(target) + " HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n");
      CHECK(got.status == 200);
      CHECK(got.header("strict-transport-security").has_value() == pinned);
    }
  }
  // Cookies of other servers on the same machine can make a head too large.
  auto const large = client.http().raw(
      "GET /app/ HTTP/1.1\r\nHost: localhost:8443\r\nCookie: " + std::string(17'000, 'a') + "\r\n\r\n");
  CHECK(large.status == 431);
  CHECK(!large.header("strict-transport-security"));
}

TEST_CASE("pages that were built again are served from then on, and a session sees their name") {
  pages_fixture const site;
  auto& fleet = shared_fleet();
  browser page(fleet, site.instance.client());
  page.sign_in(fleet.make_tenant().user);
  auto const bundle = [&] { return text_of(body_of(page.get("/dashboard/v1/me")), "/bundle"); };
  CHECK(bundle() == "0123456789abcdef");
  auto const old_tag = page.get("/app/boot.js").header("etag").value();

  std::filesystem::remove_all(site.folder.path() + "/assets");
  support::write_pages(site.folder.path(), {{"manifest.json", "an unfinished build"}});
  CHECK(page.get(script).status == 200);
  CHECK(bundle() == "0123456789abcdef");

  support::write_pages(site.folder.path(), support::sample_pages("fedcba9876543210"));
  CHECK(bundle() == "fedcba9876543210");
  CHECK(page.get("/app/boot.js").body == "boot of fedcba9876543210");
  CHECK(page.call("GET", "/app/boot.js", {}, {{"If-None-Match", old_tag}}).status == 200);
}

TEST_CASE("without pages the paths of the dashboard say so, and the root is as before") {
  temporary_directory const empty;
  struct {
    std::string name, variable, sentence;
  } const cases[] = {{"no pages", "SVC_DASHBOARD_DIRECTORY=" + empty.path(), "built without its dashboard"},
                     {"switched off", "SVC_DASHBOARD_ENABLED=false", "dashboard.enabled"}};
  for (auto const& c : cases) {
    CAPTURE(c.name);
    extra_instance const instance({c.variable});
    auto client = instance.client();
    for (auto const* const target : {"/app", "/app/", "/app/jobs", "/app/boot.js", script}) {
      CAPTURE(target);
      auto const got = client.get(target);
      CHECK(got.status == 404);
      CHECK(code_of(got) == "dashboard_not_built");
      CHECK(got.body.find(c.sentence) != std::string::npos);
    }
    auto const root = client.call("GET", "/", {}, {{"Accept", of_browser}});
    CHECK(root.status >= 400);
    CHECK(code_of(root) != "dashboard_not_built");
    browser page(shared_fleet(), instance.client());
    page.sign_in(shared_fleet().make_tenant().user);
    auto const account = page.get("/dashboard/v1/me");
    CHECK(account.status == 200);
    CHECK_FALSE(body_of(account).contains("bundle"));
  }
}

TEST_CASE("pages ask no store, and a flood of them leaves the API its time") {
  pages_fixture const site({"SVC_WORKERS=1"});
  auto api = site.instance.client(shared_fleet().make_tenant().token);
  REQUIRE(api.get("/api/auth/whoami").status == 200);
  std::atomic<int> answered = 0;
  std::atomic<bool> over = false;
  std::vector<std::thread> visitors;
  auto const statements = site.metric("svc_postgres_queries_total"),
             commands = site.metric("svc_redis_commands_total");
  for (auto const* const target : {"/app/acme/web/jobs", "/app/assets/main-00000000.js", script, "/app/boot.js"}) {
    visitors.emplace_back([&, target] {
      auto client = site.instance.client();
      while (!over) answered += client.get(target).status != 0 ? 1 : 0;
    });
  }
  std::chrono::milliseconds slowest{0};
  constexpr int requests = 100, flood = 4000;
  for (int i = 0; i < requests || answered < flood; ++i) {
    auto const start = steady::now();
    CHECK(api.get("/api/auth/whoami").status == 200);
    slowest = std::max(slowest, std::chrono::duration_cast<std::chrono::milliseconds>(steady::now() - start));
  }
  over = true;
  for (auto& each : visitors) each.join();
  MESSAGE(answered.load() << " pages; the slowest request of the API took " << slowest.count() << " ms");
  CHECK(slowest < std::chrono::milliseconds(1000));
  CHECK(site.metric("svc_page_requests_total{") >= flood);
  // The requests of the API and the instance's own loops ask them for something; the pages would be thousands more.
  CHECK(site.metric("svc_postgres_queries_total") - statements < flood / 4);
  CHECK(site.metric("svc_redis_commands_total") - commands < flood);
}

}  // namespace
}  // namespace svc::test
