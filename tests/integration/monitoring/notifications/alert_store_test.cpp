// Tests the alerts that users see, and how users send them again.
#include "delivery_fixture.hpp"

#include "support/comes_true.hpp"
#include "support/together.hpp"
#include "svc/postgres/query.hpp"
#include "svc/store/delivery/alert_store.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>

using namespace svc;
using namespace svc::test;

namespace {

struct listing_shop : telling_shop {
  page<store::listed_alert> list(store::alert_filter filter = {}, page_request wanted = {}) {
    return wait(alerts.list(project, std::move(filter), wanted, soon()));
  }
  /// Returns the types of the alerts, without the word before the underscore.
  std::string types(store::alert_filter filter = {}) {
    std::string out;
    for (auto const& each : list(std::move(filter)).rows)
      out += (out.empty() ? "" : " ") + each.alert.type.substr(each.alert.type.find('_') + 1);
    return out;
  }
  uuid newest() { return list().rows.front().alert.id; }
  result<store::listed_alert> retry(uuid id) { return wait(alerts.retry(as_ed(), id, soon())); }

  store::alert_store alerts{pool};
};

}  // namespace

TEST_CASE("alerts are listed newest first by each filter, with their outcomes") {
  listing_shop db;
  auto const id = db.make_provider("webhook", "one"), two = db.make_provider("webhook", "two");
  auto const shop = db.make_notified({id, two}, "shop").id, site = db.make_notified({id}, "site").id;
  db.fails(shop);
  auto const before = db.list().rows.front().alert.time;
  for (auto const& each : db.claim()) each.provider == id ? void(db.sent(each)) : void(db.dies(each));
  db.recovers(shop);
  db.fails(site);
  // The other provider is notified about the provider that refused the alert.
  CHECK(db.types() == "failure recovery recovery failing failure failure");
  auto const all = db.list();
  CHECK(all.total == 6);
  CHECK(all.rows.front().alert.target_name == "site");
  CHECK(db.types({.target = site}) == "failure");
  CHECK(db.types({.target_type = "monitor", .target = shop}) == "recovery recovery failure failure");
  CHECK(db.types({.target_type = "provider"}) == "failing");
  CHECK(db.types({.target_type = "job"}).empty());
  CHECK(db.types({.target_type = "job", .type = "monitor_failure"}).empty());
  CHECK(db.types({.type = "monitor_recovery"}) == "recovery recovery");
  CHECK(db.types({.status = "failed"}) == "failure");
  CHECK(db.types({.provider = two}) == "recovery failure");
  CHECK(db.types({.type = "monitor_failure", .status = "sent", .provider = id}) == "failure");
  CHECK(db.list({.end = before}).total == 1);
  CHECK(db.list({.start = before}).total == all.total - 1);
  auto const first = db.list({}, {.limit = 2});
  REQUIRE(first.next.has_value());
  CHECK(db.list({}, {.limit = 2, .after = first.next}).rows.front().alert.id == all.rows[2].alert.id);
  CHECK(db.wait(db.alerts.list(db.other_project, {}, {}, db.soon())).rows.empty());

  auto const failed = db.list({.status = "failed"}).rows.front();
  CHECK(failed.provider == two);
  CHECK(failed.attempts == 1);
  CHECK(failed.error_reason == "rejected");
  CHECK(failed.error_status == 400);
  CHECK(failed.last_attempt_at.has_value());
  // The alert was sent while the outage lasted, so it does not mention the end.
  CHECK_FALSE(failed.alert.outage.value().ended_at.has_value());
  CHECK(db.wait(db.alerts.get(db.project, failed.alert.id, db.soon()))->provider_name == failed.provider_name);
  CHECK(failure(db.wait(db.alerts.get(db.other_project, failed.alert.id, db.soon()))) == errc::not_found);
}

