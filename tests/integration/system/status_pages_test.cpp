// Public status pages over real TLS, next to the API and the dashboard on the same listener.
#include "integration/system/extra_instance.hpp"
#include "integration/system/sessions/browser.hpp"
#include "integration/system/stored_page.hpp"
#include "support/comes_true.hpp"
#include "support/metrics_page.hpp"

#include <doctest/doctest.h>

#include <chrono>

namespace svc::test {
namespace {

constexpr std::chrono::seconds shown_within{2};

std::string fresh_slug() {
  auto id = uuid::generate_v7().to_string();
  return "p" + id.substr(24) + id.substr(9, 4);
}

void change(stored_page const& page, std::string const& columns) {
  shared_fleet().sql("UPDATE status_pages SET " + columns + ", shown_version = shown_version + 1 WHERE id = '" +
                     page.id + "'");
}

answer get_at(api_client client, std::string const& host, std::string const& path) {
  return client.http().raw("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
}

TEST_CASE("a page is public without a token, also for HEAD, and its data for pages of other origins") {
  auto& fleet = shared_fleet();
  stored_page const page(fleet, fleet.make_tenant(), fresh_slug());
  auto client = fleet.client(0);
  for (auto const& path : page.paths()) {
    CAPTURE(path);
    auto const got = client.call("GET", path, {}, {{"Accept-Encoding", "gzip"}});
    CHECK(got.status == 200);
    CHECK(got.header("x-request-id").has_value());
    CHECK_FALSE(got.header("set-cookie").has_value());
    CHECK(got.header("access-control-allow-origin").has_value() == path.starts_with("/api/"));
    auto const head = client.call("HEAD", path, {}, {{"Accept-Encoding", "gzip"}});
    CHECK(head.status == 200);
    CHECK(head.body.empty());
    CHECK(head.number("content-length") == static_cast<long long>(got.body.size()));
    auto const same = client.call("GET", path, {}, {{"If-None-Match", got.header("etag").value()}});
    CHECK(same.status == 304);
  }
  CHECK(client.call("DELETE", "/status/" + page.slug).status == 405);
  CHECK(client.get("/livez").status == 200);
}

TEST_CASE("only members of the project see its page for members") {
  auto& fleet = shared_fleet();
  auto const owner = fleet.make_tenant();
  auto const stranger = fleet.make_tenant();
  stored_page const page(fleet, owner, fresh_slug());
  change(page, "visibility = 'members'");
  auto const path = "/status/" + page.slug;
  CHECK(comes_true([&] { return fleet.client(0).get(path).status == 404; }, shown_within));
  browser member(fleet), other(fleet);
  member.sign_in(owner.user);
  other.sign_in(stranger.user);
  auto const got = member.get(path);
  CHECK(got.status == 200);
  CHECK(got.header("cache-control") == "private, no-store");
  CHECK(got.header("content-security-policy").value().find("allow-scripts") == std::string::npos);
  CHECK(other.get(path).status == 404);
  // A page of another site cannot have the member's browser read it.
  auto const foreign = member.navigate(path);
  CHECK(foreign.status == 404);
  // Links inside the page look the same, so a page without texts of tenants asks again with the cookie.
  CHECK(foreign.header("refresh") == "0; url=" + path + "?again");
  CHECK(member.get(path + "?again").status == 200);
  auto const data = member.get("/api/status-pages/" + page.slug + "/summary");
  CHECK(data.status == 200);
  CHECK_FALSE(data.header("access-control-allow-origin").has_value());
}

TEST_CASE("a verified domain shows its page only, and an unverified one nothing of it") {
  auto& fleet = shared_fleet();
  stored_page const page(fleet, fleet.make_tenant(), fresh_slug());
  auto const domain = page.slug + ".example";
  change(page, "custom_domain = '" + domain + "'");
  // Such a host is one of the API, which asks for a token first.
  CHECK(get_at(fleet.client(0), domain, "/history").status == 401);
  change(page, "domain_verified_at = now()");
  // A host without a page is believed for five seconds, then asked for in the background.
  CHECK(comes_true([&] { return get_at(fleet.client(0), domain, "/").status == 200; }, std::chrono::seconds(12),
                   std::chrono::milliseconds(200)));
  auto const shown = get_at(fleet.client(0), domain, "/");
  CHECK(shown.body.find("https://" + domain + "/history") != std::string::npos);
  for (auto const* const foreign : {"/api/auth/whoami", "/app/", "/livez", "/openapi/openapi.json"}) {
    CAPTURE(foreign);
    CHECK(get_at(fleet.client(0), domain, foreign).status == 404);
  }
}

TEST_CASE("drafts, archived and deleted pages are 404, and so are pages of archived projects") {
  auto& fleet = shared_fleet();
  auto const owner = fleet.make_tenant();
  stored_page const page(fleet, owner, fresh_slug());
  auto const path = "/status/" + page.slug;
  auto const becomes = [&](int status) {
    return comes_true([&] { return fleet.client(1).get(path).status == status; }, shown_within,
                      std::chrono::milliseconds(100));
  };
  CHECK(becomes(200));
  for (auto const* const state : {"draft", "archived"}) {
    change(page, "status = '" + std::string(state) + "'");
    CHECK(becomes(404));
    change(page, "status = 'published'");
    // A miss is believed for five seconds.
    CHECK(comes_true([&] { return fleet.client(1).get(path).status == 200; }, std::chrono::seconds(12),
                     std::chrono::milliseconds(200)));
  }
  change(page, "deleted_at = now()");
  CHECK(becomes(404));
}

TEST_CASE("an address has its requests for pages, counted without Redis, and the API stays reachable") {
  extra_instance const instance({"SVC_LIMITS_PAGE_LIMIT=20", "SVC_WORKERS=1"});
  auto& fleet = shared_fleet();
  auto const owner = fleet.make_tenant();
  stored_page const page(fleet, owner, fresh_slug());
  auto client = instance.client(owner.token);
  int refused = 0;
  for (int i = 0; i < 40; ++i) refused += client.get("/status/" + page.slug).status == 429 ? 1 : 0;
  CHECK(refused == 20);
  CHECK(client.get("/api/auth/whoami").status == 200);
  CHECK(sum_of(instance.pages().get("/metrics").body, "svc_page_requests_total{", "source=\"limited\"") == 20);
  CHECK(sum_of(instance.pages().get("/metrics").body, "http_server_requests_total{", "http_route=\"/status\"") == 40);
}

}  // namespace
}  // namespace svc::test
