// Subscriptions of status pages: confirmations to a real mail server, links, limits and refusals.
#include "page_mail_fixture.hpp"

#include "support/together.hpp"

#include <algorithm>
#include <atomic>
#include <set>

using namespace svc;
using namespace svc::test;
using pages::subscription_step;
using store::subscription_action;

TEST_CASE("a request becomes a confirmation, and its link starts and ends a subscription by buttons only") {
  page_mailing db;
  mail_sink const sink;
  db.use_server(sink.port());
  auto const page = db.make_page("acme");
  page_mailer mailer(db.parts());
  REQUIRE(db.wait(db.subscribers.request(db.requests, {page, "Ann@Mail.test", {}}, db.soon())));
  db.pass(mailer);
  auto const mails = sink.mails();
  REQUIRE(mails.size() == 1);
  CHECK(mails[0].at("defects").as_array().empty());
  CHECK(mails[0].at_pointer("/recipients/0").as_string() == "Ann@Mail.test");
  CHECK(mails[0].at_pointer("/headers/auto-submitted").as_string() == "auto-generated");
  CHECK_FALSE(mails[0].at("headers").as_object().contains("list-unsubscribe"));
  auto const text = text_of_mail(mails[0]);
  CHECK(text.find("https://svc.example/status/acme/subscriptions/") != std::string::npos);
  auto const token = token_in(text);
  REQUIRE(token.size() == 32);
  // No row has the token.
  CHECK(db.word("SELECT string_agg(s::text || c::text, '') FROM page_subscribers s, page_confirmations c")
            .find(token) == std::string::npos);
  // Programs that follow links change nothing.
  for (int i = 0; i < 3; ++i) CHECK(db.shown(page, token) == subscription_step::confirm);
  CHECK(db.word("SELECT state FROM page_subscribers") == "pending");
  CHECK(db.press(page, token, subscription_action::confirm) == subscription_step::confirmed);
  CHECK(db.press(page, token, subscription_action::confirm) == subscription_step::link_over);
  CHECK(db.press(page, token, subscription_action::refuse) == subscription_step::link_over);
  CHECK(db.shown(page, token) == subscription_step::stop);
  CHECK(db.word("SELECT active || ' ' || pending FROM page_audiences") == "1 0");
  CHECK(db.ask(page, "ann@mail.test") == subscription_outcome::active);
  CHECK(db.press(page, token, subscription_action::stop) == subscription_step::stopped);
  CHECK(db.press(page, token, subscription_action::stop) == subscription_step::stopped);
  CHECK(db.shown(page, token) == subscription_step::link_over);
  CHECK(db.word("SELECT active || ' ' || pending FROM page_audiences") == "0 0");
  CHECK(db.counts(R"(svc_subscriptions_total{outcome="asked"} 1)"));
  CHECK(db.counts(R"(svc_page_mails_total{kind="confirmation",outcome="sent"} 1)"));
}

TEST_CASE("a link works on its own page only, for a day, and not with a part of its token") {
  page_mailing db;
  db.keep_mails();
  auto const page = db.make_page("acme"), other = db.make_page("other");
  page_mailer mailer(db.parts());
  CHECK(db.ask(page, "ann@mail.test") == subscription_outcome::asked);
  db.pass(mailer);
  REQUIRE(db.sent.size() == 1);
  auto const token = token_in(unfolded(db.sent[0].content));
  CHECK(db.shown(other, token) == subscription_step::link_over);
  CHECK(db.press(other, token, subscription_action::confirm) == subscription_step::link_over);
  for (auto const& wrong : {std::string(), token.substr(1), token + "A", std::string(32, 'A'), std::string(32, '!')})
    CHECK(db.shown(page, wrong) == subscription_step::link_over);
  db.as_owner("UPDATE page_subscribers SET confirm_expires_at = now() - interval '1 s'");
  CHECK(db.shown(page, token) == subscription_step::link_over);
  CHECK(db.press(page, token, subscription_action::confirm) == subscription_step::link_over);
  CHECK(db.wait(db.subscribers.delete_over(100, db.soon())) == 0);
  db.as_owner("UPDATE page_subscribers SET created_at = created_at - interval '25 hours'");
  CHECK(db.wait(db.subscribers.delete_over(100, db.soon())) == 1);
  CHECK(db.word("SELECT pending::text FROM page_audiences") == "0");
}

