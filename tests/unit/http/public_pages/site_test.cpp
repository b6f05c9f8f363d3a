#include "fixture.hpp"

#include <thread>

namespace svc::public_pages {
namespace {

constexpr std::string_view everybody = "public, max-age=30, stale-while-revalidate=60, stale-if-error=300";

struct form_case {
  std::string path, type;
  bool html;
};

std::vector<form_case> all_forms() {
  auto const incident = numbered(20).to_string(), maintenance = numbered(30).to_string();
  return {{"/status/acme", "text/html; charset=utf-8", true},
          {"/status/acme/history", "text/html; charset=utf-8", true},
          {"/status/acme/history?month=2026-01", "text/html; charset=utf-8", true},
          {"/status/acme/incidents/" + incident, "text/html; charset=utf-8", true},
          {"/status/acme/maintenance/" + maintenance, "text/html; charset=utf-8", true},
          {"/api/status-pages/acme/summary", "application/json", false},
          {"/api/status-pages/" + numbered(1).to_string() + "/summary", "application/json", false},
          {"/api/status-pages/acme/rss", "application/rss+xml; charset=utf-8", false},
          {"/api/status-pages/acme/feed.json", "application/feed+json", false},
          {"/api/status-pages/acme/ical", "text/calendar; charset=utf-8", false},
          {"/api/status-pages/acme/badge.svg", "image/svg+xml", false}};
}

TEST_CASE("each form of a page has its type, its caching and its rules for other origins") {
  site_fixture site;
  for (auto const& each : all_forms()) {
    CAPTURE(each.path);
    auto const got = site.get(each.path);
    CHECK(got.status == 200);
    CHECK(got.content_type == each.type);
    CHECK_FALSE(got.content().empty());
    CHECK(field_of(got, "Cache-Control") == everybody);
    CHECK(field_of(got, "X-Content-Type-Options") == "nosniff");
    CHECK(field_of(got, "X-Request-Id") == "request-1");
    CHECK_FALSE(field_of(got, "ETag").empty());
    CHECK_FALSE(field_of(got, "Last-Modified").empty());
    CHECK(field_of(got, "Access-Control-Allow-Origin") == (each.html ? "" : "*"));
    bool const sandboxed =
        field_of(got, "Content-Security-Policy").find("sandbox allow-forms allow-scripts") != std::string::npos;
    CHECK(sandboxed == each.html);
    CHECK(field_of(got, "Content-Security-Policy").find("allow-same-origin") == std::string::npos);
    CHECK(field_of(got, "Set-Cookie").empty());
  }
}

TEST_CASE("restricted pages are for their addresses, and no other origin may read them") {
  site_fixture site;
  site.acme().snapshot.page.visible = pages::visibility::restricted;
  site.acme().allowed = {*cidr::parse("192.0.2.0/24")};
  for (auto const& each : all_forms()) {
    CAPTURE(each.path);
    auto const got = site.get(each.path);
    CHECK(got.status == 200);
    CHECK(field_of(got, "Cache-Control") == "private, no-store");
    CHECK(field_of(got, "Access-Control-Allow-Origin").empty());
    CHECK(field_of(got, "Cross-Origin-Resource-Policy") == "same-origin");
    CHECK(field_of(got, "Content-Security-Policy").find("allow-scripts") == std::string::npos);
    auto const stranger = site.ask("GET", each.path, {}, {}, "svc.example", "198.51.100.1");
    REQUIRE(stranger);
    CHECK((stranger->status == 404 || stranger->status == 429));
  }
}

TEST_CASE("pages for members need a session of the project, on the service's own host") {
  site_fixture site;
  site.acme().snapshot.page.visible = pages::visibility::members;
  site.acme().domain = "status.acme.example";
  CHECK(site.get("/status/acme").status == 404);
  site.member = true;
  auto const got = site.get("/status/acme");
  CHECK(got.status == 200);
  CHECK(field_of(got, "Cache-Control") == "private, no-store");
  CHECK(site.get("/", {}, "status.acme.example").status == 404);
}

TEST_CASE("a link inside a page for members leads on, because the browser asks again with its cookie") {
  site_fixture site;
  site.acme().snapshot.page.visible = pages::visibility::members;
  std::vector<http::field> const opaque{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "navigate"}};
  auto const first = site.get("/status/acme/history?month=2026-01", opaque);
  CHECK(first.status == 404);
  CHECK(field_of(first, "Refresh") == "0; url=/status/acme/history?month=2026-01&again");
  CHECK(field_of(first, "Content-Security-Policy").find("sandbox") == std::string::npos);
  // The browser asks once more only, and nobody learns whether the page exists.
  auto const second = site.get("/status/acme/history?month=2026-01&again", opaque);
  CHECK(second.status == 404);
  CHECK(field_of(second, "Refresh").empty());
  CHECK(field_of(site.get("/status/none", opaque), "Refresh") == "0; url=/status/none?again");
  CHECK(field_of(site.get("/status/none"), "Refresh").empty());
  site.member = true;
  CHECK(site.get("/status/acme/history?month=2026-01&again").status == 200);
}

TEST_CASE("members may follow many links in a minute") {
  site_fixture site;
  site.acme().snapshot.page.visible = pages::visibility::members;
  for (int i = 0; i < 30; ++i) {
    site.member = false;
    auto const first =
        site.get("/status/acme/history", {{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "navigate"}});
    CHECK(field_of(first, "Refresh") == "0; url=/status/acme/history?again");
    site.member = true;
    CHECK(site.get("/status/acme/history?again").status == 200);
  }
}

TEST_CASE("a refused visitor cannot tell a page from none") {
  site_fixture site;
  site.acme().snapshot.page.visible = pages::visibility::restricted;
  site.acme().allowed = {*cidr::parse("198.51.100.0/24")};
  for (auto const* const path :
       {"/status/%s", "/status/%s/history", "/api/status-pages/%s/summary", "/api/status-pages/%s/badge.svg"}) {
    CAPTURE(path);
    auto const named = [&](std::string const& slug) {
      std::string target = path;
      return target.replace(target.find("%s"), 2, slug);
    };
    auto const refused = site.get(named("acme")), missing = site.get(named("none"));
    CHECK(refused.status == 404);
    CHECK(missing.status == 404);
    CHECK(refused.content_type == missing.content_type);
    CHECK(refused.content() == missing.content());
    CHECK(refused.fields == missing.fields);
  }
}

TEST_CASE("a client that has the bytes gets 304, and HEAD gets the fields only") {
  site_fixture site;
  for (auto const& each : all_forms()) {
    CAPTURE(each.path);
    auto const whole = site.get(each.path);
    auto const tag = field_of(whole, "ETag");
    auto const same = site.get(each.path, {{"If-None-Match", tag}});
    CHECK(same.status == 304);
    CHECK(same.content().empty());
    CHECK(field_of(same, "ETag") == tag);
    CHECK(field_of(same, "Cache-Control") == everybody);
    auto const changed = field_of(whole, "Last-Modified");
    CHECK(site.get(each.path, {{"If-Modified-Since", changed}}).status == 304);
    CHECK(site.get(each.path, {{"If-None-Match", "\"other\""}, {"If-Modified-Since", changed}}).status == 200);
    auto const head = site.ask("HEAD", each.path);
    REQUIRE(head);
    CHECK(head->head_only);
    CHECK(field_of(*head, "ETag") == tag);
    auto const packed = site.get(each.path, {{"Accept-Encoding", "gzip"}});
    if (whole.content().size() < 1024) continue;
    CHECK(field_of(packed, "Content-Encoding") == "gzip");
    CHECK(field_of(packed, "ETag") != tag);
    CHECK(field_of(packed, "Vary") == "Accept-Encoding");
    CHECK(packed.content().size() < whole.content().size());
    CHECK(site.get(each.path, {{"If-None-Match", field_of(packed, "ETag")}}).status == 304);
  }
}

TEST_CASE("a page that was viewed is served without any store, and turns grey by the clock") {
  site_fixture site;
  auto const until = system_now() + std::chrono::milliseconds(2500);
  site.acme().snapshot.components[0].measured.valid_until = until;
  CHECK(site.get("/api/status-pages/acme/summary").content().find("\"operational\"") != std::string_view::npos);
  CHECK(site.get("/status/acme").status == 200);
  site.source.away = true;
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  auto const still = site.get("/api/status-pages/acme/summary");
  CHECK(still.status == 200);
  CHECK(still.content().find("\"operational\"") != std::string_view::npos);
  std::this_thread::sleep_for(until - system_now() + std::chrono::milliseconds(50));
  for (auto const& each : all_forms()) {
    CAPTURE(each.path);
    CHECK(site.get(each.path).status == 200);
  }
  auto const grey = site.get("/api/status-pages/acme/summary");
  CHECK(grey.content().find("\"operational\"") == std::string_view::npos);
  CHECK(grey.content().find("\"unknown\"") != std::string_view::npos);
  CHECK(site.counted("stale") >= 3);
  // Nobody waits for the database again and again.
  CHECK(site.source.versions <= 4);
}

TEST_CASE("a worker without stores and without the page answers 503 with a static page") {
  site_fixture site;
  site.source.away = true;
  auto const page = site.get("/status/acme");
  CHECK(page.status == 503);
  CHECK(page.content_type == "text/html; charset=utf-8");
  CHECK(field_of(page, "Retry-After") == "5");
  CHECK(field_of(page, "Cache-Control") == "no-store");
  auto const data = site.get("/api/status-pages/acme/summary");
  CHECK(data.status == 503);
  CHECK_FALSE(field_of(data, "Retry-After").empty());
  CHECK(site.counted("unavailable") == 2);
}

TEST_CASE("many visitors of one page cost one lookup and one build") {
  site_fixture site;
  for (int i = 0; i < 50; ++i) CHECK(site.get("/status/acme").status == 200);
  CHECK(site.source.finds == 1);
  CHECK(site.source.builds == 1);
  CHECK(site.source.versions == 0);
  CHECK(site.counted("database") == 1);
  CHECK(site.counted("memory") == 49);
  CHECK(site.slots.used() == 0);
}

TEST_CASE("a new version is shown within a second, and an archived page disappears") {
  site_fixture site;
  CHECK(site.get("/status/acme").content().find("A new post") == std::string_view::npos);
  site.acme().version = 2;
  site.acme().snapshot.incidents[0].name = "A new post";
  std::this_thread::sleep_for(std::chrono::milliseconds(1050));
  CHECK(site.get("/status/acme").content().find("A new post") != std::string_view::npos);
  site.source.all.clear();
  std::this_thread::sleep_for(std::chrono::milliseconds(1050));
  CHECK(site.get("/status/acme").status == 404);
}

TEST_CASE("while all slots of builds are in use, visitors get the last snapshot") {
  site_fixture site;
  CHECK(site.get("/status/acme").status == 200);
  site.acme().version = 2;
  std::vector<rebuild_slots::slot> taken;
  for (int i = 0; i < rebuild_slots::most; ++i) taken.push_back(site.slots.take(numbered(200 + i)));
  CHECK_FALSE(site.slots.take(numbered(210)));
  std::this_thread::sleep_for(std::chrono::milliseconds(1050));
  CHECK(site.get("/status/acme").status == 200);
  CHECK(site.source.builds == 1);
  taken.clear();
  CHECK(site.get("/status/acme").status == 200);
  CHECK(site.source.builds == 2);
}

TEST_CASE("an address has 600 requests for pages in a minute, without any store") {
  site_fixture site;
  site.limits.page = {3, 60};
  for (int i = 0; i < 3; ++i) CHECK(site.get("/status/acme").status == 200);
  CHECK(site.get("/status/acme").status == 429);
  CHECK(site.counted("limited") == 1);
  auto const other = site.ask("GET", "/status/acme", {}, {}, "svc.example", "2001:db8::1");
  REQUIRE(other);
  CHECK(other->status == 200);
  CHECK(site.shared_counts == 0);
  // Feeds count in the window that all instances share.
  CHECK(site.get("/api/status-pages/acme/rss").status == 200);
  CHECK(site.shared_counts == 1);
}

TEST_CASE("a former slug leads to the page, with the rest of the path") {
  site_fixture site;
  site.source.former["acme-old"] = numbered(1);
  auto const moved = site.get("/status/acme-old/history?month=2026-01");
  CHECK(moved.status == 302);
  CHECK(field_of(moved, "Location") == "/status/acme/history?month=2026-01");
  CHECK(field_of(moved, "Cache-Control") == "no-store");
  CHECK(field_of(site.get("/api/status-pages/acme-old/rss"), "Location") == "/api/status-pages/acme/rss");
  // It tells nothing to those who may not see the page.
  site.acme().snapshot.page.visible = pages::visibility::members;
  site.acme().version = 2;
  std::this_thread::sleep_for(std::chrono::milliseconds(1050));
  CHECK(site.get("/status/acme-old").status == 404);
}

TEST_CASE("a slug that moves to another page shows the other page") {
  site_fixture site;
  CHECK(site.get("/status/acme").content().find("Acme &lt;acme&gt;") != std::string_view::npos);
  site.acme().snapshot.page.slug = "acme-two";
  site.acme().version = 2;
  site.add(sample_page(2, "acme", site.now)).snapshot.page.name = "Another company";
  std::this_thread::sleep_for(std::chrono::milliseconds(1050));
  CHECK(site.get("/status/acme").content().find("Another company") != std::string_view::npos);
}

TEST_CASE("on a page's own domain the page is at the root, and nothing else exists") {
  site_fixture site;
  site.acme().domain = "status.acme.example";
  for (auto const* const path : {"/", "/history", "/summary", "/rss", "/feed.json", "/ical", "/badge.svg"}) {
    CAPTURE(path);
    CHECK(site.get(path, {}, "Status.Acme.example:443").status == 200);
  }
  auto const page = site.get("/", {}, "status.acme.example");
  CHECK(field_of(page, "Content-Security-Policy").find("form-action https://status.acme.example;") !=
        std::string::npos);
  CHECK(page.content().find("svc.example") == std::string_view::npos);
  for (auto const* const path : {"/api/jobs", "/app", "/status/acme", "/livez", "/openapi/openapi.json"}) {
    CAPTURE(path);
    CHECK(site.get(path, {}, "status.acme.example").status == 404);
  }
}

TEST_CASE("requests for anything else are left to the service") {
  site_fixture site;
  site.acme().domain = "status.acme.example";
  for (auto const* const path : {"/", "/app", "/api/jobs", "/status", "/api/status-pages", "/api/status-pages/acme",
                                 "/api/status-pages/acme/logo", "/api/status-pages/acme/components", "*", ""}) {
    CAPTURE(path);
    CHECK_FALSE(site.ask("GET", path));
  }
  // An unknown host costs a lookup once; later ones do not wait.
  CHECK_FALSE(site.ask("GET", "/api/jobs", {}, {}, "svc.internal.example"));
  CHECK_FALSE(site.ask("GET", "/api/jobs", {}, {}, "svc.internal.example"));
  CHECK(site.source.finds == 1);
  for (auto const* const host : {"127.0.0.1:8443", "[::1]:8443", "localhost", "deep.svc.example"}) {
    CAPTURE(host);
    CHECK_FALSE(site.ask("GET", "/api/jobs", {}, {}, host));
  }
  CHECK(site.source.finds == 1);
  site.source.away = true;
  CHECK_FALSE(site.ask("GET", "/api/jobs", {}, {}, "other.internal.example"));
}

TEST_CASE("feeds that are switched off are refused, except the badge") {
  site_fixture site;
  site.acme().snapshot.page.feeds = false;
  for (auto const* const name : {"rss", "feed.json", "ical"}) {
    CAPTURE(name);
    auto const got = site.get("/api/status-pages/acme/" + std::string(name));
    CHECK(got.status == 403);
    CHECK(got.content().find("feeds_disabled") != std::string_view::npos);
  }
  CHECK(site.get("/api/status-pages/acme/badge.svg").status == 200);
  CHECK(site.get("/api/status-pages/acme/summary").status == 200);
}

TEST_CASE("a logo is data that no browser shows as a document") {
  site_fixture site;
  CHECK(site.get("/status/acme/logo").status == 404);
  site.acme().snapshot.page.logo_type = "image/png";
  site.acme().version = 2;
  site.source.logos[numbered(1)] = {"image/png", "\x89PNG\r\n\x1A\n<script>alert(1)</script>"};
  std::this_thread::sleep_for(std::chrono::milliseconds(1050));
  auto const got = site.get("/status/acme/logo");
  CHECK(got.status == 200);
  CHECK(got.content_type == "image/png");
  CHECK(field_of(got, "Content-Disposition") == "attachment");
  CHECK(field_of(got, "X-Content-Type-Options") == "nosniff");
  CHECK(field_of(got, "Content-Security-Policy") == "default-src 'none'; sandbox");
  CHECK(field_of(got, "Cross-Origin-Resource-Policy") == "cross-origin");
  // It is served while the database is away.
  site.source.away = true;
  CHECK(site.get("/status/acme/logo").content() == got.content());
}

TEST_CASE("other methods are refused, and an overloaded worker says so") {
  site_fixture site;
  auto const changed = site.ask("DELETE", "/status/acme");
  REQUIRE(changed);
  CHECK(changed->status == 405);
  CHECK(field_of(*changed, "Allow") == "GET, HEAD, OPTIONS");
  auto const options = site.ask("OPTIONS", "/api/status-pages/acme/subscribe");
  REQUIRE(options);
  CHECK(options->status == 204);
  CHECK(field_of(*options, "Allow") == "POST, OPTIONS");
  http::request head{.method = "GET", .target = "/status/acme"};
  head.fields.push_back({"Host", "svc.example"});
  auto const busy = test::run_task(
      site.io, site.served.answer({head, site.body, "r", true, {}, deadline::after(std::chrono::seconds(5))}));
  REQUIRE(busy);
  CHECK(busy->status == 503);
}

}  // namespace
}  // namespace svc::public_pages
