// Providers that take no message: who is notified of them, and what becomes of alerts that wait for them.
#include "delivery_fixture.hpp"

using namespace svc;
using namespace svc::test;

TEST_CASE("a dead message is failed, and the project's other providers are notified once in 24 hours") {
  telling_shop db;
  auto const a = db.make_provider("webhook", "aa"), b = db.make_provider("webhook", "bb");
  auto const monitor = db.make_notified({a}).id;
  db.fails(monitor);
  CHECK(db.dies(db.claim_one()).alerts.front().type == "monitor_failure");
  auto const reported = db.claim_one();
  CHECK(reported.provider == b);
  REQUIRE(reported.alerts.size() == 1);
  CHECK(reported.alerts.front().type == "provider_failing");
  CHECK(reported.alerts.front().target == a);
  CHECK(reported.alerts.front().target_name == "aa");
  CHECK(reported.alerts.front().error_message == "rejected");
  db.sent(reported);
  db.recovers(monitor);
  db.dies(db.claim_one());
  CHECK(db.claim().empty());
  CHECK(db.words("SELECT type || '/' || status FROM alerts ORDER BY created_at") ==
        "monitor_failure/failed provider_failing/sent monitor_recovery/failed");
  db.as_owner(
      "UPDATE alerts SET created_at = created_at - interval '25 hours', number = number - 1"
      " WHERE type = 'provider_failing'");
  db.fails(monitor);
  db.dies(db.claim_one());
  CHECK(db.claim_one().provider == b);
}

TEST_CASE(
    "ten other providers are notified of a failing one, those that work first, and their failures are not reported") {
  telling_shop db;
  auto const failing = db.make_provider("webhook", "failing");
  for (int i = 0; i < 14; ++i) db.make_provider("webhook", "other " + std::to_string(i));
  db.as_owner(
      "UPDATE notification_providers SET health = CASE WHEN name IN ('other 12', 'other 13') THEN 'ok'"
      " WHEN name IN ('other 0', 'other 1') THEN 'failing' ELSE 'unknown' END");
  db.fails(db.make_notified({failing}).id);
  db.dies(db.claim_one());
  CHECK(db.words("SELECT provider_name FROM alerts WHERE type = 'provider_failing'"
                 " ORDER BY split_part(provider_name, ' ', 2)::int") ==
        "other 2 other 3 other 4 other 5 other 6 other 7 other 8 other 9 other 12 other 13");
  // A project has eight attempts under way.
  std::size_t died = 0;
  for (auto reported = db.claim(); !reported.empty(); reported = db.claim()) {
    for (auto const& each : reported) db.dies(each);
    died += reported.size();
  }
  CHECK(died == 10);
  CHECK(db.number({{"failing_alerts", "SELECT count(*) FROM alerts WHERE type = 'provider_failing'"}}) == 10);
}

TEST_CASE("settling notifies ten providers also in a project that has 20 000 from before the quota") {
  telling_shop db;
  auto const failing = db.make_provider("webhook", "failing");
  db.as_owner(
      "INSERT INTO notification_providers (id, project_id, name, type, config)"
      " SELECT gen_random_uuid(), project_id, 'copy', type, config FROM notification_providers,"
      " generate_series(1, 20000)");
  db.fails(db.make_notified({failing}).id);
  CHECK(db.dies(db.claim_one()).counted);
  CHECK(db.number({{"failing_alerts", "SELECT count(*) FROM alerts WHERE type = 'provider_failing'"}}) == 10);
}

TEST_CASE("a provider that is gone is disabled, audited, and its waiting alerts are only recorded") {
  telling_shop db;
  auto const gone = db.make_provider("webhook");
  auto const monitor = db.make_notified({gone}).id;
  db.fails(monitor);
  db.recovers(monitor);
  db.dies(db.claim_one(), true);
  CHECK(db.words("SELECT enabled || ' ' || version FROM notification_providers") == "false 2");
  CHECK(db.audit_rows("notification_provider.disabled") == 1);
  CHECK(db.words("SELECT (a.project_id = p.project_id AND a.organization_id = j.organization_id)::text"
                 " FROM audit_log a, notification_providers p JOIN projects j ON j.id = p.project_id"
                 " WHERE a.action = 'notification_provider.disabled'") == "true");
  CHECK(db.claim().empty());
  CHECK(list_alerts(db) == "monitor_failure/0/failed monitor_recovery/0/provider_disabled");
}

TEST_CASE("alerts that wait for a disabled or deleted provider are only recorded") {
  telling_shop db;
  for (auto const* end :
       {"UPDATE notification_providers SET enabled = false", "DELETE FROM notification_providers"}) {
    CAPTURE(end);
    auto const monitor = db.make_notified({db.make_provider("webhook")}).id;
    db.fails(monitor);
    db.fails_to_send(db.claim_one());
    db.recovers(monitor);
    db.as_owner(end);
    db.later("1 min");
    CHECK(db.claim().empty());
    CHECK(db.words("SELECT DISTINCT suppressed_by FROM alerts") == "provider_disabled");
    CHECK(db.words("SELECT DISTINCT state FROM messages") == "dead");
    CHECK(db.number({{"due_providers", "SELECT count(*) FROM provider_queue WHERE due_at IS NOT NULL"}}) == 0);
  }
}