TEST_CASE("fifty pages that ask a hundred addresses send three mails to each, also if the pages are deleted") {
  page_mailing db;
  db.keep_mails();
  db.most.confirmations_per_hour = 100'000;
  std::vector<uuid> pages;
  for (int i = 0; i < 50; ++i) pages.push_back(db.make_page("acme-" + std::to_string(i)));
  std::size_t asked = 0;
  for (int address = 0; address < 100; ++address)
    for (auto const& page : pages) {
      auto const outcome = db.ask(page, "n" + std::to_string(address) + "@mail.test");
      asked += outcome == subscription_outcome::asked ? 1U : 0U;
    }
  CHECK(asked == 300);
  page_mailer mailer(db.parts());
  db.pass_all(mailer);
  CHECK(db.sent.size() == 300);
  auto const names = db.recipients();
  for (int address = 0; address < 100; ++address)
    CHECK(std::ranges::count(names, "n" + std::to_string(address) + "@mail.test") == 3);
  // The deletion of pages gives no mail back.
  db.as_owner("DELETE FROM status_pages");
  auto const fresh = db.make_page("fresh");
  CHECK(db.ask(fresh, "N1@mail.test") == subscription_outcome::too_many_mails);
  db.as_owner("UPDATE page_confirmations SET sent_at = sent_at - interval '24 hours'");
  CHECK(db.ask(fresh, "N1@mail.test") == subscription_outcome::asked);
}

TEST_CASE(
    "a page asks an address once a day, and a project gets half of the installation's confirmations of an hour") {
  page_mailing db;
  db.most.confirmations_per_hour = 5;
  auto const page = db.make_page("acme"), other = db.make_page("other");
  CHECK(db.ask(page, "ann@mail.test") == subscription_outcome::asked);
  CHECK(db.ask(page, "ANN@mail.test") == subscription_outcome::too_many_mails);
  CHECK(db.ask(other, "ann@mail.test") == subscription_outcome::asked);
  CHECK(db.ask(page, "bob@mail.test") == subscription_outcome::asked);
  CHECK(db.ask(other, "cid@mail.test") == subscription_outcome::limited);
  auto const now_of_others = [&] { db.as_owner("UPDATE page_confirmations SET project_id = gen_random_uuid()"); };
  now_of_others();
  CHECK(db.ask(other, "cid@mail.test") == subscription_outcome::asked);
  CHECK(db.ask(page, "dan@mail.test") == subscription_outcome::asked);
  now_of_others();
  CHECK(db.ask(page, "eve@mail.test") == subscription_outcome::limited);
  db.as_owner("UPDATE page_confirmations SET sent_at = sent_at - interval '1 hour'");
  CHECK(db.ask(page, "eve@mail.test") == subscription_outcome::asked);
}

TEST_CASE("who did not ask gets no mail from any page again") {
  page_mailing db;
  db.keep_mails();
  auto const page = db.make_page("acme"), other = db.make_page("other"), third = db.make_page("third");
  page_mailer mailer(db.parts());
  db.make_subscriber(other, "Ann@mail.test");
  CHECK(db.ask(page, "ann@mail.test") == subscription_outcome::asked);
  CHECK(db.ask(third, "ann@mail.test") == subscription_outcome::asked);
  db.wait(mailer.look());
  db.wait(mailer.emptied(db.soon()));
  REQUIRE_FALSE(db.sent.empty());
  auto const first = std::ranges::find_if(
      db.sent, [](egress::mail const& each) { return unfolded(each.content).find("/acme/") != std::string::npos; });
  REQUIRE(first != db.sent.end());
  CHECK(db.press(page, token_in(unfolded(first->content)), subscription_action::refuse) ==
        subscription_step::refused);
  CHECK(db.word("SELECT count(*)::text FROM page_subscribers") == "0");
  CHECK(db.word("SELECT string_agg(active || ' ' || pending, ',') FROM page_audiences") == "0 0,0 0,0 0");
  for (auto const& each : {page, other, third}) CHECK(db.ask(each, "ANN@mail.test") == subscription_outcome::refused);
  db.as_owner("UPDATE page_confirmations SET sent_at = sent_at - interval '30 days'; DELETE FROM page_subscribers");
  CHECK(db.ask(page, "ann@mail.test") == subscription_outcome::refused);
}

