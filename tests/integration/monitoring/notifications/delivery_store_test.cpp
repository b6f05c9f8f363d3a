// Alerts into messages: one under way for each provider, in order, whatever happens to who sends it.
#include "delivery_fixture.hpp"

#include "support/together.hpp"
#include "svc/store/delivery/mail_store.hpp"

#include <atomic>
#include <map>
#include <set>

using namespace svc;
using namespace svc::test;

TEST_CASE("a message is claimed once, has all known facts, and its outcome is written for the alert") {
  telling_shop db;
  auto const provider = db.make_provider("webhook");
  auto const monitor = db.make_notified({provider}).id;
  CHECK(db.claim().empty());
  db.fails(monitor);
  auto const message = db.claim_one();
  CHECK(message.provider == provider);
  CHECK(message.project_slug == "shop");
  CHECK(message.attempt == 1);
  CHECK_FALSE(message.maybe_repeated);
  REQUIRE(message.alerts.size() == 1);
  auto const& alert = message.alerts.front();
  CHECK(alert.type == "monitor_failure");
  CHECK(alert.target == monitor);
  CHECK(alert.monitor_target == "https://shop.test/");
  CHECK(alert.custom_message == "See the book.");
  REQUIRE(alert.outage.has_value());
  CHECK(alert.outage->cause.which == checks::code::connect_refused);
  CHECK(alert.outage->locations == std::vector<std::string>{"local"});
  // Until its end or the end of its lease nobody else gets it, nor what comes behind it.
  db.recovers(monitor);
  CHECK(db.claim().empty());
  auto const done = db.sent(message);
  CHECK(done.counted);
  REQUIRE(done.alerts.size() == 1);
  CHECK(done.alerts.front().type == "monitor_failure");
  CHECK(db.words("SELECT status || ' ' || attempts || ' ' || grouped || ' ' || (sent_at IS NOT NULL) FROM alerts"
                 " ORDER BY id") == "sent 1 false true pending 0 false false");
  CHECK(db.words("SELECT health || ' ' || (last_used_at IS NOT NULL) FROM notification_providers") == "ok true");
  CHECK(telling_shop::reported(db.claim_one()) == "site:recovery+");
  // The same end again counts no more.
  CHECK_FALSE(db.sent(message).counted);
}

TEST_CASE("a message whose lease expires during an attempt is sent again with its id, and only that attempt counts") {
  telling_shop db;
  auto const monitor = db.make_notified({db.make_provider("webhook")}).id;
  db.fails(monitor);
  auto const first = db.claim_one();
  db.later("30 s");
  CHECK(db.claim().empty());
  db.later("31 s");
  auto const second = db.claim_one();
  CHECK(second.id == first.id);
  CHECK(second.attempt == 2);
  CHECK(second.maybe_repeated);
  CHECK_FALSE(db.sent(first).counted);
  CHECK(db.words("SELECT status || ' ' || maybe_repeated || ' ' || attempts FROM alerts") == "pending true 2");
  CHECK(db.sent(second).counted);
  CHECK(db.words("SELECT status FROM alerts") == "sent");
}

TEST_CASE("an attempt that failed is followed by the next one, with the same id, after its pause") {
  telling_shop db;
  auto const monitor = db.make_notified({db.make_provider("webhook")}).id;
  db.fails(monitor);
  auto message = db.claim_one();
  auto const id = message.id;
  CHECK(db.fails_to_send(message).alerts.empty());
  CHECK(db.words("SELECT status || ' ' || error_reason || ' ' || error_status || ' ' ||"
                 " (next_attempt_at > now() + interval '55 s') FROM alerts") == "pending refused 503 true");
  CHECK(
      db.words("SELECT health || ' ' || last_error_reason || ' ' || last_error_status FROM notification_providers") ==
      "failing refused 503");
  db.recovers(monitor);
  CHECK(db.claim().empty());
  db.later("1 min");
  message = db.claim_one();
  CHECK(message.id == id);
  CHECK(message.attempt == 2);
  CHECK_FALSE(message.maybe_repeated);
  // A program gets each alert by itself; of the failure it learns that it is over.
  CHECK(telling_shop::reported(message) == "site:failure+");
  db.sent(message);
  CHECK(telling_shop::reported(db.claim_one()) == "site:recovery+");
  CHECK(db.words("SELECT health || ' ' || last_error_reason FROM notification_providers") == "ok refused");
}

