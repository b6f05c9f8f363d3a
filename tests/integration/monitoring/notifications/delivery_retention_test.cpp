// The age of alerts and messages: those that are on their way, of ongoing outages or of certificates stay.
#include "delivery_fixture.hpp"

using namespace svc;
using namespace svc::test;

TEST_CASE("old alerts and messages are deleted, and none that is on its way") {
  telling_shop db;
  auto const monitor = db.make_notified({db.make_provider("webhook")}).id;
  db.fails(monitor);
  db.sent(db.claim_one());
  db.recovers(monitor);
  db.claim_one();
  db.as_owner(
      "UPDATE alerts SET created_at = created_at - interval '2 h';"
      "UPDATE messages SET ended_at = ended_at - interval '2 h'");
  CHECK(db.wait(db.queue.count_waiting(db.soon())) == 1);
  int reports = 0;
  db.queue.when_deleted([&](std::vector<changed_thing> const& changes) {
    ++reports;
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].project == db.project);
    CHECK(changes[0].resource == "alert");
  });
  for (int const expected : {1, 0}) {
    CHECK(db.wait(db.queue.delete_messages(std::chrono::hours(1), 10, db.soon())) == expected);
    CHECK(db.wait(db.queue.delete_alerts(std::chrono::hours(1), 10, db.soon())) == expected);
  }
  CHECK(reports == 1);
  CHECK(db.words("SELECT type FROM alerts") == "monitor_recovery");
  CHECK(db.rows("messages") == 1);
  CHECK(db.wait(db.queue.delete_messages(std::chrono::hours(3), 10, db.soon())) == 0);
}

TEST_CASE("old alerts of ongoing outages stay, so that providers are notified of the end") {
  telling_shop db;
  auto const monitor = db.make_notified({db.make_provider("webhook")}).id;
  db.fails(monitor);
  db.sent(db.claim_one());
  db.later("2 h");
  CHECK(db.wait(db.queue.delete_alerts(std::chrono::hours(1), 10, db.soon())) == 0);
  db.recovers(monitor);
  CHECK(telling_shop::reported(db.claim_one()) == "site:recovery+");
  CHECK(db.wait(db.queue.delete_alerts(std::chrono::hours(1), 10, db.soon())) == 1);
}

TEST_CASE("alerts of a certificate are known as long as the certificate may be met, and 400 days at most") {
  telling_shop db;
  auto const monitor = db.make_notified({db.make_provider("webhook")}).id;
  db.fails(monitor);
  db.sent(db.claim_one());
  db.as_owner("UPDATE alerts SET type = 'ssl_expiring', about = gen_random_uuid()");
  auto const kept = [&](std::string const& age, timestamp ends) {
    auto const shown = checks::certificate_json({"CN=ca", "CN=\"validTo\":\"0\"", {}, ends, "aa"});
    db.as_owner("UPDATE alerts SET created_at = now() - interval '" + age + "', certificate = '" + shown + "'");
    db.wait(db.queue.delete_alerts(std::chrono::hours(1), 10, db.soon()));
    return db.rows("alerts") == 1;
  };
  auto const now = system_now();
  CHECK(kept("399 days", now + std::chrono::days(1)));
  CHECK(kept("30 min", now + -std::chrono::days(32)));
  CHECK(kept("2 h", now + -std::chrono::days(29)));
  SUBCASE("its end is long past") {
    CHECK_FALSE(kept("2 h", now + -std::chrono::days(32)));
  }
  SUBCASE("of an end that no calendar has") {
    CHECK_FALSE(kept("2 h", timestamp{-62'167'219'200'000'000}));
  }
  SUBCASE("it was told long ago") {
    CHECK_FALSE(kept("401 days", now + std::chrono::days(1)));
  }
}
