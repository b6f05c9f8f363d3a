// HTML pages: content, policy, style, script and size.
#include "domain/pages/frame.hpp"
#include "support/gzip.hpp"
#include "svc/core/hash.hpp"
#include "unit/domain/pages/markup_reader.hpp"
#include "unit/domain/pages/sample_page.hpp"

#include <doctest/doctest.h>

#include <set>
#include <sstream>

using namespace svc;
using namespace svc::pages;
using namespace svc::test;

namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

std::string rich_html() {
  auto const snapshot = rich_snapshot();
  return status_html({snapshot, sample_address(), sample_now});
}

std::string hash_source_of(std::string_view html, std::string_view element) {
  auto const open = "<" + std::string(element) + ">", close = "</" + std::string(element) + ">";
  auto const begin = html.find(open) + open.size();
  return "'sha256-" + to_base64(sha256(html.substr(begin, html.find(close, begin) - begin))) + "'";
}

}  // namespace

TEST_CASE("the page has the parts of the design") {
  auto const html = rich_html();
  struct {
    std::string_view part;
  } const rows[] = {
      {"<title>Major outage · Acme Shop status</title>"},
      {"<h1>Major outage</h1><p class=\"muted\">Major outage: Checkout</p>"},
      {"<span class=\"state s-major\"><svg class=\"sign s-major\" aria-hidden=\"true\"><use "
       "href=\"#s-failed\"/></svg>Major outage</span>"},
      {"<article class=\"incident-card s-down\"><header><h3><a class=\"quiet-link\" "
       "href=\"https://status.example/status/acme/incidents/"},
      {"<span class=\"muted\">since <time datetime=\"2026-11-20T17:07:04.000Z\">17:07 UTC</time></span>"},
      {"<svg viewBox=\"0 0 720 32\" preserveAspectRatio=\"none\" aria-hidden=\"true\" stroke-width=\"5.5\"><path "
       "class=\"k-passed\" d=\"M"},
      {"<section class=\"stack g-2\"><h3>Back office</h3>"},
      {"<span class=\"ends-l\">90 days ago</span><span class=\"ends-s\">45 days ago</span>"},
      {"aria-label=\"Checkout, last 90 days: Operational: "},
      {"Under way"},
      {"<span class=\"muted\">in 1 day</span>"},
      {"<h3>18 November</h3>"},
      {"Order mail was late"},
      {"action=\"https://status.example/api/status-pages/acme/subscribe\""},
      {"As of 20 Nov 2026, 17:22:04 UTC"},
      {"<span data-local=\"Times are in your time zone.\">Times are in UTC.</span>"},
      {"rel=\"nofollow ugc noopener\">https://acme.example/a?b=1&amp;c=2</a>."},
      {"fill=\"#0d6e63\""},
  };
  for (auto const& row : rows) {
    CAPTURE(row.part);
    CHECK(has(html, row.part));
  }
  CHECK(markup_reader::read(html).problem == "");
}

TEST_CASE("a stale copy is grey and says so") {
  auto const snapshot = rich_snapshot();
  auto const html = status_html({snapshot, sample_address(), sample_now + std::chrono::minutes(43)});
  CHECK(has(html, "<section class=\"banner s-unknown\" role=\"status\">"));
  CHECK(has(html, "<p class=\"banner-title\">This is a stored copy from 17:22 UTC</p>"));
  CHECK(has(html, "<h1>Status unknown</h1>"));
  CHECK(has(html, "Last known at 17:22 UTC: Major outage"));
  auto const systems = html.substr(html.find("<h2 id=\"sys-h\">"));
  CHECK_FALSE(has(systems.substr(systems.find("<div class=\"panel\">")), "class=\"state s-operational\""));
}

TEST_CASE("a copy that is days old has grey days at its end") {
  auto const snapshot = rich_snapshot();
  auto const html = status_html({snapshot, sample_address(), sample_now + std::chrono::hours(72)});
  CHECK(has(html, "Not observed: 3 days"));
}

TEST_CASE("an empty page is not green") {
  auto const snapshot = empty_snapshot();
  auto const html = status_html({snapshot, sample_address(), sample_now});
  CHECK(has(html, "<h1>Status unknown</h1>"));
  CHECK(has(html, "This page has no systems yet."));
  CHECK_FALSE(has(html, "<form"));
}