TEST_CASE("a chat gets the first alert at once, and later ones in one message") {
  telling_shop db;
  auto const chat = db.make_provider("slack");
  std::vector<uuid> monitors;
  for (auto const* name : {"aaa", "bbb", "ccc", "ddd"}) monitors.push_back(db.make_notified({chat}, name).id);
  db.fails(monitors[0]);
  db.fails(monitors[1]);
  auto const first = db.claim_one();
  CHECK(telling_shop::reported(first) == "aaa:failure");
  db.fails(monitors[2]);
  db.sent(first);
  CHECK(db.claim().empty());
  db.later("15 s");
  CHECK(db.claim().empty());
  // An end whose start was not sent yet shares one line with it; the end of a sent alert is a line of its own.
  db.recovers(monitors[2]);
  db.recovers(monitors[0]);
  db.later("15 s");
  auto const rest = db.claim_one();
  CHECK(telling_shop::reported(rest) == "bbb:failure ccc:failure+ aaa:recovery+");
  db.sent(rest);
  CHECK(db.words("SELECT DISTINCT status || ' ' || grouped FROM alerts WHERE message_id = '" + rest.id.to_string() +
                 "'") == "sent true");
  CHECK(db.number({{"told_in_rest", "SELECT count(*) FROM alerts WHERE message_id = $1"},
                   postgres::parameters(rest.id)}) == 4);
  // After a quiet time the next alert is a message of its own again.
  db.later("31 s");
  db.fails(monitors[3]);
  db.fails(monitors[2]);
  CHECK(telling_shop::reported(db.claim_one()) == "ddd:failure");
}

TEST_CASE("the end follows in the same message if nobody accepted the failure, otherwise afterwards") {
  telling_shop db;
  auto const chat = db.make_provider("slack");
  auto const monitor = db.make_notified({chat}).id;
  for (bool const uncertain : {false, true}) {
    CAPTURE(uncertain);
    db.fails(monitor);
    db.fails_to_send(db.claim_one(), uncertain);
    db.recovers(monitor);
    db.later("1 min");
    auto const again = db.claim_one();
    CHECK(again.maybe_repeated == uncertain);
    CHECK(telling_shop::reported(again) == "site:failure+");
    db.sent(again);
    db.later("31 s");
    auto const next = db.claim();
    REQUIRE(next.size() == (uncertain ? 1 : 0));
    if (uncertain) CHECK(telling_shop::reported(next.front()) == "site:recovery+");
    CHECK(db.number({{"unsent_alerts", "SELECT count(*) FROM alerts WHERE message_id IS NULL"}}) == 0);
  }
}

TEST_CASE("recipients of a mail that are settled are known to the next attempt") {
  telling_shop db;
  auto const monitor = db.make_notified({db.make_provider("slack")}).id;
  db.fails(monitor);
  db.settle(db.claim_one(), {.reason = "refused", .uncertain = true, .taken = {"a@x.test"}, .refused = {"b@x.test"}});
  auto const again = db.claim_one();
  CHECK(again.taken == std::vector<std::string>{"a@x.test"});
  CHECK(again.refused == std::vector<std::string>{"b@x.test"});
}

TEST_CASE("3 000 alerts within a minute are at most four messages to a chat") {
  telling_shop db;
  auto const chat = db.make_provider("slack");
  auto const id = db.make_notified({chat}).id;
  auto const storm = [&](int count) {
    db.as_owner(
        "INSERT INTO alerts (id, project_id, type, target_type, target_id, target_name, about, number,"
        " provider_id, provider_name, status) SELECT gen_random_uuid(), '" +
        db.project.to_string() + "', 'monitor_failure', 'monitor', '" + id.to_string() +
        "', 'm' || i, gen_random_uuid(), 0, '" + chat.to_string() + "', 'one', 'pending' FROM generate_series(1, " +
        std::to_string(count) + ") i");
  };
  std::vector<std::size_t> reported;
  // A thousand each 20 s, and looks all the time.
  for (int second = 0; second < 120; second += 10) {
    if (second < 60 && second % 20 == 0) storm(1000);
    for (auto const& each : db.claim()) {
      reported.push_back(each.alerts.size());
      db.sent(each);
    }
    db.later("10 s");
  }
  CHECK(reported == std::vector<std::size_t>{1, 1000, 1000, 999});
  CHECK(db.words("SELECT DISTINCT status FROM alerts") == "sent");
}

