// Mails about posts of status pages: in batches, in turns, again, and after a crash.
#include "page_mail_fixture.hpp"

#include "svc/core/failpoint.hpp"
#include "svc/egress/mail/mail_turns.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <set>

using namespace svc;
using namespace svc::test;

namespace {

/// The part of a raw mail between a field's name and the end of its line.
std::string page_field(std::string const& content, std::string const& label) {
  auto const start = content.find(label);
  return start == std::string::npos ? std::string() : content.substr(start, content.find("\r\n", start) - start);
}

}  // namespace

TEST_CASE("a post goes out in batches of twenty, once to each subscriber, whatever instances send it") {
  page_mailing db;
  db.keep_mails();
  db.most.confirmations_per_hour = 1'000;
  auto const page = db.make_page("acme");
  std::set<std::string> all;
  for (int i = 0; i < 65; ++i) {
    auto const name = "n" + std::to_string(i) + "@mail.test";
    CHECK(db.ask(page, name) == subscription_outcome::asked);
    all.insert(name);
  }
  db.make_subscriber(page, "last@mail.test");
  all.insert("last@mail.test");
  auto const incident = db.make_incident(page, "Checkout fails");
  db.post(page, incident, "We look at it.");
  // A batch that an instance gives back unsent.
  store::page_mail_store mails(db.pool, db.master);
  db.wait(mails.announce(db.soon()));
  auto const batch = db.wait(mails.claim_post({}, db.soon())).batch;
  REQUIRE(batch.has_value());
  REQUIRE(batch->recipients.size() == static_cast<std::size_t>(store::page_mail_batch));
  store::post_batch_end unsent;
  unsent.mails.resize(batch->recipients.size());
  CHECK(db.wait(mails.settle_post(*batch, unsent, db.soon())));
  page_mailer mailer(db.parts()), other(db.parts());
  db.wait(mailer.look());
  db.wait(other.look());
  for (int i = 0; i < 10; ++i) {
    db.pass(mailer);
    db.pass(other);
  }
  auto const names = db.recipients();
  CHECK(names.size() == 66);
  CHECK(std::set<std::string>(names.begin(), names.end()) == all);
  // A subscriber who confirms later gets no former post.
  CHECK(db.word("SELECT count(*)::text FROM page_mail_jobs WHERE ended_at IS NULL") == "0");
}

TEST_CASE("projects take turns, so a large page does not hold up a small one") {
  page_mailing db;
  db.most.confirmations_per_hour = 1'000;
  auto const large = db.make_page("large");
  auto const small = db.make_page(db.elsewhere().project, "small", "Small");
  for (int i = 0; i < 100; ++i)
    CHECK(db.ask(large, "n" + std::to_string(i) + "@mail.test") == subscription_outcome::asked);
  db.make_subscriber(small, "small@mail.test");
  db.post(large, db.make_incident(large, "Large"), "Text.");
  db.post(small, db.make_incident(small, "Small"), "Text.");
  db.keep_mails();
  page_mailer mailer(db.parts());
  db.pass_all(mailer);
  auto const names = db.recipients();
  CHECK(names.size() == 101);
  auto const position = std::ranges::find(names, "small@mail.test") - names.begin();
  CHECK(position <= 2 * store::page_mail_batch);
}

TEST_CASE("a mail that is not taken is sent again five times, and three posts refused in a row end a subscription") {
  page_mailing db;
  db.keep_mails();
  auto const page = db.make_page("acme");
  db.make_subscriber(page, "good@mail.test");
  db.make_subscriber(page, "later@mail.test");
  db.make_subscriber(page, "never@mail.test");
  db.answer = [](std::string const& recipient) {
    if (recipient.starts_with("later")) return page_mailing::answered(451);
    return recipient.starts_with("never") ? page_mailing::answered(550) : page_mailing::accepted();
  };
  auto const incident = db.make_incident(page, "Checkout fails");
  page_mailer mailer(db.parts());
  db.post(page, incident, "One.");
  db.pass(mailer);
  CHECK(db.sent.size() == 3);
  CHECK(db.word("SELECT string_agg(attempts::text, ',') FROM page_mails") == "1");
  for (int again = 0; again < 8; ++again) {
    db.later("1 hour");
    db.pass(mailer);
  }
  auto const names = db.recipients();
  CHECK(std::ranges::count(names, "later@mail.test") == 6);
  CHECK(std::ranges::count(names, "good@mail.test") == 1);
  CHECK(std::ranges::count(names, "never@mail.test") == 1);
  CHECK(db.word("SELECT count(*)::text FROM page_mails") == "0");
  // Each attempt at a mail has its id.
  std::set<std::string> ids;
  for (auto const& each : db.sent)
    if (each.recipient == "later@mail.test") ids.insert(page_field(each.content, "Message-ID: "));
  CHECK(ids.size() == 1);

  db.post(page, incident, "Two.");
  db.pass(mailer);
  CHECK(db.word("SELECT refused_posts::text FROM page_subscribers WHERE email = 'never@mail.test'") == "2");
  // An accepted mail starts the count again.
  db.answer = {};
  db.post(page, incident, "Three.");
  db.pass(mailer);
  CHECK(db.word("SELECT refused_posts::text FROM page_subscribers WHERE email = 'never@mail.test'") == "0");
  db.answer = [](std::string const& recipient) {
    return recipient.starts_with("never") ? page_mailing::answered(550) : page_mailing::accepted();
  };
  for (int i = 0; i < 3; ++i) {
    db.post(page, incident, "More.");
    db.pass(mailer);
  }
  CHECK(db.word("SELECT string_agg(email, ',' ORDER BY email) FROM page_subscribers") ==
        "good@mail.test,later@mail.test");
}

