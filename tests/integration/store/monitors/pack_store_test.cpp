// Tests the packing of hours of results, and their sums for days.
#include "integration/monitoring/scheduler/monitor_fixture.hpp"

#include "support/comes_true.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/store/monitors/pack_store.hpp"

#include <random>

using namespace svc;
using namespace svc::test;

namespace {

constexpr std::int64_t hour_ms = 3'600'000;

struct packing : watched_shop {
  /// Returns a result that started that many milliseconds after the start of the next hour to be packed.
  store::arrived_result in_hour(uuid monitor, std::int64_t after, checks::status ended, std::uint32_t ms) {
    auto out = result_at(monitor, 0, ended);
    out.kept.slot = out.kept.started_ms = hour * hour_ms + after;
    if (ended == checks::status::up) out.kept.response_time_ms = ms;
    if (ended == checks::status::error) out.covers = std::chrono::seconds(0);
    return out;
  }
  /// Opens that many past hours again.
  void open_hours(std::int64_t count) {
    // This is the last hour that may be packed now: in the first two minutes of an hour, the previous hour may not.
    as_owner(
        "UPDATE check_packing SET after = NULL, hour = floor(extract(epoch FROM clock_timestamp() - interval '2 "
        "minutes')"
        " / 3600) - " +
        std::to_string(count));
    hour = number({{"hour_next", "SELECT hour FROM check_packing"}});
    open = hour + count;
  }
  /// Packs the hours that were over when they were opened; one may end while a test runs.
  int pack_all() {
    int steps = 0;
    while (number({{"hour_now", "SELECT hour FROM check_packing"}}) < open && wait(packs.pack(soon())).more) ++steps;
    return steps;
  }
  std::vector<checks::kept_result> packed_of(uuid monitor, std::int64_t of_hour) {
    postgres::query ask{{"hour_of", "SELECT results FROM check_hours WHERE monitor_id = $1 AND hour = $2"},
                        postgres::parameters(monitor, of_hour)};
    auto const found = must(std::move(ask));
    REQUIRE(found.size() == 1);
    return checks::read_packed(found.front().bytes(0)).value();
  }

  std::int64_t hour = 0, open = 0;
  store::pack_store packs{pool};
};

}  // namespace

TEST_CASE("hours are packed once they are over, with nothing lost, and their place in the ring is emptied") {
  packing db;
  db.open_hours(3);
  auto const first = db.hour;
  std::vector<uuid> ids;
  for (int i = 0; i < 3; ++i) ids.push_back(db.make_monitor().id);
  std::mt19937 random(3);
  std::map<uuid, std::vector<checks::kept_result>> kept;
  std::map<uuid, std::int64_t> up;
  for (std::int64_t h = 0; h < 2; ++h) {
    db.hour = first + h;
    for (std::int64_t slot = 0; slot < 60; ++slot) {
      for (auto const& id : ids) {
        auto const ended = random() % 5 == 0 ? checks::status::down : checks::status::up;
        auto result = db.in_hour(id, slot * 60'000 + static_cast<std::int64_t>(random() % 900), ended,
                                 static_cast<std::uint32_t>(1 + random() % 500));
        if (!db.decide(result).counted) FAIL("did not count");
        up[id] += ended == checks::status::up ? 1 : 0;
        if (h == 0) kept[id].push_back(result.kept);
      }
    }
  }
  db.into_their_hours();
  // Each hour takes three steps, as with thousands of monitors: two find rows, the last finds none.
  CHECK(db.pack_all() == 2 + 2 + 1);
  CHECK(db.rows("check_raw") == 0);
  CHECK(db.rows("check_hours") == 6);
  for (auto const& id : ids) {
    auto found = db.packed_of(id, first);
    REQUIRE(found.size() == 60);
    for (std::size_t i = 0; i < found.size(); ++i) {
      found[i].status_change = false;  // set by the decision
      CHECK(found[i] == kept[id][i]);
    }
    CHECK(db.number({{"day_up", "SELECT sum(up)::int8 FROM check_days WHERE monitor_id = $1"},
                     postgres::parameters(id)}) == up[id]);
    CHECK(db.number({{"day_observed", "SELECT sum(observed)::int8 FROM check_days WHERE monitor_id = $1"},
                     postgres::parameters(id)}) == 120 * 60);
  }
  CHECK(db.number({{"hour_packed", "SELECT hour FROM check_packing"}}) == first + 3);
  // The lag is zero unless another hour has ended meanwhile.
  CHECK(db.wait(db.packs.pack(db.soon())).lag_hours <= 1);
}