TEST_CASE("a page that takes no subscribers, is full, or whose address is none, mails nobody, and answers the same") {
  page_mailing db;
  db.keep_mails();
  db.most.subscribers = 2;
  auto const closed = db.make_page("closed"), draft = db.make_page("draft"), full = db.make_page("full");
  db.as_owner("UPDATE status_pages SET allow_subscribers = false WHERE id = '" + closed.to_string() +
              "'; UPDATE status_pages SET status = 'draft' WHERE id = '" + draft.to_string() + "'");
  page_mailer mailer(db.parts());
  for (auto const& page : {closed, draft, uuid::generate_v7()}) {
    CHECK(db.wait(db.subscribers.request(db.requests, {page, "ann@mail.test", {}}, db.soon())));
    CHECK(db.requests.size() == 0);
    CHECK(db.ask(page, "ann@mail.test") == subscription_outcome::not_offered);
  }
  CHECK(db.ask(full, "a@mail.test") == subscription_outcome::asked);
  CHECK(db.ask(full, "b@mail.test") == subscription_outcome::asked);
  CHECK(db.ask(full, "c@mail.test") == subscription_outcome::page_full);
  CHECK(db.word("SELECT pending::text FROM page_audiences") == "2");
  for (auto const* odd : {"nobody", "two@signs@mail.test", "line\r\nBcc: x@mail.test", "\"quoted\"@mail.test"})
    CHECK(db.requests.push({full, odd, {}}));
  db.pass(mailer);
  CHECK(db.counts(R"(svc_subscriptions_total{outcome="refused"} 4)"));
  CHECK(db.sent.size() == 2);
  // A full page confirms nobody either.
  db.most.subscribers = 1;
  CHECK(db.press(full, token_in(unfolded(db.sent[0].content)), subscription_action::confirm) ==
        subscription_step::confirmed);
  CHECK(db.press(full, token_in(unfolded(db.sent[1].content)), subscription_action::confirm) ==
        subscription_step::link_over);
  CHECK(db.word("SELECT active || ' ' || pending FROM page_audiences") == "1 1");
}

TEST_CASE("a page keeps to its number of subscribers, however many ask and confirm at once") {
  page_mailing db;
  db.keep_mails();
  db.most.subscribers = 10;
  auto const page = db.make_page("acme");
  std::atomic<int> asked = 0, confirmed = 0;
  auto const each_thread = [&](int threads, auto const& step) {
    together(threads, [&](int thread) {
      asio::io_context io{1};
      postgres::pool pool(io, {.url = secret_string(db.url()), .size = 1});
      pool.start();
      store::subscriber_store subscribers(pool);
      step(io, subscribers, thread);
    });
  };
  each_thread(8, [&](asio::io_context& io, store::subscriber_store& subscribers, int thread) {
    auto keys = db.master;
    for (int n = 0; n < 8; ++n) {
      auto const address = "n" + std::to_string(thread) + "-" + std::to_string(n) + "@mail.test";
      auto const outcome = run_task(
          io, subscribers.subscribe({page, address, {}}, keys, db.most, deadline::after(std::chrono::seconds(20))));
      asked += outcome == subscription_outcome::asked ? 1 : 0;
    }
  });
  CHECK(asked == 10);
  CHECK(db.word("SELECT pending::text FROM page_audiences") == "10");
  page_mailer mailer(db.parts());
  db.pass_all(mailer);
  REQUIRE(db.sent.size() == 10);
  db.most.subscribers = 5;
  each_thread(10, [&](asio::io_context& io, store::subscriber_store& subscribers, int thread) {
    auto const token = token_in(unfolded(db.sent.at(static_cast<std::size_t>(thread)).content));
    auto const step = run_task(io, subscribers.act(page, token, subscription_action::confirm, db.most,
                                                   deadline::after(std::chrono::seconds(20))));
    confirmed += step == subscription_step::confirmed ? 1 : 0;
  });
  CHECK(confirmed == 5);
  CHECK(db.word("SELECT active || ' ' || pending FROM page_audiences") == "5 5");
}