TEST_CASE("posts wait in order while the mail server is away, without losing an attempt, and end after a day") {
  page_mailing db;
  db.keep_mails();
  auto const page = db.make_page("acme");
  db.make_subscriber(page, "ann@mail.test");
  db.make_subscriber(page, "bob@mail.test");
  auto const incident = db.make_incident(page, "Checkout fails");
  auto const first = db.post(page, incident, "One."), second = db.post(page, incident, "Two.");
  db.answer = [](std::string const&) { return egress::mail_answer{.error = egress::failure::connect_refused}; };
  page_mailer mailer(db.parts());
  for (int i = 0; i < 12; ++i) {
    db.pass(mailer);
    db.later("2 hours");
  }
  CHECK(db.word("SELECT count(*)::text FROM page_mails") == "0");
  CHECK(db.word("SELECT string_agg((attempts > 0)::text, ',' ORDER BY created_at) FROM page_mail_jobs") ==
        "true,false");
  db.answer = {};
  db.sent.clear();
  for (int i = 0; i < 4; ++i) db.pass(mailer);
  REQUIRE(db.sent.size() == 4);
  for (int i = 0; i < 4; ++i)
    CHECK(page_field(db.sent.at(static_cast<std::size_t>(i)).content, "Message-ID: ")
              .starts_with("Message-ID: <" + (i < 2 ? first : second).to_string()));
  db.post(page, incident, "Three.");
  db.as_owner("UPDATE page_mail_jobs SET created_at = created_at - interval '25 hours'");
  db.wait(mailer.retain());
  db.pass(mailer);
  CHECK(db.sent.size() == 4);
  db.as_owner("UPDATE page_mail_jobs SET ended_at = ended_at - interval '25 hours'");
  db.wait(mailer.retain());
  CHECK(db.word("SELECT count(*)::text FROM page_mail_jobs") == "0");
}

TEST_CASE("an instance that dies in a batch delays it by its lease, and its mails repeat with their ids") {
  for (auto const* point : {"page_mail.claimed", "page_mail.attempted"}) {
    CAPTURE(point);
    page_mailing db;
    mail_sink const sink;
    auto const page = db.make_page("acme");
    db.make_subscriber(page, "ann@mail.test");
    db.make_subscriber(page, "bob@mail.test");
    db.post(page, db.make_incident(page, "Checkout fails"), "One.");
    if (auto const child = ::fork(); child == 0) {
      failpoint::configure(std::string(point) + "=exit");
      asio::io_context io{1};
      postgres::pool pool(io, {.url = secret_string(db.url()), .size = 2});
      pool.start();
      auto const client = make_mail_client(io, sink.port());
      page_mailer mailer(
          {.io = io,
           .db = pool,
           .master = db.master,
           .send = [&](egress::mail mail, deadline until) { return client->send(std::move(mail), until); },
           .sender = "Service <svc@svc.example>",
           .public_url = db.public_url,
           .requests = db.requests,
           .counters = db.counters,
           .loops = {db.loops, io, "delivery", [] { return true; }}});
      asio::co_spawn(io, mailer.look(), asio::detached);
      io.run();
      ::_exit(0);
    } else {
      int status = 0;
      REQUIRE(::waitpid(child, &status, 0) == child);
      REQUIRE(WIFEXITED(status));
      REQUIRE(WEXITSTATUS(status) == 137);
    }
    std::size_t const before = std::string_view(point) == "page_mail.claimed" ? 0 : 2;
    CHECK(sink.mails().size() == before);
    db.use_server(sink.port());
    page_mailer mailer(db.parts());
    db.pass(mailer);
    CHECK(sink.mails().size() == before);
    db.later("61 s");
    db.pass(mailer);
    std::multiset<std::string> ids;
    for (auto const& each : sink.mails()) ids.insert(page_header(each, "message-id"));
    CHECK(ids.size() == before + 2);
    CHECK(std::set<std::string>(ids.begin(), ids.end()).size() == 2);
  }
}

