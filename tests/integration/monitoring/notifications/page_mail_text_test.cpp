// Mails about posts of status pages: their recipients, fields, links and language.
#include "page_mail_fixture.hpp"

#include <set>
#include <string>

using namespace svc;
using namespace svc::test;

TEST_CASE("a post reaches the subscribers of its components, with one click to end the subscription") {
  page_mailing db;
  mail_sink const sink;
  db.use_server(sink.port());
  auto const page = db.make_page("acme", "Größe & Söhne");
  auto const shop = db.make_component(page, "Shop", 1), mail = db.make_component(page, "Mail", 2);
  db.make_subscriber(page, "all@mail.test");
  db.make_subscriber(page, "shop@mail.test", {shop});
  db.make_subscriber(page, "other@mail.test", {mail});
  CHECK(db.ask(page, "pending@mail.test") == subscription_outcome::asked);
  db.as_owner("DELETE FROM page_confirmations");
  auto const incident = db.make_incident(page, "Checkout fails", {shop});
  auto const post = db.post(page, incident, "We look at it.\n\n.\nhttps://acme.test/more");
  page_mailer mailer(db.parts());
  db.pass(mailer);
  db.pass(mailer);
  auto mails = sink.mails();
  REQUIRE(mails.size() == 2);
  std::set<std::string> names, ids;
  for (auto const& each : mails) {
    CHECK(each.at("defects").as_array().empty());
    names.emplace(each.at_pointer("/recipients/0").as_string());
    ids.insert(page_header(each, "message-id"));
    CHECK(page_header(each, "message-id").starts_with("<" + post.to_string() + "."));
    CHECK(page_header(each, "references").starts_with("<thread." + incident.to_string() + "."));
    CHECK(page_header(each, "list-id").ends_with("<" + page.to_string() + ".status-pages.svc.example>"));
    CHECK(page_header(each, "list-unsubscribe-post") == "List-Unsubscribe=One-Click");
    auto const text = text_of_mail(each);
    CHECK(text.find("Checkout fails") != std::string::npos);
    CHECK(text.find("https://acme.test/more") != std::string::npos);
    CHECK(text.find("Shop") != std::string::npos);
    auto const token = token_in(text);
    CHECK(page_header(each, "list-unsubscribe") == "<https://svc.example/status/acme/subscriptions/" + token + ">");
    // A mail program posts the one click.
    auto const action = store::read_subscription_action("List-Unsubscribe=One-Click");
    REQUIRE(action.has_value());
    CHECK(db.press(page, token, *action) == pages::subscription_step::stopped);
  }
  CHECK(names == std::set<std::string>{"all@mail.test", "shop@mail.test"});
  CHECK(ids.size() == 2);
  CHECK(db.word("SELECT count(*)::text FROM page_mail_jobs WHERE ended_at IS NOT NULL") == "1");
  CHECK(db.counts(R"(svc_page_mails_total{kind="post",outcome="sent"} 2)"));
  db.post(page, incident, "Nobody but one reads this.");
  db.pass(mailer);
  CHECK(sink.mails().size() == 2);
}

TEST_CASE("the link of each mail works, and is on the page's own domain once that is verified") {
  page_mailing db;
  db.keep_mails();
  auto const page = db.make_page("acme");
  db.make_subscriber(page, "ann@mail.test");
  auto const incident = db.make_incident(page, "Checkout fails");
  page_mailer mailer(db.parts());
  db.post(page, incident, "One.");
  db.pass(mailer);
  db.as_owner("UPDATE status_pages SET custom_domain = 'status.acme.test'");
  db.post(page, incident, "Two.");
  db.pass(mailer);
  db.as_owner("UPDATE status_pages SET domain_verified_at = now()");
  db.post(page, incident, "Three.");
  db.pass(mailer);
  db.as_owner("UPDATE status_pages SET visibility = 'members'");
  db.post(page, incident, "Four.");
  db.pass(mailer);
  REQUIRE(db.sent.size() == 4);
  CHECK(db.sent[1].content.find("<https://svc.example/status/acme/subscriptions/") != std::string::npos);
  CHECK(db.sent[2].content.find("<https://status.acme.test/subscriptions/") != std::string::npos);
  // Members are signed in at the service only.
  CHECK(db.sent[3].content.find("status.acme.test") == std::string::npos);
  for (auto const& each : db.sent) CHECK(db.shown(page, token_in(each.content)) == pages::subscription_step::stop);
}

TEST_CASE("an announcement of maintenance is mailed in the page's language, with its planned time") {
  page_mailing db;
  mail_sink const sink;
  db.use_server(sink.port());
  auto const page = db.make_page("acme");
  db.as_owner("UPDATE status_pages SET language = 'de', time_zone = 'Europe/Berlin'");
  db.make_subscriber(page, "ann@mail.test");
  auto const occurrence = db.announce({page}, "Datenbank");
  page_mailer mailer(db.parts());
  db.pass(mailer);
  auto const mails = sink.mails();
  REQUIRE(mails.size() == 1);
  CHECK(mails[0].at("defects").as_array().empty());
  CHECK(page_header(mails[0], "message-id").starts_with("<" + occurrence.to_string() + "."));
  CHECK(page_header(mails[0], "subject") == "Acme: [Geplant] Datenbank");
  auto const text = text_of_mail(mails[0]);
  CHECK(text.find("All is slow.") != std::string::npos);
  CHECK(text.find("/maintenance/" + occurrence.to_string()) != std::string::npos);
  CHECK(text.find("Geplant von ") != std::string::npos);
}

TEST_CASE("the mail of an automatic post says in the page's language what happened") {
  page_mailing db;
  db.keep_mails();
  auto const page = db.make_page("acme");
  db.as_owner("UPDATE status_pages SET language = 'nl'");
  db.make_subscriber(page, "ann@mail.test");
  auto const post = db.post(page, db.make_incident(page, "web"), "x");
  db.as_owner("UPDATE page_posts SET automatic = true, body = '' WHERE id = '" + post.to_string() + "'");
  page_mailer mailer(db.parts());
  db.pass(mailer);
  REQUIRE(db.sent.size() == 1);
  CHECK(unfolded(db.sent[0].content).find("Onze bewaking heeft een storing vastgesteld.") != std::string::npos);
}
