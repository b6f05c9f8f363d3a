// RSS, JSON Feed, calendar, badge, summary and mails.
#include "unit/domain/pages/markup_reader.hpp"
#include "unit/domain/pages/sample_page.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

using namespace svc;
using namespace svc::pages;
using namespace svc::test;

namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

}  // namespace

TEST_CASE("RSS has the elements of the contract") {
  auto const snapshot = rich_snapshot();
  auto const rss = rss_feed({snapshot, sample_address(), sample_now});
  auto const post = id_with(1012).to_string();
  for (auto const& part :
       {std::string("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\" "
                    "xmlns:atom=\"http://www.w3.org/2005/Atom\"><channel><title>Acme "
                    "Shop</title><link>https://status.example/status/acme</link>"),
        std::string("<description>The state of our shop</description><language>en</language><lastBuildDate>Fri, 20 "
                    "Nov 2026 17:21:04 GMT</lastBuildDate>"),
        std::string("<ttl>5</ttl><atom:link href=\"https://status.example/api/status-pages/acme/rss\" rel=\"self\" "
                    "type=\"application/rss+xml\"/>"),
        "<item><title>[Identified] Checkout answers with "
        "errors</title><link>https://status.example/status/acme/incidents/" +
            id_with(1001).to_string() + "#" + post + "</link><guid isPermaLink=\"false\">urn:uuid:" + post +
            "</guid><pubDate>Fri, 20 Nov 2026 17:19:04 "
            "GMT</pubDate><category>incident</category><description>&lt;p&gt;A release",
        std::string("&lt;p&gt;Planned from 20 November 2026, 17:02 UTC to 20 November 2026, 19:02 UTC.&lt;/p&gt;")}) {
    CAPTURE(part);
    CHECK(contains(rss, part));
  }
  CHECK(markup_reader::read(rss).problem == "");
}

TEST_CASE("JSON Feed has the members of version 1.1, and a correction keeps id and date") {
  auto snapshot = rich_snapshot();
  auto const address = sample_address();
  auto const feed = boost::json::parse(json_feed({snapshot, address, sample_now})).as_object();
  CHECK(feed.at("version").as_string() == "https://jsonfeed.org/version/1.1");
  CHECK(feed.at("home_page_url").as_string() == "https://status.example/status/acme");
  auto const items = feed.at("items").as_array();
  REQUIRE(items.size() == 5);
  auto const first = items.front().as_object();
  CHECK(first.at("id").as_string() == "urn:uuid:" + id_with(1012).to_string());
  CHECK(first.at("date_published").as_string() == "2026-11-20T17:19:04.000Z");
  CHECK(first.at("date_modified").as_string() == "2026-11-20T17:21:04.000Z");
  CHECK(first.at("tags") == boost::json::array{"incident", "identified"});
  CHECK_FALSE(items.at(1).as_object().contains("date_modified"));
  snapshot.incidents.front().posts.front().body = "corrected";
  snapshot.incidents.front().name = "another name";
  auto const again =
      boost::json::parse(json_feed({snapshot, page_address::on_domain("https://a.example"), sample_now})).as_object();
  CHECK(again.at("items").as_array().front().as_object().at("id") == first.at("id"));
  CHECK(again.at("items").as_array().front().as_object().at("date_published") == first.at("date_published"));
}

TEST_CASE("feeds have the newest fifty posts, none of the future") {
  auto snapshot = rich_snapshot();
  auto& posts = snapshot.incidents.front().posts;
  for (unsigned i = 0; i < 60; ++i)
    posts.push_back(
        {.id = id_with(3000 + i), .body = "text", .published_at = minutes_before(static_cast<int>(100 + i))});
  posts.push_back({.id = id_with(4000), .body = "later", .published_at = minutes_before(-1)});
  auto const json = json_feed({snapshot, sample_address(), sample_now});
  CHECK(boost::json::parse(json).as_object().at("items").as_array().size() == 50);
  CHECK_FALSE(contains(json, id_with(4000).to_string()));
  CHECK(contains(json, id_with(3000).to_string()));
  CHECK_FALSE(contains(json, id_with(3059).to_string()));
}

TEST_CASE("a calendar has events with sequence, state and folded lines") {
  auto snapshot = rich_snapshot();
  snapshot.maintenance.front().name =
      "Überprüfung der Datenbank, Teil eins; und Überprüfung der Anbindung an das Lager, Teil zwei";
  auto const text = calendar({snapshot, sample_address(), sample_now});
  CHECK(
      text.starts_with("BEGIN:VCALENDAR\r\nPRODID:-//Project Automation Service//Status pages//EN\r\nVERSION:2.0\r\n"
                       "NAME:Acme Shop\r\nX-WR-CALNAME:Acme Shop\r\nREFRESH-INTERVAL;VALUE=DURATION:PT15M\r\n"));
  CHECK(
      contains(text, "UID:" + id_with(2001).to_string() +
                         "\r\nDTSTAMP:20261117T172204Z\r\nDTSTART:20261120T170204Z\r\nDTEND:20261120T190204Z\r\n"
                         "SEQUENCE:2\r\nSTATUS:CONFIRMED\r\nSUMMARY:Überprüfung der Datenbank\\, Teil eins\\; und"));
  CHECK(contains(text, "DESCRIPTION:Payments can fail\\; baskets are kept\\, for now.\r\n"));
  CHECK(text.ends_with("CATEGORIES:MAINTENANCE\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"));
  std::size_t longest = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    auto const end = text.find("\r\n", begin);
    REQUIRE(end != std::string::npos);
    longest = std::max(longest, end - begin);
    // No fold inside a character.
    CHECK((static_cast<unsigned char>(text[begin + (text[begin] == ' ' ? 1 : 0)]) & 0xC0U) != 0x80U);
    begin = end + 2;
  }
  CHECK(longest <= 75);
  CHECK(longest >= 73);
}