TEST_CASE("interrupted packing continues at its position, and counts nothing twice") {
  packing db;
  db.open_hours(1);
  auto const id = db.make_monitor().id;
  for (std::int64_t slot = 0; slot < 10; ++slot) db.decide(db.in_hour(id, slot * 60'000, checks::status::up, 5));
  db.into_their_hours();
  REQUIRE(failpoint::configure("pack.read=throw*1"));
  CHECK_THROWS_AS(db.wait(db.packs.pack(db.soon())), unavailable);
  CHECK(db.rows("check_hours") == 0);
  // The lock goes with the abandoned transaction, a moment later.
  constexpr std::chrono::seconds soon(10);
  CHECK(comes_true([&] { return db.wait(db.packs.pack(db.soon())).results == 10; }, soon));
  REQUIRE(failpoint::configure("pack.read=throw*1"));
  CHECK_THROWS_AS(db.wait(db.packs.pack(db.soon())), unavailable);
  CHECK(comes_true([&] { return db.pack_all() == 1; }, soon));
  CHECK(db.rows("check_hours") == 1);
  CHECK(db.number({{"day_checks", "SELECT checks FROM check_days"}}) == 10);
  CHECK(db.rows("check_raw") == 0);
}

TEST_CASE("a place in the ring that holds a later hour as well is only longer") {
  packing db;
  db.open_hours(9);
  auto const early = db.hour;
  auto const id = db.make_monitor().id;
  db.decide(db.in_hour(id, 0, checks::status::up, 5));
  db.hour = early + 8;
  db.decide(db.in_hour(id, 0, checks::status::up, 7));
  db.into_their_hours();
  CHECK(db.wait(db.packs.pack(db.soon())).results == 1);
  CHECK(db.wait(db.packs.pack(db.soon())).more);
  CHECK(db.rows("check_raw") == 2);
  db.pack_all();
  CHECK(db.rows("check_raw") == 0);
  CHECK(db.packed_of(id, early).front().response_time_ms == 5);
  CHECK(db.packed_of(id, early + 8).front().response_time_ms == 7);
}

TEST_CASE("a step packs whole monitors, of no more results than may be held") {
  packing db;
  db.open_hours(1);
  std::vector<uuid> ids;
  for (int i = 0; i < 3; ++i) ids.push_back(db.make_monitor().id);
  for (std::int64_t slot = 0; slot < 8; ++slot) {
    for (auto const& id : ids) db.decide(db.in_hour(id, slot * 60'000, checks::status::up, 5));
  }
  db.into_their_hours();
  store::pack_store few(db.pool, 20);
  CHECK(db.wait(few.pack(db.soon())).results == 16);
  CHECK(db.wait(few.pack(db.soon())).results == 8);
  for (auto const& id : ids) CHECK(db.packed_of(id, db.hour).size() == 8);
}

TEST_CASE("an outage that began in a packed hour is kept with a later one") {
  packing db;
  auto const id = db.make_monitor().id;
  auto late = db.result_at(id, 0);
  late.kept.slot = late.kept.started_ms -= 2 * hour_ms;
  REQUIRE(db.decide(late).counted);
  CHECK(db.number({{"late_hours",
                    "SELECT count(*) FROM check_raw WHERE ring = hour % 8 AND"
                    " hour >= floor(extract(epoch FROM now() - interval '2 minutes') / 3600)"}}) == 1);
}

TEST_CASE("days of an earlier turn of the ring stay as long as the newest day that may be with them") {
  packing db;
  auto const put = [&](int days_ago) {
    db.as_owner(
        "INSERT INTO check_hours SELECT d % 40, d * 24, gen_random_uuid(), gen_random_uuid(), 1, 1, 0, 60, 5, 5, 5, "
        "'', '' FROM (SELECT floor(extract(epoch FROM now()) / 86400)::int - " +
        std::to_string(days_ago) + " AS d) t");
  };
  // The results are late and on time in one partition: the late one was written first.
  put(43);
  put(3);
  put(60);
  db.wait(db.packs.drop_old({.result_days = 14}, db.soon()));
  CHECK(db.rows("check_hours") == 2);
  db.wait(db.packs.drop_old({.result_days = 2}, db.soon()));
  CHECK(db.rows("check_hours") == 0);
}

TEST_CASE("rows beyond their retention are removed, and the service may only empty partitions") {
  packing db;
  auto const id = db.make_monitor().id;
  db.decide(db.result_at(id, 0, checks::status::down));
  db.as_owner(
      "INSERT INTO check_hours SELECT d % 40, d * 24, gen_random_uuid(), gen_random_uuid(), 1, 1, 0, 60, 5, 5, 5, '',"
      " '' FROM (SELECT (extract(epoch FROM now()) / 86400)::int - n AS d FROM generate_series(0, 20) n) t;"
      "INSERT INTO check_days SELECT gen_random_uuid(), gen_random_uuid(), d, 1, 1, 0, 60, 5, 5, 5, ''"
      " FROM (SELECT (extract(epoch FROM now()) / 86400)::int - n AS d FROM generate_series(0, 20) n) t;"
      "UPDATE check_failures SET stored_at = now() - interval '11 days'");
  CHECK_FALSE(db.wait(db.packs.drop_old({.result_days = 14, .summary_days = 10, .failure_days = 12}, db.soon())));
  auto const kept = db.rows("check_hours");
  CHECK(kept >= 14);
  CHECK(kept <= 16);
  CHECK(db.rows("check_days") <= 12);
  CHECK(db.rows("check_days") >= 10);
  CHECK(db.rows("check_failures") == 1);
  CHECK_FALSE(db.wait(db.packs.drop_old({.failure_days = 10}, db.soon())));
  CHECK(db.rows("check_failures") == 0);
  for (auto const* refused :
       {"TRUNCATE check_raw", "TRUNCATE check_hours", "TRUNCATE check_days", "DELETE FROM check_raw",
        "UPDATE check_raw_0 SET covers = 0", "DELETE FROM check_hours_3", "DROP TABLE check_raw_0",
        "INSERT INTO check_raw_0 SELECT * FROM check_raw"}) {
    CAPTURE(refused);
    auto const done = db.run({{refused, refused}});
    REQUIRE_FALSE(done.has_value());
    CHECK(done.error().sqlstate == "42501");
  }
}
