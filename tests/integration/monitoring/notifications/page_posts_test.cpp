// Posts of status pages to notification providers, through the queue of alerts.
#include "delivery_fixture.hpp"
#include "page_mail_fixture.hpp"

#include "svc/monitoring/notifications/translation.hpp"

using namespace svc;
using namespace svc::test;

namespace {

struct page_posting : page_mailing {
  uuid make_hook(std::string const& label, bool enabled = true) {
    return wait(providers.create(as_ed(), {label, "webhook", enabled, R"({"url":"https://a.test/","method":"POST"})"},
                                 soon()))
        ->id;
  }
  void use_provider(uuid page, uuid provider, int slot) {
    must({{"page_posting_provider", R"(
INSERT INTO page_providers (project_id, page_id, slot, provider_id)
SELECT p.project_id, p.id, $2, $3 FROM status_pages p WHERE p.id = $1)"},
          postgres::parameters(page, slot, provider)});
  }
  std::string alerts() {
    return word(
        "SELECT string_agg(provider_name || ':' || coalesce(suppressed_by, status), ' ' ORDER BY provider_name, id)"
        " FROM alerts WHERE type = 'status_page_post'");
  }

  store::delivery_store queue{pool, telling_shop::group_of};
};

}  // namespace

TEST_CASE("the providers of a page get each post once, with its text, without a mail server too") {
  page_posting db;
  auto const page = db.make_page("acme");
  auto const hook = db.make_hook("hook"), off = db.make_hook("off", false), pager = db.make_hook("pager");
  db.use_provider(page, hook, 1);
  db.use_provider(page, off, 2);
  db.use_provider(page, pager, 3);
  db.as_owner("UPDATE notification_providers SET type = 'pagerduty' WHERE id = '" + pager.to_string() + "'");
  auto const incident = db.make_incident(page, "Checkout fails");
  db.post(page, incident, "We look at it.");
  page_mailer mailer(db.parts()), other(db.parts());
  db.wait(mailer.look());
  db.wait(other.look());
  db.wait(mailer.look());
  CHECK(db.alerts() == "hook:pending off:provider_disabled");
  db.wait(db.queue.wake(db.soon()));
  auto const claimed = db.wait(db.queue.claim(16, db.soon())).messages;
  REQUIRE(claimed.size() == 1);
  auto const message = notifications::message_of(claimed.front());
  REQUIRE(message.alerts.size() == 1);
  CHECK(message.alerts[0].about.name == "Acme");
  CHECK(message.alerts[0].post_title == "[Investigating] Checkout fails");
  CHECK(message.alerts[0].custom_message == "We look at it.");
  CHECK(notifications::sentence_of(message.alerts[0]) == "Acme: [Investigating] Checkout fails");
  auto const used = db.wait(db.providers.usage(db.project, hook, db.soon()));
  REQUIRE(used.has_value());
  REQUIRE(used->status_pages.size() == 1);
  CHECK(used->status_pages[0].name == "Acme");
}

TEST_CASE("a provider of two pages gets an announcement of both once, and a post without notification is silent") {
  page_posting db;
  auto const page = db.make_page("acme"), other = db.make_page("other", "Other");
  auto const hook = db.make_hook("hook");
  db.use_provider(page, hook, 1);
  db.use_provider(other, hook, 1);
  db.announce({page, other}, "Database upgrade");
  page_mailer mailer(db.parts());
  db.wait(mailer.look());
  CHECK(db.alerts() == "hook:pending");
  CHECK(db.word("SELECT error_message FROM alerts") == "[Scheduled] Database upgrade");
  auto const incident = db.make_incident(page, "Checkout fails");
  db.must({{"page_posting_quiet", R"(
INSERT INTO page_posts (id, project_id, parent_id, page_id, slot, status, body, display_at, notify)
VALUES (gen_random_uuid(), $1, $2, $3, 1, 'investigating', 'Quiet.', now(), false))"},
           postgres::parameters(db.project, incident, page)});
  db.wait(mailer.look());
  CHECK(db.alerts() == "hook:pending");
}