TEST_CASE("the policy allows exactly the bytes of the page") {
  auto const html = rich_html();
  auto const policy = html_policy(sample_address(), visibility::listed);
  CHECK(policy == "default-src 'none'; style-src " + hash_source_of(html, "style") +
                      "; img-src https://status.example; form-action https://status.example; script-src " +
                      hash_source_of(html, "script") +
                      "; connect-src https://status.example; base-uri 'none'; frame-ancestors 'none'; sandbox "
                      "allow-forms allow-scripts");
  for (auto const& page : {missing_html(), unavailable_html(), limited_html(), refused_html()})
    CHECK(has(bare_html_policy(), hash_source_of(page, "style")));
  CHECK(bare_html_policy() == asking_html_policy() + "; sandbox");
}

TEST_CASE("a page for members has no picture and no form, because their requests would lack the session's cookie") {
  auto snapshot = rich_snapshot();
  snapshot.page.logo_type = "image/png";
  snapshot.page.subscribers = true;
  for (auto const visible : {visibility::listed, visibility::restricted, visibility::members}) {
    snapshot.page.visible = visible;
    auto const html = status_html({snapshot, sample_address(), sample_now});
    bool const sends = visible != visibility::members;
    CHECK(has(html, "<img") == sends);
    CHECK(has(html, "<form") == sends);
    CHECK(has(html, "#subscribe") == sends);
  }
}

TEST_CASE("restricted and members-only pages have no script") {
  for (auto const visible : {visibility::restricted, visibility::members}) {
    auto snapshot = rich_snapshot();
    snapshot.page.visible = visible;
    for (auto const& html : all_html({snapshot, sample_address(), sample_now})) {
      CHECK_FALSE(has(html, "<script"));
      CHECK_FALSE(has(html, "data-json"));
      CHECK(has(html, "<meta name=\"robots\" content=\"noindex\">"));
    }
    auto const policy = html_policy(sample_address(), visible);
    CHECK_FALSE(has(policy, "script"));
    CHECK_FALSE(has(policy, "connect-src"));
    CHECK(policy.ends_with("sandbox allow-forms"));
  }
  auto snapshot = rich_snapshot();
  snapshot.page.visible = visibility::unlisted;
  auto const html = status_html({snapshot, sample_address(), sample_now});
  CHECK(has(html, "<script>"));
  CHECK(has(html, "noindex"));
}

TEST_CASE("script and page stay within their budgets") {
  CHECK(page_script().size() <= 2048);
  CHECK_FALSE(has(page_script(), "</"));
  CHECK_FALSE(has(page_style(), "</"));
  CHECK_FALSE(has(page_style(), "light-dark"));
  for (std::size_t i = 0; i < language_count; ++i) {
    auto snapshot = snapshot_of(30);
    snapshot.page.language = static_cast<page_language>(i);
    auto const size = gzip(status_html({snapshot, sample_address(), sample_now})).size();
    CAPTURE(to_text(snapshot.page.language));
    CHECK(size <= 20 * 1024);
  }
}

TEST_CASE("each class of a page has a rule in its style, and each sign a symbol") {
  auto snapshot = rich_snapshot();
  snapshot.page.logo_type = "image/png";
  std::set<std::string> missing, signs;
  std::string symbols;
  for (auto const& html : all_html({snapshot, sample_address(), sample_now}))
    for (auto const& tag : markup_reader::read(html).tags) {
      std::istringstream classes(tag.attribute("class"));
      for (std::string name; classes >> name;)
        if (!has(page_style(), "." + name)) missing.insert(name);
      if (tag.name == "use") signs.insert(tag.attribute("href").substr(1));
      if (tag.name == "symbol") symbols.append(" ").append(tag.attribute("id")).append(" ");
    }
  for (auto const& name : missing) MESSAGE("no rule for class " << name);
  CHECK(missing.empty());
  for (auto const& name : signs) CHECK(has(symbols, " " + name + " "));
}

TEST_CASE("ids are unique, labels name their fields, and headings descend step by step") {
  auto const snapshot = rich_snapshot();
  for (auto const& html : all_html({snapshot, sample_address(), sample_now})) {
    std::set<std::string> ids, used;
    int level = 0;
    for (auto const& tag : markup_reader::read(html).tags) {
      if (auto const id = tag.attribute("id"); !id.empty()) CHECK(ids.insert(id).second);
      for (auto const* const name : {"for", "aria-labelledby"})
        if (auto const target = tag.attribute(name); !target.empty()) used.insert(target);
      if (tag.closes || tag.name.size() != 2 || tag.name[0] != 'h' || tag.name[1] < '1' || tag.name[1] > '6')
        continue;
      CHECK(tag.name[1] - '0' <= level + 1);
      level = tag.name[1] - '0';
    }
    for (auto const& target : used) CHECK(ids.count(target) == 1);
  }
}