TEST_CASE("three workers send in order, one message of a provider at a time, each alert once") {
  telling_shop db;
  std::vector<uuid> providers;
  for (int i = 0; i < 5; ++i) providers.push_back(db.make_provider("webhook", "p" + std::to_string(i)));
  std::vector<uuid> monitors;
  for (int i = 0; i < 4; ++i) monitors.push_back(db.make_notified(providers, "monitor " + std::to_string(i)).id);
  for (int round = 0; round < 3; ++round) {
    for (auto const& each : monitors) db.fails(each);
    for (auto const& each : monitors) db.recovers(each);
  }
  constexpr std::size_t expected = std::size_t{5} * 4 * 3 * 2;
  std::mutex guard;
  std::map<uuid, std::vector<std::string>> sequences;  // of each provider and monitor
  std::map<uuid, int> under_way;
  std::set<uuid> alerts;
  std::atomic<std::size_t> sent = 0;
  std::atomic<int> doubled = 0;
  together(3, [&](int) {
    asio::io_context io{1};
    postgres::pool pool(io, {.url = secret_string(db.url())});
    pool.start();
    store::delivery_store mine(pool, telling_shop::group_of);
    for (auto const until = deadline::after(std::chrono::seconds(60)); sent < expected && !until.passed();) {
      run_task(io, mine.wake(db.soon()));
      auto const claimed = run_task(io, mine.claim(2, db.soon()));
      for (auto const& each : claimed.messages) {
        std::scoped_lock const lock(guard);
        if (++under_way[each.provider] > 1) ++doubled;
        for (auto const& alert : each.alerts) {
          if (!alerts.insert(alert.id).second) ++doubled;
          sequences[each.provider].push_back(alert.target_name + alert.type);
        }
      }
      for (auto const& each : claimed.messages) {
        {
          std::scoped_lock const lock(guard);
          --under_way[each.provider];
        }
        if (run_task(io, mine.settle(each, {.state = store::attempt_end::fate::sent}, db.soon())).counted) ++sent;
      }
    }
    pool.stop();
  });
  CHECK(sent == expected);
  CHECK(doubled == 0);
  for (auto const& [provider, reported] : sequences) {
    std::map<std::string, int> open;
    for (auto const& each : reported) {
      bool const failure = each.ends_with("monitor_failure");
      auto& now = open[each.substr(0, std::string("monitor 0").size())];
      CHECK(now == (failure ? 0 : 1));
      now = failure ? 1 : 0;
    }
  }
}

TEST_CASE("the pace of a provider holds for the whole queue") {
  telling_shop db;
  auto const monitor = db.make_notified({db.make_provider("webhook")}).id;
  db.fails(monitor);
  db.recovers(monitor);
  db.settle(db.claim_one(), {.state = store::attempt_end::fate::sent, .pace = milliseconds(40'000)});
  CHECK(db.claim().empty());
  db.later("20 s");
  CHECK(db.claim().empty());
  db.later("20 s");
  auto const last = db.claim_one();
  db.settle(last, {.state = store::attempt_end::fate::sent, .pace = milliseconds(40'000)});
  // It holds too for what comes when nothing was left to do.
  db.claim();
  CHECK(db.number({{"at_rest", "SELECT count(*) FROM provider_queue WHERE due_at IS NULL"}}) == 0);
  db.later("40 s");
  db.claim();
  CHECK(db.number({{"at_rest", "SELECT count(*) FROM provider_queue WHERE due_at IS NULL"}}) == 1);
}

TEST_CASE("the queue reads only through indexes") {
  telling_shop db;
  auto const monitor = db.make_notified({db.make_provider("webhook")}).id;
  db.fails(monitor);
  db.sent(db.claim_one());
  db.as_owner(
      "INSERT INTO alerts (id, project_id, type, target_type, target_id, target_name, about, number, provider_id,"
      " provider_name, status, message_id) SELECT gen_random_uuid(), project_id, type, target_type, target_id,"
      " target_name, gen_random_uuid(), 0, provider_id, provider_name, status, gen_random_uuid() FROM alerts,"
      " generate_series(1, 20000);"
      "INSERT INTO messages (id, project_id, provider_id, provider_type, state, claim_id, ended_at)"
      " SELECT gen_random_uuid(), project_id, provider_id, provider_type, state, claim_id, ended_at FROM messages,"
      " generate_series(1, 20000);"
      "INSERT INTO provider_queue (provider_id) SELECT gen_random_uuid() FROM generate_series(1, 20000);"
      "INSERT INTO address_mails (address, project_id, hour, mails) SELECT sha256(n::text::bytea), gen_random_uuid(),"
      " now(), 1 FROM generate_series(1, 20000) n; ANALYZE");
  postgres::pool pool(db.io, {.url = secret_string(db.url()), .size = 1});
  pool.start();
  store::delivery_store mine(pool, telling_shop::group_of);
  db.wait(mine.wake(db.soon()));
  CHECK(db.wait(mine.claim(16, db.soon())).messages.empty());
  db.wait(mine.count_waiting(db.soon()));
  db.wait(mine.delete_alerts(std::chrono::hours(1), 10, db.soon()));
  db.wait(mine.delete_messages(std::chrono::hours(1), 10, db.soon()));
  db.wait(store::mail_store(pool).delete_old(10, db.soon()));
  std::vector<plan_case> const cases{{"delivery_wake", "", {"alerts_unsent"}},
                                     {"delivery_take", "16, '{}', false, '{}'", {"provider_queue_due"}},
                                     {"delivery_waiting", "", {"messages_one_under_way", "alerts_unsent"}},
                                     {"delivery_delete_alerts", "3600, 500", {"alerts_by_age"}},
                                     {"delivery_delete_messages", "3600, 500", {"messages_ended"}},
                                     {"mail_delete_old", "500", {"address_mails_by_hour"}}};
  db.check_plans(pool, cases, [](plan_case const&, std::string const&) {});
}