TEST_CASE("mails of pages wait for alerts, and what has no turn in its lease stays with its post") {
  page_mailing db;
  db.keep_mails();
  auto const page = db.make_page("acme");
  db.make_subscriber(page, "ann@mail.test");
  db.post(page, db.make_incident(page, "Checkout fails"), "One.");
  egress::mail_turns turns(db.io, 1);
  auto parts = db.parts();
  parts.turns = &turns;
  // The lease is nearly over, so there is no time for a turn.
  parts.clock = [] { return steady::now() + std::chrono::seconds(30); };
  page_mailer late(std::move(parts));
  db.pass(late);
  CHECK(db.sent.empty());
  CHECK(db.word("SELECT count(*)::text FROM page_mail_jobs WHERE ended_at IS NULL AND claim_id IS NULL") == "1");
  auto again = db.parts();
  again.turns = &turns;
  page_mailer mailer(std::move(again));
  // Alerts that wait go first.
  std::size_t alerts = 0;
  for (int i = 0; i < 3; ++i)
    asio::co_spawn(db.io, turns.take(egress::mail_lane::alert, db.project, db.soon()),
                   [&](std::exception_ptr const&, bool granted) {
                     alerts += granted ? 1U : 0U;
                     CHECK(db.sent.empty());
                   });
  db.later("10 s");
  db.pass(mailer);
  CHECK(alerts == 3);
  CHECK(db.sent.size() == 1);
}

TEST_CASE("a page queues twenty posts within an hour and a hundred within a day, each once") {
  page_mailing db;
  auto const page = db.make_page("acme"), other = db.make_page("other");
  auto const queue = [&](uuid const& on_page, uuid const& post) {
    return db
        .must({{"page_mailing_queue_one", "SELECT queue_page_post($1, $2, clock_timestamp())"},
               postgres::parameters(on_page, post)})
        .front()
        .boolean(0);
  };
  auto const post = uuid::generate_v7();
  for (int i = 0; i < 3; ++i) CHECK(queue(page, post));
  CHECK(db.word("SELECT count(*)::text FROM page_mail_jobs") == "1");
  for (int hour = 0; hour < 5; ++hour) {
    while (db.word("SELECT count(*)::text FROM page_mail_jobs WHERE created_at > now() - interval '1 hour'") != "20")
      REQUIRE(queue(page, uuid::generate_v7()));
    CHECK_FALSE(queue(page, uuid::generate_v7()));
    db.as_owner("UPDATE page_mail_jobs SET created_at = created_at - interval '61 min'");
  }
  CHECK(db.word("SELECT count(*)::text FROM page_mail_jobs") == "100");
  CHECK_FALSE(queue(page, uuid::generate_v7()));
  CHECK(queue(other, uuid::generate_v7()));
}

TEST_CASE("an archived page, one without subscribers, and a deleted post mail nobody") {
  page_mailing db;
  db.keep_mails();
  auto const page = db.make_page("acme");
  db.make_subscriber(page, "ann@mail.test");
  auto const incident = db.make_incident(page, "Checkout fails");
  page_mailer mailer(db.parts());
  db.post(page, incident, "One.");
  db.as_owner("UPDATE status_pages SET status = 'archived'");
  db.pass(mailer);
  db.as_owner("UPDATE status_pages SET status = 'published', allow_subscribers = false");
  db.post(page, incident, "Two.");
  db.pass(mailer);
  db.as_owner("UPDATE status_pages SET allow_subscribers = true; UPDATE projects SET archived_at = now()");
  db.post(page, incident, "Of an archived project.");
  db.pass(mailer);
  db.as_owner("UPDATE projects SET archived_at = NULL");
  db.post(page, incident, "Three.");
  db.as_owner("DELETE FROM page_posts");
  db.pass(mailer);
  CHECK(db.sent.empty());
  CHECK(db.word("SELECT count(*)::text FROM page_mail_jobs WHERE ended_at IS NOT NULL") == "4");
}
