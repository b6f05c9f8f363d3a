#include "fixture.hpp"

#include "http/public_pages/site_impl.hpp"

#include <regex>
#include <thread>

namespace svc::public_pages {
namespace {

constexpr std::string_view form = "application/x-www-form-urlencoded", json_type = "application/json";
constexpr auto path = "/api/status-pages/acme/subscribe";
std::string const token(32, 'A');

http::response post(site_fixture& site, std::string_view target, std::string_view type, std::string content) {
  auto out = site.ask("POST", target, {{"Content-Type", type}}, std::move(content));
  REQUIRE(out);
  return std::move(*out);
}

TEST_CASE("a subscription by form is answered by a page, and one by JSON by an empty object") {
  site_fixture site;
  site.acme().snapshot.page.subscribers = true;
  auto const by_form = post(site, path, form, "email=ada%40example.org&x=1");
  CHECK(by_form.status == 202);
  CHECK(by_form.content_type == "text/html; charset=utf-8");
  CHECK(field_of(by_form, "Cache-Control") == "no-store");
  auto const by_json = post(site, path, json_type,
                            R"({"email":"ada@example.org","componentIds":[")" + numbered(10).to_string() + "\"]}");
  CHECK(by_json.status == 202);
  CHECK(by_json.content() == "{}");
  CHECK(site.desk.asked == std::vector<std::string>{"ada@example.org 0", "ada@example.org 1"});
}

TEST_CASE("the answer to a subscription does not depend on the address") {
  site_fixture site;
  site.acme().snapshot.page.subscribers = true;
  auto const first = post(site, path, form, "email=ada%40example.org");
  auto const second = post(site, path, form, "email=nobody%40nowhere.example");
  std::regex const time(R"re(data-now="\d+"|\d\d:\d\d:\d\d UTC)re");
  auto const timeless = [&time](http::response const& page) {
    return std::regex_replace(std::string(page.content()), time, "");
  };
  CHECK(timeless(first) == timeless(second));
  CHECK(first.fields == second.fields);
}

TEST_CASE("bodies that are no subscription are refused") {
  site_fixture site;
  site.acme().snapshot.page.subscribers = true;
  struct {
    std::string_view type;
    std::string content;
    unsigned status;
  } const cases[] = {
      {"text/plain", "email=a@b", 415},
      {"multipart/form-data", "email=a@b", 415},
      {form, "email=", 400},
      {form, "mail=a%40b", 400},
      {form, "email=" + std::string(400, 'a') + "%40b", 400},
      {form, "email=" + std::string(5000, 'a'), 413},
      {json_type, "{", 400},
      {json_type, "[]", 400},
      {json_type, R"({"email":1})", 400},
      {json_type, R"({"email":"a@b","more":1})", 400},
      {json_type, R"({"email":"a@b","componentIds":"x"})", 400},
      {json_type, R"({"email":"a@b","componentIds":["x"]})", 400},
  };
  for (auto const& each : cases) {
    CAPTURE(each.content.substr(0, 60));
    CHECK(post(site, path, each.type, each.content).status == each.status);
  }
  CHECK(site.desk.asked.empty());
}

TEST_CASE("a person in a browser reads a refusal as a page, and a program as JSON") {
  site_fixture site;
  site.acme().snapshot.page.subscribers = true;
  site.acme().snapshot.page.feeds = false;
  for (std::string_view const accept : {"text/html,application/xhtml+xml,*/*;q=0.8", "*/*", "application/json"}) {
    CAPTURE(accept);
    auto const got = site.ask("POST", path, {{"Content-Type", form}, {"Accept", accept}}, "email=none");
    REQUIRE(got);
    CHECK(got->status == 400);
    bool const by_person = accept.starts_with("text/html");
    CHECK(got->content_type == (by_person ? "text/html; charset=utf-8" : "application/json"));
    CHECK(got->content().starts_with("<!doctype html>") == by_person);
    auto const wrong = site.ask("POST", "/status/acme", {{"Accept", accept}}, {});
    REQUIRE(wrong);
    CHECK(wrong->status == 405);
    CHECK(field_of(*wrong, "Allow") == "GET, HEAD, OPTIONS");
    CHECK_FALSE(field_of(*wrong, "Content-Security-Policy").empty());
    // Its sentence says what is the matter.
    auto const feed = site.ask("GET", "/api/status-pages/acme/rss", {{"Accept", accept}}, {});
    REQUIRE(feed);
    CHECK(feed->status == 403);
    CHECK(feed->content_type == "application/json");
  }
  for (int i = 0; i < 10; ++i) site.get("/status/guess-" + std::to_string(i));
  auto const limited = site.ask("GET", "/status/guess-10", {{"Accept", "text/html"}}, {});
  REQUIRE(limited);
  CHECK(limited->status == 429);
  CHECK(limited->content().find("Too many requests") != std::string_view::npos);
  CHECK_FALSE(field_of(*limited, "Retry-After").empty());
  CHECK_FALSE(field_of(*limited, "RateLimit").empty());
}

TEST_CASE("a page without subscribers takes none, and a full queue says so") {
  site_fixture site;
  CHECK(post(site, path, form, "email=a%40b.example").status == 404);
  site.acme().snapshot.page.subscribers = true;
  site.acme().version = 2;
  site_fixture full;
  full.acme().snapshot.page.subscribers = true;
  full.desk.full = true;
  CHECK(post(full, path, form, "email=a%40b.example").status == 503);
}

TEST_CASE("while the database is away, subscriptions and links say so at once and nobody waits for it") {
  site_fixture site;
  site.acme().snapshot.page.subscribers = true;
  CHECK(site.get("/status/acme").status == 200);
  site.source.away = true;
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  CHECK(site.get("/status/acme").status == 200);
  CHECK(post(site, path, form, "email=a%40b.example").status == 503);
  CHECK(post(site, "/status/acme/subscriptions/" + token, form, "action=confirm").status == 503);
  CHECK(site.desk.asked.empty());
  CHECK(site.desk.acted.empty());
}

TEST_CASE("a GET of a link changes nothing, and its POST acts") {
  site_fixture site;
  auto const link = "/status/acme/subscriptions/" + token;
  auto const shown = site.get(link);
  CHECK(shown.status == 200);
  CHECK(field_of(shown, "Cache-Control") == "no-store");
  CHECK(field_of(shown, "Referrer-Policy") == "no-referrer");
  CHECK(shown.content().find("action=\"https://svc.example" + link + "\"") != std::string_view::npos);
  CHECK(site.desk.acted.empty());
  auto const done = post(site, link, form, "action=confirm");
  CHECK(done.status == 200);
  CHECK(site.desk.acted == std::vector<std::string>{token + " action=confirm"});
  CHECK(post(site, link, form, "action=explode").status == 400);
}

TEST_CASE("the links of earlier mails act without a redirect after the page got another slug") {
  site_fixture site;
  site.source.former["acme-old"] = numbered(1);
  auto const link = "/status/acme-old/subscriptions/" + token;
  CHECK(site.get(link).status == 200);
  CHECK(post(site, link, form, "action=confirm").status == 200);
  CHECK(site.desk.acted == std::vector<std::string>{token + " action=confirm"});
  // A hidden page shows itself to nobody who guesses.
  site.acme().snapshot.page.visible = pages::visibility::members;
  site.acme().version = 2;
  site.desk.step = pages::subscription_step::link_over;
  std::this_thread::sleep_for(std::chrono::milliseconds(1050));
  CHECK(site.get(link).status == 404);
}

TEST_CASE("a link works wherever its owner is") {
  site_fixture site;
  site.acme().snapshot.page.visible = pages::visibility::restricted;
  CHECK(site.get("/status/acme").status == 404);
  CHECK(site.get("/status/acme/subscriptions/" + token).status == 200);
}

TEST_CASE("a guessed link does not show a stranger that a page exists") {
  for (auto const visible : {pages::visibility::restricted, pages::visibility::members}) {
    site_fixture site;
    site.acme().snapshot.page.visible = visible;
    site.desk.step = pages::subscription_step::link_over;
    for (auto const* const method : {"GET", "POST"}) {
      CAPTURE(method);
      auto const hidden = site.ask(method, "/status/acme/subscriptions/" + token, {}, "x");
      auto const missing = site.ask(method, "/status/none/subscriptions/" + token, {}, "x");
      REQUIRE(hidden);
      REQUIRE(missing);
      CHECK(hidden->status == 404);
      CHECK(hidden->content() == missing->content());
      CHECK(hidden->fields == missing->fields);
    }
    CHECK(site.desk.acted.empty());
  }
}

TEST_CASE("guessed links are refused after ten") {
  site_fixture site;
  site.desk.step = pages::subscription_step::link_over;
  for (int i = 0; i < 10; ++i)
    CHECK(site.get("/status/acme/subscriptions/" + std::string(32, static_cast<char>('a' + i))).status == 404);
  CHECK(site.get("/status/acme/subscriptions/" + token).status == 429);
  // A text that is no token costs nothing.
  site_fixture other;
  CHECK(other.get("/status/acme/subscriptions/short").status == 404);
  CHECK(other.source.finds == 0);
}

TEST_CASE("wishes are read from forms and from JSON alike") {
  auto const by_form = read_wish("a=b&email=+ada%2Bx%40example.org+", true);
  REQUIRE(by_form.has_value());
  CHECK(by_form->address == "ada+x@example.org");
  auto const by_json = read_wish(R"({"email":"ada@example.org","componentIds":[]})", false);
  REQUIRE(by_json.has_value());
  CHECK(by_json->address == "ada@example.org");
  CHECK(by_json->components.empty());
}

}  // namespace
}  // namespace svc::public_pages