TEST_CASE("numbers of confirmations count for a day, and the oldest refusals beyond their bound are deleted") {
  page_mailing db;
  auto const page = db.make_page("acme");
  for (auto const* each : {"a@mail.test", "b@mail.test"}) CHECK(db.ask(page, each) == subscription_outcome::asked);
  db.as_owner(
      "INSERT INTO mail_refusals SELECT sha256(i::text::bytea), now() - i * interval '1 day' FROM generate_series(1, "
      "9)"
      " i; UPDATE page_confirmations SET sent_at = sent_at - interval '25 hours' WHERE digest ="
      " sha256(convert_to('a@mail.test', 'UTF8'))");
  CHECK(db.wait(db.subscribers.delete_over(100, db.soon())) == 1);
  CHECK(db.word("SELECT count(*)::text FROM page_confirmations") == "1");
  CHECK(db.wait(db.subscribers.delete_over(4, db.soon(), 3)) == 4);
  CHECK(db.wait(db.subscribers.delete_over(4, db.soon(), 3)) == 2);
  CHECK(db.wait(db.subscribers.delete_over(4, db.soon(), 3)) == 0);
  CHECK(db.word("SELECT (min(refused_at) > now() - interval '4 days')::text FROM mail_refusals") == "true");
}

TEST_CASE("the operator's list of recipients holds for pages too") {
  page_mailing db;
  db.keep_mails();
  db.allowed = notifications::recipient_policy({"members", "example.org"});
  db.as_owner("UPDATE users SET email = 'ada@acme.test' WHERE id = '" + db.ada.to_string() + "'");
  auto const page = db.make_page("acme");
  for (auto const* each : {"x@else.test", "x@example.org", "Ada@acme.test"})
    CHECK(db.requests.push({page, each, {}}));
  page_mailer mailer(db.parts());
  db.pass_all(mailer);
  auto const names = db.recipients();
  CHECK(std::set<std::string>(names.begin(), names.end()) == std::set<std::string>{"x@example.org", "Ada@acme.test"});
}

TEST_CASE("a request that cannot be stored delays no other one and no mail, and is given up after ten minutes") {
  page_mailing db;
  db.keep_mails();
  auto const broken = db.make_page("broken"), other = db.make_page(db.elsewhere().project, "other", "Other");
  db.make_subscriber(broken, "old@mail.test");
  // No master key opens the project's key.
  db.as_owner(
      "UPDATE project_keys SET master_key_id = 'lost', wrapped = set_byte(wrapped, 0, get_byte(wrapped, 0) # 1)");
  CHECK(db.requests.push({broken, "ann@mail.test", {}}));
  CHECK(db.requests.push({other, "bob@mail.test", {}}));
  page_mailer mailer(db.parts());
  for (int i = 0; i < 2; ++i) CHECK_THROWS_AS(db.wait(mailer.look()), unavailable);
  db.wait(mailer.emptied(db.soon()));
  CHECK(db.recipients() == std::vector<std::string>{"bob@mail.test"});
  CHECK(db.requests.size() == 1);
  auto parts = db.parts();
  parts.clock = [] { return steady::now() + std::chrono::minutes(11); };
  page_mailer late(std::move(parts));
  CHECK_THROWS_AS(db.wait(late.look()), unavailable);
  CHECK(db.requests.size() == 0);
}

TEST_CASE("requests wait while PostgreSQL is away, and a full queue takes no more") {
  page_mailing db;
  auto const page = db.make_page("acme");
  postgres::pool nobody(db.io, {.url = secret_string("postgresql://svc@127.0.0.1:1/svc"), .size = 1});
  nobody.start();
  store::subscriber_store away(nobody);
  CHECK_THROWS_AS(db.wait(away.request(db.requests, {page, "ann@mail.test", {}}, db.soon())), unavailable);
  nobody.stop();
  for (std::size_t i = 0; i < store::subscription_queue::most; ++i) CHECK(db.requests.push({page, "no address", {}}));
  CHECK_FALSE(db.wait(db.subscribers.request(db.requests, {page, "ann@mail.test", {}}, db.soon())));
}