TEST_CASE("a failed alert is sent again by a new message, in its turn, and only once however many ask") {
  listing_shop db;
  auto const provider = db.make_provider("webhook");
  auto const monitor = db.make_notified({provider}).id;
  db.fails(monitor);
  auto const first = db.claim_one();
  auto const id = db.newest();
  CHECK(failure(db.retry(id)) == errc::alert_not_failed);
  db.dies(first);
  db.later("1 min");
  db.fails(db.make_notified({provider}, "later").id);
  CHECK(failure(db.wait(db.alerts.retry(db.elsewhere(), id, db.soon()))) == errc::not_found);
  CHECK(failure(db.retry(monitor)) == errc::not_found);
  std::atomic<int> queued = 0, refused = 0;
  together(4, [&](int) {
    asio::io_context io{1};
    postgres::pool pool(io, {.url = secret_string(db.url())});
    pool.start();
    store::alert_store mine(pool);
    auto const done = run_task(io, mine.retry(db.as_ed(), id, db.soon()));
    if (done) ++queued;
    if (failure(done) == errc::alert_not_failed) ++refused;
    pool.stop();
  });
  CHECK(queued == 1);
  CHECK(refused == 3);
  CHECK(db.audit_rows("alert.retried") == 1);
  // The refused caller holds the lock of the provider until PostgreSQL has read its end. Claims skip the locked row.
  auto const unlocked = "SELECT count(*)::text FROM (SELECT FROM provider_queue FOR UPDATE SKIP LOCKED) q";
  REQUIRE(comes_true([&] { return db.words(unlocked) == "1"; }, std::chrono::seconds(20)));
  auto const waiting = *db.wait(db.alerts.get(db.project, id, db.soon()));
  CHECK(waiting.status == "pending");
  CHECK(waiting.attempts == 0);
  CHECK(waiting.error_reason == "rejected");
  CHECK_FALSE(waiting.maybe_repeated);
  // The older alert goes first.
  auto const again = db.claim_one();
  CHECK(telling_shop::reported(again) == "site:failure");
  CHECK(again.id != first.id);
  CHECK(again.attempt == 1);
  // The delay counts from the request to send it again.
  CHECK(db.sent(again).alerts.front().seconds < 30);
  CHECK(telling_shop::reported(db.claim_one()) == "later:failure");
  auto const done = *db.wait(db.alerts.get(db.project, id, db.soon()));
  CHECK(done.status == "sent");
  CHECK(done.attempts == 1);
  CHECK_FALSE(done.error_reason.has_value());
  CHECK(failure(db.retry(id)) == errc::alert_not_failed);
}

TEST_CASE("an alert that is sent again after its end is followed by that end once more") {
  listing_shop db;
  auto const monitor = db.make_notified({db.make_provider("webhook")}).id;
  db.fails(monitor);
  db.dies(db.claim_one());
  db.recovers(monitor);
  auto const end = db.claim_one();
  CHECK(telling_shop::reported(end) == "site:recovery+");
  db.sent(end);
  auto const failed = db.list({.status = "failed"}).rows.front();
  REQUIRE(db.retry(failed.alert.id).has_value());
  auto const begin = db.claim_one();
  CHECK(telling_shop::reported(begin) == "site:failure+");
  db.sent(begin);
  auto const again = db.claim_one();
  CHECK(telling_shop::reported(again) == "site:recovery+");
  CHECK(again.id != end.id);
  db.sent(again);
  CHECK(db.list().rows.back().alert.outage.value().ended_at.has_value());
  CHECK(db.words("SELECT status || ' ' || maybe_repeated FROM alerts ORDER BY id") == "sent false sent true");
  CHECK(db.claim().empty());
}

TEST_CASE("an end that was only recorded while the provider was disabled follows the alert that is sent again") {
  listing_shop db;
  auto const provider = db.make_provider("webhook");
  auto const monitor = db.make_notified({provider}).id;
  db.fails(monitor);
  db.dies(db.claim_one());
  db.as_owner("UPDATE notification_providers SET enabled = false");
  db.recovers(monitor);
  CHECK(db.list().rows.front().suppressed_by == "provider_disabled");
  db.as_owner("UPDATE notification_providers SET enabled = true");
  REQUIRE(db.retry(db.list({.status = "failed"}).rows.front().alert.id).has_value());
  auto const begin = db.claim_one();
  CHECK(telling_shop::reported(begin) == "site:failure+");
  db.sent(begin);
  auto const end = db.claim_one();
  CHECK(telling_shop::reported(end) == "site:recovery+");
  db.sent(end);
  CHECK(db.claim().empty());
}