TEST_CASE("cancelled events stay for thirty days, others for ninety, and sixty ahead") {
  auto snapshot = rich_snapshot();
  auto const shows = [&] {
    return contains(calendar({snapshot, sample_address(), sample_now}), id_with(2002).to_string());
  };
  auto& event = snapshot.maintenance.back();
  CHECK(shows());
  event.cancelled = true;
  CHECK(contains(calendar({snapshot, sample_address(), sample_now}), "STATUS:CANCELLED\r\n"));
  event.changed_at = minutes_before(30 * 1440);
  CHECK_FALSE(shows());
  event.changed_at = minutes_before(30 * 1440 - 1);
  CHECK(shows());
  event.cancelled = false;
  event.ends_at = minutes_before(90 * 1440);
  CHECK_FALSE(shows());
  event.ends_at = minutes_before(90 * 1440 - 1);
  CHECK(shows());
  event.starts_at = minutes_before(-60 * 1440);
  event.ends_at = minutes_before(-61 * 1440);
  CHECK_FALSE(shows());
  event.starts_at = minutes_before(-60 * 1440 + 1);
  CHECK(shows());
  snapshot.maintenance.insert(snapshot.maintenance.begin(), 300, event);
  auto const text = calendar({snapshot, sample_address(), sample_now});
  std::size_t events = 0;
  for (auto place = text.find("BEGIN:VEVENT"); place != text.npos; place = text.find("BEGIN:VEVENT", place + 1))
    ++events;
  CHECK(events == 200);
}

TEST_CASE("a badge has a short label and the words of its page's language") {
  auto snapshot = rich_snapshot();
  auto const svg = badge_svg({snapshot, sample_address(), sample_now});
  CHECK(contains(svg, "<title>Acme Shop: Major outage</title>"));
  CHECK(contains(svg, "fill=\"#b71727\""));
  CHECK(
      contains(badge_svg({snapshot, sample_address(), sample_now + std::chrono::minutes(10)}), "Acme Shop: Unknown"));
  snapshot.page.language = page_language::ja;
  snapshot.page.name = std::string(41, 'x');
  auto const japanese = badge_svg({snapshot, sample_address(), sample_now});
  CHECK(contains(japanese, std::string(39, 'x') + "…: 大規模障害"));
  CHECK(markup_reader::read(japanese).problem == "");
  CHECK(contains(missing_badge_svg(), "status: Unknown"));
}

TEST_CASE("a summary has what the page shows, with its times") {
  auto const snapshot = rich_snapshot();
  auto const json = boost::json::parse(summary_json({snapshot, sample_address(), sample_now})).as_object();
  CHECK(json.at("status").as_string() == "major_outage");
  CHECK(json.at("asOf").as_string() == "2026-11-20T17:22:04.000Z");
  CHECK(json.at("evidenceAt").as_string() == "2026-11-20T17:21:04.000Z");
  CHECK(json.at("validUntil").as_string() == "2026-11-20T17:25:04.000Z");
  CHECK(json.at("components").as_array().size() == 7);
  CHECK(json.at("openIncidents").as_array().size() == 1);
  CHECK(json.at("maintenance").as_array().size() == 2);
  auto const later =
      boost::json::parse(summary_json({snapshot, sample_address(), sample_now + std::chrono::minutes(3)}))
          .as_object();
  CHECK(later.at("status").as_string() == "unknown");
  for (auto const& component : later.at("components").as_array())
    CHECK(component.at("status").as_string() == "unknown");
}

TEST_CASE("mails are in the page's language and link to the post and to the end of the subscription") {
  auto snapshot = rich_snapshot();
  snapshot.page.language = page_language::de;
  page_view const view{snapshot, sample_address(), sample_now};
  auto const mail = post_mail(view, id_with(1012), "TOKEN");
  REQUIRE(mail);
  CHECK(mail->subject == "Acme Shop: [Ursache gefunden] Checkout answers with errors");
  CHECK(mail->text ==
        "[Ursache gefunden] Checkout answers with errors\n\nA release cannot reach its database.\n\nSee "
        "https://acme.example/a?b=1&c=2.\n\nBetroffene Systeme: Checkout\n\nAuf der Seite: "
        "https://status.example/status/acme/incidents/" +
            id_with(1001).to_string() + "#" + id_with(1012).to_string() +
            "\n\nAbbestellen: https://status.example/status/acme/subscriptions/TOKEN\n");
  CHECK_FALSE(post_mail(view, id_with(77), "TOKEN"));
  auto const confirmation = confirmation_mail(view, "TOKEN");
  CHECK(confirmation.subject == "Acme Shop: Abonnement bestätigen");
  CHECK(contains(confirmation.text, "„Acme Shop“ (status.example)"));
  CHECK(contains(confirmation.text, "„Ich habe nicht darum gebeten“"));
}