TEST_CASE("an incident shows its progress, its updates and its systems") {
  auto const snapshot = rich_snapshot();
  page_view const view{snapshot, sample_address(), sample_now};
  auto const html = *incident_html(view, id_with(1001));
  CHECK(has(html, "<li aria-current=\"step\"><svg class=\"sign s-running\" role=\"img\" aria-label=\"Now\">"));
  CHECK(has(html, "Edited at 17:21 UTC"));
  CHECK(has(html, "<li id=\"" + id_with(1012).to_string() + "\">"));
  CHECK(has(html, "Checkout <span class=\"state s-major\">"));
  CHECK_FALSE(incident_html(view, id_with(2001)));
  CHECK_FALSE(maintenance_html(view, id_with(1001)));
  CHECK(has(*maintenance_html(view, id_with(2002)), "Affected systems: Warehouse link"));
}

TEST_CASE("history has one month with links to its neighbours") {
  auto snapshot = rich_snapshot();
  snapshot.incidents.back().started_at = *parse_rfc3339("2026-09-30T22:30:00Z");
  page_view const view{snapshot, sample_address(), sample_now};
  auto const november = history_html(view, *parse_month("2026-11"));
  CHECK(has(november, "<h1>History: November 2026</h1>"));
  CHECK(has(november, "history?month=2026-10"));
  CHECK_FALSE(has(november, "history?month=2026-12"));
  CHECK(has(november, "Checkout answers with errors"));
  CHECK_FALSE(has(november, "Order mail was late"));
  CHECK(has(history_html(view, *parse_month("2026-09")), "Order mail was late"));
  CHECK(has(history_html(view, *parse_month("2026-10")), "No incidents."));
  snapshot.page.time_zone = "Europe/Berlin";
  CHECK(has(history_html(view, *parse_month("2026-10")), "Order mail was late"));
  CHECK(current_month(view) == *parse_month("2026-11"));
  for (std::string_view const bad :
       {"", "2026", "2026-13", "2026-00", "1969-12", "2026-1", "2026/11", "+026-11", "2026-+1", "2026-111"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_month(bad));
  }
}

TEST_CASE("only the pages of links have buttons, and these post to the link itself") {
  auto const snapshot = rich_snapshot();
  page_view const view{snapshot, sample_address(), sample_now};
  auto const confirm = subscription_html(view, subscription_step::confirm, "TOKEN");
  CHECK(has(confirm, "action=\"https://status.example/status/acme/subscriptions/TOKEN\""));
  CHECK(has(confirm, "name=\"action\" value=\"confirm\""));
  CHECK(has(confirm, "name=\"action\" value=\"refuse\""));
  CHECK(has(subscription_html(view, subscription_step::stop, "TOKEN"), "value=\"stop\""));
  for (auto const step : {subscription_step::asked, subscription_step::confirmed, subscription_step::stopped,
                          subscription_step::refused, subscription_step::link_over}) {
    auto const html = subscription_html(view, step, "TOKEN");
    CHECK_FALSE(has(html, "<form"));
    CHECK_FALSE(has(html, "TOKEN"));
  }
}

TEST_CASE("on its own domain a page has short addresses") {
  auto const address = page_address::on_domain("https://status.acme.example");
  CHECK(address.page() == "https://status.acme.example/");
  CHECK(address.history() == "https://status.acme.example/history");
  CHECK(address.data("rss") == "https://status.acme.example/rss");
  CHECK(address.host() == "status.acme.example");
  CHECK(sample_address().page() == "https://status.example/status/acme");
  auto const snapshot = rich_snapshot();
  CHECK_FALSE(has(status_html({snapshot, address, sample_now}), "status.example/"));
}

TEST_CASE("a revision changes with what visitors see, and with nothing else") {
  auto snapshot = rich_snapshot();
  auto const revision = [&] { return revision_of(snapshot, status_table(snapshot, sample_now), sample_now); };
  auto const before = revision();
  snapshot.as_of = sample_now + std::chrono::seconds(5);
  snapshot.components.front().measured.valid_until = sample_now + std::chrono::minutes(9);
  CHECK(revision() == before);
  snapshot.components.front().measured.status = component_status::degraded_performance;
  CHECK(revision() != before);
  snapshot = rich_snapshot();
  snapshot.incidents.front().posts.front().edited_at = sample_now;
  CHECK(revision() != before);
}
