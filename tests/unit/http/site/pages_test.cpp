#include "svc/http/site/pages.hpp"

#include "support/sample_pages.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace svc::site {
namespace {

constexpr char const* script = "/app/assets/main-AB12CD34.js";
constexpr char const* browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

std::string value_of(http::response const& response, std::string_view name) {
  auto const found = std::ranges::find(response.fields, name, [](auto const& each) { return each.first; });
  return found == response.fields.end() ? std::string() : found->second;
}

/// The pages of one worker with the sample bundle.
struct site_fixture {
  metrics counters;
  bundle_ptr bundle = make_bundle(support::sample_pages()).bundle;
  pages served{true, [this] { return bundle; }, counters};

  std::optional<http::response> ask(std::string_view method, std::string_view target,
                                    std::vector<http::field> fields = {}) {
    http::request head{.method = method, .target = target};
    head.fields = std::move(fields);
    head.fields.push_back({"Host", "svc.example"});
    return served.answer(head, "request-1", false);
  }
  http::response get(std::string_view target, std::vector<http::field> fields = {}) {
    auto answer = ask("GET", target, std::move(fields));
    REQUIRE(answer);
    return std::move(*answer);
  }
  double count(std::string const& kind) const {
    auto const page = counters.expose();
    auto const line = "svc_page_requests_total{kind=\"" + kind + "\"} ";
    auto const found = page.find(line);
    return found == page.npos ? -1 : std::stod(page.substr(found + line.size()));
  }
};

TEST_CASE("which targets are pages") {
  struct {
    std::string target;
    page_kind kind;
    std::string_view name = "";
  } const cases[] = {
      {"/", page_kind::root},
      {"/?a=b", page_kind::root},
      {"https://svc.example", page_kind::root},
      {"https://svc.example/", page_kind::root},
      {"https://other.example/", page_kind::none},
      {"https://other.example/app", page_kind::none},
      {"/app", page_kind::index},
      {"/app/", page_kind::index},
      {"/app?x", page_kind::index},
      {"/app//", page_kind::index},
      {"/app/../api/jobs", page_kind::index},
      {"/app/acme/web/jobs?status=failed", page_kind::index},
      {"/app/%00%ff", page_kind::index},
      {"/app/assets", page_kind::index},
      {"/app/boot.js/", page_kind::index},
      {"HTTPS://SVC.example/app/x", page_kind::index},
      {"/app/boot.js", page_kind::boot},
      {"/app/boot.js?again=500", page_kind::boot},
      {"/app/assets/", page_kind::asset, ""},
      {"/app/assets/a-12345678.js?again=200", page_kind::asset, "a-12345678.js"},
      {"/app/assets/../boot.js", page_kind::asset, "../boot.js"},
      {"/App", page_kind::none},
      {"/apps", page_kind::none},
      {"/app.js", page_kind::none},
      {"/ap", page_kind::none},
      {"//app", page_kind::none},
      {"/%61pp", page_kind::none},
      {"/api/jobs", page_kind::none},
      {"*", page_kind::none},
      {"", page_kind::none},
      {"app", page_kind::none},
      {"/app/a#b", page_kind::none},
      {"/app/a b", page_kind::none},
      {"/app/\xc3\xa9", page_kind::none},
      {std::string("/app/\0", 6), page_kind::none},
      {"/app/\x7f", page_kind::none},
  };
  for (auto const& c : cases) {
    CAPTURE(c.target);
    auto const found = find_page(c.target, "svc.example");
    CHECK(found.kind == c.kind);
    CHECK(found.name == c.name);
  }
}

TEST_CASE("the index page has a fresh nonce in its text and in its policy") {
  site_fixture site;
  std::vector<std::string> seen;
  for (auto const* const target : {"/app", "/app/", "/app/acme/web/runs/1?tab=output"}) {
    CAPTURE(target);
    auto const got = site.get(target);
    CHECK(got.status == 200);
    CHECK(got.content_type == "text/html; charset=utf-8");
    CHECK(value_of(got, "Cache-Control") == "no-store");
    CHECK(value_of(got, "Cross-Origin-Opener-Policy") == "same-origin");
    CHECK(value_of(got, "Cross-Origin-Resource-Policy") == "same-origin");
    CHECK(value_of(got, "Referrer-Policy") == "no-referrer");
    CHECK(value_of(got, "X-Content-Type-Options") == "nosniff");
    CHECK(value_of(got, "X-Request-Id") == "request-1");
    auto const permissions = value_of(got, "Permissions-Policy");
    CHECK(permissions.find("clipboard-write=(self)") != std::string::npos);
    // Every other feature is denied.
    CHECK(std::ranges::count(permissions, '(') == std::ranges::count(permissions, ',') + 1);
    auto const start = got.body.find("nonce=\"") + 7;
    auto const nonce = got.body.substr(start, got.body.find('"', start) - start);
    CHECK(nonce.size() == 24);
    CHECK(value_of(got, "Content-Security-Policy") ==
          "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-" + nonce +
              "'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
              "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'");
    CHECK(std::ranges::find(seen, nonce) == seen.end());
    seen.push_back(nonce);
  }
  CHECK(site.count("index") == 3);
}

TEST_CASE("the index page takes only a known theme from the cookie") {
  struct {
    std::vector<http::field> fields;
    char const* theme;
  } const cases[] = {
      {{}, "system"},
      {{{"Cookie", "svc_theme=light"}}, "light"},
      {{{"cookie", "a=b; svc_theme=dark"}}, "dark"},
      {{{"Cookie", "a=b"}, {"Cookie", "svc_theme=dark"}}, "dark"},
      {{{"Cookie", "svc_theme=system"}}, "system"},
      {{{"Cookie", "svc_theme=DARK"}}, "system"},
      {{{"Cookie", "svc_theme=\"dark\""}}, "system"},
      {{{"Cookie", "svc_theme=\" onload=\"alert(1)"}}, "system"},
      {{{"Cookie", "svc_theme="}}, "system"},
      {{{"Cookie", "svc_theme=dark; svc_theme=light"}}, "system"},
      {{{"Cookie", "xsvc_theme=dark"}}, "system"},
      {{{"X-Cookie", "svc_theme=dark"}}, "system"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.fields.empty() ? "none" : c.fields.back().value);
    site_fixture site;
    CHECK(site.get("/app/", c.fields).body.find("data-theme=\"" + std::string(c.theme) + "\"") != std::string::npos);
  }
}

TEST_CASE("an asset is sent in the form that the client prefers, for a year") {
  struct {
    char const *accepted, *name, *coding, *content;
  } const cases[] = {
      {"", script, "", "main of 0123456789abcdef "},
      {"gzip, deflate, br, zstd", script, "br", "brotli of main of 0123456789abcdef"},
      {"gzip, deflate", script, "gzip", "gzip of main of 0123456789abcdef"},
      {"br;q=0.5, gzip", script, "gzip", "gzip of main of 0123456789abcdef"},
      {"br;q=0, gzip;q=0", script, "", "main of 0123456789abcdef "},
      {"*", script, "gzip", "gzip of main of 0123456789abcdef"},
      {"identity, br;q=0.9", script, "", "main of 0123456789abcdef "},
      {"br, gzip;q=0.1", "/app/assets/main-EF56AB78.css", "gzip", "gzip of styles"},
      {"br", "/app/assets/main-EF56AB78.css", "", "styles"},
      {"br, gzip", "/app/assets/mark-0A1B2C3D.svg", "", "<svg/>"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.accepted);
    CAPTURE(c.name);
    site_fixture site;
    std::vector<http::field> fields;
    if (*c.accepted != '\0') fields.push_back({"Accept-Encoding", c.accepted});
    auto const got = site.get(c.name, fields);
    CHECK(got.status == 200);
    CHECK(got.content().starts_with(c.content));
    CHECK(value_of(got, "Content-Encoding") == c.coding);
    CHECK(value_of(got, "Cache-Control") == "public, max-age=31536000, immutable");
    bool const has_forms = std::string_view(c.name).find("mark") == std::string_view::npos;
    CHECK(value_of(got, "Vary") == (has_forms ? "Accept-Encoding" : ""));
    CHECK(value_of(got, "X-Content-Type-Options") == "nosniff");
    CHECK(value_of(got, "Cross-Origin-Resource-Policy") == "same-origin");
    auto const tag = value_of(got, "ETag");
    auto const* const suffix = *c.coding == '\0' ? "" : *c.coding == 'b' ? "-br" : "-gzip";
    CHECK(tag.ends_with(std::string(suffix) + "\""));
    CHECK(site.count("asset") == 1);
  }
}

TEST_CASE("boot.js is asked for again each time, and not sent twice") {
  site_fixture site;
  auto const got = site.get("/app/boot.js", {{"Accept-Encoding", "br"}});
  CHECK(got.content() == "brotli of boot of 0123456789abcdef");
  CHECK(value_of(got, "Cache-Control") == "no-cache");
  auto const tag = value_of(got, "ETag");
  struct {
    std::string known;
    unsigned status;
  } const cases[] = {
      {tag, 304},
      {"W/" + tag, 304},
      {"\"x\", " + tag, 304},
      {"*", 304},
      // The form of another encoding has the same content.
      {tag.substr(0, 33) + "\"", 304},
      {"\"x\"", 200},
      {"nonsense", 200},
      {"\"\"", 200},
      {"\"-br\"", 200},
  };
  for (auto const& c : cases) {
    CAPTURE(c.known);
    auto const again = site.get("/app/boot.js", {{"Accept-Encoding", "br"}, {"If-None-Match", c.known}});
    CHECK(again.status == c.status);
    CHECK(again.content().empty() == (c.status == 304));
    CHECK(value_of(again, "ETag") == tag);
    CHECK(value_of(again, "Vary") == "Accept-Encoding");
    CHECK(value_of(again, "Cache-Control") == "no-cache");
  }
  site.bundle = make_bundle(support::sample_pages("fedcba9876543210")).bundle;
  CHECK(site.served.bundle() == "fedcba9876543210");
  CHECK(site.get("/app/boot.js", {{"Accept-Encoding", "br"}, {"If-None-Match", tag}}).status == 200);
}

TEST_CASE("a missing file is never the index page, and no cache keeps the answer") {
  site_fixture site;
  for (auto const* const target : {"/app/assets/", "/app/assets/main-00000000.js", "/app/assets/../boot.js",
                                   "/app/assets/main-AB12CD34.js.br", "/app/assets/%6dain-AB12CD34.js"}) {
    CAPTURE(target);
    auto const got = site.get(target);
    CHECK(got.status == 404);
    CHECK(got.body.find("\"code\":\"not_found\"") != std::string::npos);
    CHECK(value_of(got, "Cache-Control") == "no-store");
    CHECK(value_of(got, "Content-Security-Policy") == "default-src 'none'; frame-ancestors 'none'");
    CHECK(got.body.size() < 200);
  }
  CHECK(site.count("missing") == 5);
}

TEST_CASE("other methods are refused with the ones that a page has") {
  site_fixture site;
  for (auto const* const method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW"}) {
    for (auto const* const target : {"/app", "/app/x", "/app/boot.js", script, "/app/assets/none"}) {
      CAPTURE(method);
      CAPTURE(target);
      auto const got = site.ask(method, target);
      REQUIRE(got);
      CHECK(got->status == 405);
      CHECK(value_of(*got, "Allow") == "GET, HEAD");
      CHECK(value_of(*got, "Cache-Control") == "no-store");
    }
    // As before, the contract answers.
    CHECK(!site.ask(method, "/", {{"Accept", browser}}));
  }
  for (auto const* const target : {"/app", "/app/boot.js", script, "/app/assets/none"}) {
    auto const got = site.ask("HEAD", target);
    REQUIRE(got);
    CHECK(got->head_only);
    CHECK(!got->content().empty());
  }
}

TEST_CASE("the root leads to the dashboard only those who prefer a page") {
  struct {
    std::vector<http::field> fields;
    bool redirected;
  } const cases[] = {
      {{{"Accept", browser}}, true},
      {{{"Accept", "text/html"}}, true},
      {{{"Accept", "application/json;q=0.5, text/html;q=0.6"}}, true},
      {{{"Accept", "application/json, text/html"}}, false},
      {{{"Accept", "text/html;q=0"}}, false},
      {{{"Accept", "*/*"}}, false},
      {{{"Accept", "text/*"}}, false},
      {{}, false},
  };
  for (auto const& c : cases) {
    CAPTURE(c.fields.empty() ? "none" : c.fields.front().value);
    site_fixture site;
    auto const got = site.ask("GET", "/", c.fields);
    CHECK(got.has_value() == c.redirected);
    if (!got) continue;
    CHECK(got->status == 302);
    CHECK(value_of(*got, "Location") == "/app/");
    CHECK(value_of(*got, "Vary") == "Accept");
    CHECK(value_of(*got, "Cache-Control") == "no-store");
  }
}

TEST_CASE("without pages every path of the dashboard says how to get them") {
  struct {
    char const* name;
    bool enabled;
    char const* sentence;
  } const cases[] = {{"not built", true, "built without its dashboard"},
                     {"switched off", false, "dashboard.enabled"}};
  for (auto const& c : cases) {
    CAPTURE(c.name);
    metrics counters;
    auto const bundle = c.enabled ? nullptr : make_bundle(support::sample_pages()).bundle;
    pages none(c.enabled, [&] { return bundle; }, counters);
    CHECK(none.bundle().empty());
    for (auto const* const method : {"GET", "POST"}) {
      for (auto const* const target : {"/app", "/app/", "/app/boot.js", script}) {
        CAPTURE(target);
        auto const got = none.answer({.method = method, .target = target}, "r", false);
        REQUIRE(got);
        CHECK(got->status == 404);
        CHECK(got->body.find("\"code\":\"dashboard_not_built\"") != std::string::npos);
        CHECK(got->body.find(c.sentence) != std::string::npos);
        CHECK(value_of(*got, "Cache-Control") == "no-store");
      }
    }
    http::request head{.method = "GET", .target = "/"};
    head.fields.push_back({"Accept", browser});
    CHECK(!none.answer(head, "r", false));
  }
}

TEST_CASE("a worker with too many requests answers 503 to pages, and not to other paths") {
  site_fixture site;
  auto const got = site.served.answer({.method = "GET", .target = "/app/"}, "r", true);
  REQUIRE(got);
  CHECK(got->status == 503);
  CHECK(!value_of(*got, "Retry-After").empty());
  CHECK(site.count("shed") == 1);
  CHECK(!site.served.answer({.method = "GET", .target = "/api/jobs"}, "r", true));
}

}  // namespace
}  // namespace svc::site
