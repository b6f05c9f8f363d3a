#include "integration/monitoring/scheduler/watching.hpp"

#include "svc/store/monitors/monitor_ends.hpp"

#include <string>
#include <utility>
#include <vector>

using namespace svc;
using namespace svc::test;

TEST_CASE("outages and deleted monitors are removed when they are old, failures when a project has too many") {
  watching db;
  store::monitor_ends ends(db.pool);
  std::string reported;
  ends.when_deleted([&](std::vector<changed_thing> const& changes) {
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].project == db.project);
    CHECK_FALSE(changes[0].id);
    reported += changes[0].resource + " ";
  });
  auto const kept = db.make_monitor().id, deleted = db.make_monitor().id, gone = db.make_monitor().id;
  for (auto const& id : {kept, deleted, gone}) {
    db.decide(db.result_at(id, 1000, checks::status::down));
    CHECK(db.get(id).verdict == "down");
  }
  for (auto const& id : {deleted, gone}) CHECK(db.wait(db.monitors.remove(db.as_ed(), id, db.soon())).has_value());
  db.as_owner("UPDATE monitors SET deleted_at = now() - interval '31 days' WHERE id = '" + gone.to_string() + "'");
  db.as_owner(
      "UPDATE outages SET started_at = now() - interval '803 days', ended_at = now() - interval '801 days'"
      " WHERE monitor_id = '" +
      gone.to_string() + "'");
  db.as_owner(
      "INSERT INTO check_requests (id, monitor_id, location_id, shard, kind, requested_at) VALUES "
      "(gen_random_uuid(), '" +
      kept.to_string() + "', '00000000-0000-0000-0000-000000000000', 0, 'manual', now() - interval '61 min')");
  CHECK_FALSE(db.wait(ends.drop_old({}, db.soon())));
  CHECK(db.words("SELECT id::text FROM monitors WHERE id = '" + gone.to_string() + "'").empty());
  CHECK(db.rows("monitors") == 2);
  CHECK(db.rows("check_states") == 2);
  CHECK(db.rows("outages") == 2);
  CHECK(db.words("SELECT count(*)::text FROM outages WHERE ended_at IS NULL") == "1");
  CHECK(db.rows("check_requests") == 0);
  CHECK(std::exchange(reported, {}) == "outage monitor ");

  // With the one that is open 10 000 of the newest.
  db.as_owner(
      "INSERT INTO outages (id, project_id, monitor_id, started_at, detected_at, ended_at, end_reason, cause,"
      " cause_message, cause_location, locations_down) SELECT gen_random_uuid(), m.project_id, m.id, t, t, t,"
      " 'recovered', 1, '', 'local', '{local}' FROM monitors m, generate_series(1, 10050) i,"
      " LATERAL (SELECT timestamptz 'epoch' + i * interval '1 s') x (t) WHERE m.id = '" +
      kept.to_string() + "'");
  CHECK_FALSE(db.wait(ends.bound_outages(std::nullopt, db.soon())));
  CHECK(db.words("SELECT count(*)::text || ' ' || extract(epoch FROM min(started_at))::bigint FROM outages"
                 " WHERE monitor_id = '" +
                 kept.to_string() + "'") == "10000 52");
  CHECK(db.rows("outages") == 10001);
  CHECK(std::exchange(reported, {}) == "outage ");
  CHECK_FALSE(db.wait(ends.bound_outages(std::nullopt, db.soon())));
  CHECK(reported.empty());

  // One live monitor has the whole number, and each as many of the newest.
  db.as_owner(
      "TRUNCATE check_failures; INSERT INTO check_failures (monitor_id, location_id, started_ms, details) SELECT '" +
      kept.to_string() + "', '00000000-0000-0000-0000-000000000000', i, '{}' FROM generate_series(1, 10050) i");
  CHECK_FALSE(db.wait(ends.bound_failures(std::nullopt, db.soon())));
  CHECK(db.words("SELECT count(*)::text || ' ' || min(started_ms) FROM check_failures") == "10000 51");
  for (int i = 0; i < 199; ++i) db.make_monitor();
  CHECK_FALSE(db.wait(ends.bound_failures(std::nullopt, db.soon())));
  // A two hundredth would be fewer.
  CHECK(db.words("SELECT count(*)::text || ' ' || min(started_ms) FROM check_failures") == "100 9951");

  // Few monitors go at once, because of what goes with them.
  db.as_owner(
      "TRUNCATE outages; UPDATE monitors SET deleted_at = now() - interval '31 days' WHERE id IN"
      " (SELECT id FROM monitors WHERE deleted_at IS NULL AND id <> '" +
      kept.to_string() + "' LIMIT 21)");
  CHECK(db.wait(ends.drop_old({}, db.soon())));
  CHECK(db.rows("monitors") == 181);
  CHECK_FALSE(db.wait(ends.drop_old({}, db.soon())));
  CHECK(db.rows("monitors") == 180);
}