TEST_CASE("while the end of an alert's outage is being sent, the alert is not sent again") {
  listing_shop db;
  auto const monitor = db.make_notified({db.make_provider("webhook")}).id;
  db.fails(monitor);
  db.dies(db.claim_one());
  auto const id = db.newest();
  db.recovers(monitor);
  auto const end = db.claim_one();
  CHECK(failure(db.retry(id)) == errc::alert_not_failed);
  CHECK(db.audit_rows("alert.retried") == 0);
  db.sent(end);
  REQUIRE(db.retry(id).has_value());
  CHECK(telling_shop::reported(db.claim_one()) == "site:failure+");
}

TEST_CASE("a failed message that may have been accepted can be repeated, and says so") {
  listing_shop db;
  db.fails(db.make_notified({db.make_provider("webhook")}).id);
  auto const message = db.claim_one();
  db.settle(message, {.state = store::attempt_end::fate::dead, .reason = "timeout", .uncertain = true});
  CHECK(db.retry(db.newest())->maybe_repeated);
}

TEST_CASE("nothing is sent again to a provider that is disabled or deleted, and it is said") {
  listing_shop db;
  auto const provider = db.make_provider("webhook");
  db.fails(db.make_notified({provider}).id);
  db.dies(db.claim_one(), true);
  auto const id = db.newest();
  CHECK(failure(db.retry(id)) == errc::provider_disabled);
  REQUIRE(db.wait(db.providers.remove(db.as_ed(), provider, db.soon())).has_value());
  CHECK(failure(db.retry(id)) == errc::provider_disabled);
  CHECK(db.list().rows.front().status == "failed");
  CHECK(db.audit_rows("alert.retried") == 0);
}

TEST_CASE("each list of alerts reads the index of its filters") {
  listing_shop db;
  auto const provider = uuid::generate_v7(), target = uuid::generate_v7();
  db.as_owner(
      "INSERT INTO alerts (id, project_id, type, target_type, target_id, target_name, about, number, provider_id,"
      " provider_name, status, created_at) SELECT gen_random_uuid(), p.id, CASE WHEN i % 1000 = 0 THEN 'job_failed'"
      " WHEN i % 1000 = 1 THEN 'ssl_expiring' ELSE 'monitor_failure' END, CASE WHEN i % 1000 = 0 THEN 'job' ELSE"
      " 'monitor' END, CASE WHEN i % 1000 = 2 THEN '" +
      target.to_string() +
      "'::uuid ELSE gen_random_uuid() END, 'm', gen_random_uuid(), 0, CASE WHEN i % 1000 = 3 THEN '" +
      provider.to_string() +
      "'::uuid ELSE gen_random_uuid() END, 'p', CASE WHEN i % 1000 = 4 THEN 'failed' ELSE 'sent' END,"
      " now() - i * interval '1 min' FROM generate_series(1, 20000) i CROSS JOIN projects p; ANALYZE alerts");
  struct {
    char const* index;
    store::alert_filter filter;
  } const cases[] = {
      {"alerts_newest", {}},
      {"alerts_newest", {.target_type = "monitor"}},
      {"alerts_of_target", {.target = target}},
      {"alerts_of_target", {.target = target, .type = "monitor_failure", .status = "sent"}},
      {"alerts_of_provider", {.provider = provider}},
      {"alerts_by_status", {.status = "failed"}},
      {"alerts_by_type", {.type = "ssl_expiring"}},
      {"alerts_by_type", {.target_type = "job"}},
      {"alerts_by_type", {.target_type = "provider"}},
  };
  for (auto const& c : cases) {
    auto ask = store::alert_list_query(db.project, c.filter, {});
    std::string const sql = "EXPLAIN (ANALYZE, TIMING OFF, BUFFERS) " + std::string(ask.statement.sql);
    ask.statement = {"alert_explain", sql, true};
    auto const lines = db.must(std::move(ask));
    std::string plan;
    for (int i = 0; i < lines.size(); ++i) plan += std::string(lines[i].text(0)) + "\n";
    if (std::getenv("SVC_SHOW_PLANS") != nullptr) std::printf("== %s\n%s\n", c.index, plan.c_str());
    CAPTURE(plan);
    auto const page = plan.find("\n  ->  ", plan.find("\n  ->  ") + 1);
    REQUIRE(page != std::string::npos);
    CHECK(plan.find(c.index, page) != std::string::npos);
    CHECK(plan.find("Seq Scan on alerts") == std::string::npos);
  }
}