TEST_CASE("deleted monitors of a project are bounded by number and bytes, and the next deletion removes the oldest") {
  watched_shop db;
  auto const kept = db.make_monitor().id;
  auto const bury = [&](int count, std::string const& first_day, std::string const& config, uuid project) {
    db.as_owner(
        "INSERT INTO monitors (id, project_id, name, type, target, frequency_minutes, attempts_seconds, created_by,"
        " deleted_at, config) SELECT gen_random_uuid(), '" +
        project.to_string() + "', 'gone ' || n, 'http_request', 'https://shop.test/', 1, 30, '" + db.ed.to_string() +
        "', now() - interval '" + first_day + "' + n * interval '1 s', " + config + " FROM generate_series(1, " +
        std::to_string(count) + ") n");
  };
  auto const remove_one = [&] {
    auto const id = db.make_monitor().id;
    CHECK_FALSE(failure(db.wait(db.monitors.remove(db.as_ed(), id, db.soon()))));
    CHECK(db.get(id).deleted_at);
  };
  auto const deleted = [&] {
    return db.rows("monitors WHERE deleted_at IS NOT NULL AND project_id = '" + db.project.to_string() + "'");
  };
  bury(3, "2 days", "'{}'", db.other_project);

  SUBCASE("by number") {
    bury(store::most_deleted + 5, "2 days", "'{}'", db.project);
    db.as_owner(
        "INSERT INTO outages (id, project_id, monitor_id, started_at, detected_at, ended_at, end_reason, cause,"
        " cause_message, cause_location, locations_down) SELECT gen_random_uuid(), m.project_id, m.id, now(), now(),"
        " now(), 'recovered', 1, '', '', '{}' FROM monitors m, generate_series(1, 1500) WHERE m.name = 'gone 1' AND"
        " m.project_id = '" +
        db.project.to_string() + "'");
    remove_one();
    CHECK(deleted() == store::most_deleted + 1);
    CHECK(db.rows("outages") == 500);
    remove_one();
    CHECK(deleted() == store::most_deleted);
    CHECK(db.rows("outages") == 0);
    CHECK(db.words("SELECT name FROM monitors WHERE deleted_at IS NOT NULL AND project_id = '" +
                   db.project.to_string() + "' ORDER BY deleted_at LIMIT 1") == "gone 8");
  }
  SUBCASE("by bytes") {
    // Does not compress.
    bury(70, "2 days",
         "jsonb_build_object('x', (SELECT string_agg(md5(n || 'x' || i), '') FROM generate_series(1, 32768) i))",
         db.project);
    auto const bytes = [&] {
      return db.number({{"bytes", "SELECT sum(pg_column_size(config)) FROM monitors WHERE deleted_at IS NOT NULL"}});
    };
    CHECK(bytes() > store::most_deleted_bytes);
    remove_one();
    CHECK(bytes() <= store::most_deleted_bytes);
    CHECK(deleted() > 50);
  }
  CHECK(db.rows("monitors WHERE project_id = '" + db.other_project.to_string() + "'") == 3);
  CHECK_FALSE(db.get(kept).deleted_at);
}

TEST_CASE("alerts of a project are bounded, with their messages, and those that an open outage needs stay") {
  watched_shop db;
  auto const id = db.make_monitor().id;
  CHECK(db.decide(db.result_at(id, 0, checks::status::down)).counted);
  db.as_owner(
      "UPDATE alerts SET created_at = created_at - interval '1 day';"
      // Reminders of the open outage, alerts of an old one with a message each, and one that is being sent.
      "INSERT INTO alerts (id, project_id, type, target_type, target_id, target_name, about, number, provider_id,"
      " provider_name, status, created_at) SELECT gen_random_uuid(), project_id, type, target_type, target_id,"
      " target_name, about, n, provider_id, provider_name, 'sent', now() - interval '1 day' + n * interval '1 s'"
      " FROM alerts, generate_series(1, 30) n;"
      "INSERT INTO messages (id, project_id, provider_id, provider_type, state, claim_id, ended_at)"
      " SELECT gen_random_uuid(), project_id, provider_id, 'webhook', 'sent', gen_random_uuid(), now() FROM alerts;"
      "INSERT INTO alerts (id, project_id, type, target_type, target_id, target_name, about, number, provider_id,"
      " provider_name, status, message_id, created_at) SELECT gen_random_uuid(), project_id, 'monitor_failure',"
      " 'monitor', gen_random_uuid(), 'old', gen_random_uuid(), 0, provider_id, 'hook',"
      " CASE n WHEN 1 THEN 'pending' ELSE 'sent' END, id, now() - interval '2 days' + n * interval '1 s'"
      " FROM (SELECT *, row_number() OVER (ORDER BY id) AS n FROM messages) m");
  CHECK(db.rows("alerts") == 62);
  store::monitor_ends ends{db.pool};
  int reports = 0;
  ends.when_deleted([&](std::vector<changed_thing> const& changes) {
    ++reports;
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].project == db.project);
    CHECK(changes[0].resource == "alert");
  });
  auto const bound = [&](std::int64_t most) {
    for (std::optional<uuid> after = uuid{}; after;) after = db.wait(ends.bound_alerts(after, most, db.soon()));
  };
  bound(62);
  CHECK(db.rows("alerts") == 62);
  CHECK(reports == 0);
  bound(40);
  CHECK(reports == 1);
  CHECK(db.rows("alerts") == 41);
  CHECK(db.rows("messages") == 10);
  bound(1);
  // The first failure and the newest reminder, and what is being sent.
  CHECK(db.words("SELECT number || '/' || status FROM alerts ORDER BY created_at") == "0/pending 0/pending 30/sent");
  CHECK(db.rows("messages") == 1);
  CHECK(db.decide(db.result_at(id, 60'000)).counted);
  CHECK(db.rows("alerts WHERE type = 'monitor_recovery'") == 1);
}
