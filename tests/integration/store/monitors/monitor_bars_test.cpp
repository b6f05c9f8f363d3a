// The last 24 hours of monitors. `history_oracle_test.cpp` compares them with results and outages at random.
#include "integration/monitoring/scheduler/monitor_fixture.hpp"

#include "svc/store/monitors/check_history.hpp"
#include "svc/store/monitors/pack_store.hpp"

#include <algorithm>

using namespace svc;
using namespace svc::test;

namespace {

constexpr std::int64_t bar_second = 1'000'000, bar_hour = 3600 * bar_second, bar_day = 24 * bar_hour;

struct barred : watched_shop {
  /// 10:20 of the day before yesterday, so that a midnight is among the 24 hours, and no hour is in the future.
  timestamp now{(system_now().micros / bar_day - 2) * bar_day + 10 * bar_hour + 20 * 60 * bar_second};
  store::check_history history{pool};

  /// Returns the instant of that many seconds after the start of a cell.
  timestamp in_cell(std::int64_t cell, std::int64_t seconds) const {
    return {store::first_hour_of_bars(now).micros + cell * bar_hour + seconds * bar_second};
  }
  void add_result(uuid monitor, timestamp start, std::int64_t covers) {
    must({{"bar_result",
           "INSERT INTO check_raw SELECT $2::bigint / 3600000 % 8, $2::bigint / 3600000, $1,"
           " '00000000-0000-0000-0000-000000000000', $2::bigint, $3, $4"},
          postgres::parameters(monitor, start.micros / 1000, covers,
                               checks::packed({{.slot = start.micros / 1000, .started_ms = start.micros / 1000}}))});
  }
  void add_outage(uuid monitor, timestamp start, std::optional<timestamp> end, std::int64_t excluded = 0) {
    must({{"bar_outage",
           "INSERT INTO outages (id, project_id, monitor_id, started_at, detected_at, ended_at, end_reason, cause,"
           " cause_message, cause_location, locations_down, excluded_seconds) VALUES (gen_random_uuid(), $1, $2, $3,"
           " $3, $4, CASE WHEN $4::timestamptz IS NOT NULL THEN 'recovered' END, 0, '', '', '{}', $5)"},
          postgres::parameters(project, monitor, start, end, excluded)});
  }
  std::vector<store::monitor_bar> bars(std::vector<uuid> ids) {
    return wait(history.bars(project, std::move(ids), now, soon()));
  }
  store::monitor_bar bar(uuid id) {
    auto const found = bars({id});
    REQUIRE(found.size() == 1);
    return found.front();
  }
};

}  // namespace

TEST_CASE("the last cell of a bar is the current hour, at the start of an hour and at its end") {
  CHECK(store::first_hour_of_bars({100 * bar_hour}).micros == 77 * bar_hour);
  CHECK(store::first_hour_of_bars({101 * bar_hour - 1}).micros == 77 * bar_hour);
  CHECK(store::first_hour_of_bars({101 * bar_hour}).micros == 78 * bar_hour);
}

TEST_CASE("hours without results are not known, packed or not") {
  barred db;
  auto const id = db.make_monitor().id, never = db.make_monitor().id;
  db.as_owner("UPDATE check_packing SET hour = " + std::to_string(db.in_cell(0, 0).micros / bar_hour));
  db.add_result(id, db.in_cell(3, 10), 60);
  db.add_result(id, db.in_cell(3, 70), 60);
  db.add_result(id, db.in_cell(20, 0), 30);
  db.add_result(id, db.in_cell(23, 0), 5000);
  auto const check = [&] {
    auto const bar = db.bar(id);
    for (std::size_t i = 0; i < bar.cells.size(); ++i) {
      CAPTURE(i);
      // Results cover at most the part of the current hour that has passed.
      CHECK(bar.cells.at(i).observed_seconds == (i == 3 ? 120 : i == 20 ? 30 : i == 23 ? 1200 : 0));
      CHECK(bar.cells.at(i).down_micros == 0);
    }
  };
  check();
  store::pack_store packs(db.pool);
  for (int i = 0; i < 22; ++i) db.wait(packs.pack(db.soon()));
  CHECK(db.rows("check_hours") >= 2);
  check();
  auto const empty = db.bar(never);
  CHECK(
      std::ranges::all_of(empty.cells, [](auto const& c) { return c.observed_seconds == 0 && c.down_micros == 0; }));
}

TEST_CASE("an outage counts in each hour that it overlaps, across midnight and into the bar") {
  barred db;
  auto const id = db.make_monitor().id, open = db.make_monitor().id;
  // Midnight is the start of cell 13.
  CHECK(db.in_cell(13, 0).micros % bar_day == 0);
  db.add_outage(id, {db.in_cell(0, 0).micros - 5 * bar_hour}, db.in_cell(0, 0));
  db.add_outage(id, db.in_cell(0, 5), db.in_cell(0, 6));
  db.add_outage(id, db.in_cell(12, 1800), db.in_cell(15, 600));
  // Half of it has no conclusive result.
  db.add_outage(id, db.in_cell(20, 3000), db.in_cell(21, 600), 600);
  db.add_outage(open, {db.in_cell(0, 0).micros - 500 * bar_hour}, {});
  db.as_owner("UPDATE check_states SET covered = 100000000 WHERE monitor_id = '" + open.to_string() + "'");
  auto const bar = db.bar(id);
  std::map<std::size_t, std::int64_t> const expected{{0, 1},    {12, 1800}, {13, 3600}, {14, 3600},
                                                     {15, 600}, {20, 300},  {21, 300}};
  for (std::size_t i = 0; i < bar.cells.size(); ++i) {
    CAPTURE(i);
    auto const found = expected.find(i);
    CHECK(bar.cells.at(i).down_micros == (found == expected.end() ? 0 : found->second * bar_second));
  }
  auto const whole = db.bar(open);
  CHECK(std::ranges::all_of(whole.cells, [](auto const& c) { return c.down_micros == bar_hour; }));
}

TEST_CASE("an outage from before the bar reaches into it, and earlier ones are not looked at") {
  barred db;
  auto const id = db.make_monitor().id;
  db.add_outage(id, {db.in_cell(0, 0).micros - 9 * bar_hour}, timestamp{db.in_cell(0, 0).micros - 8 * bar_hour});
  db.add_outage(id, {db.in_cell(0, 0).micros - 3 * bar_hour}, db.in_cell(1, 1));
  auto const bar = db.bar(id);
  CHECK(bar.cells[0].down_micros == bar_hour);
  CHECK(bar.cells[1].down_micros == bar_second);
  CHECK(bar.cells[2].down_micros == 0);
}

TEST_CASE("monitors of other projects, deleted ones and unknown ids have no bar") {
  barred db;
  auto const id = db.make_monitor().id, gone = db.make_monitor().id, foreign = db.make_monitor().id;
  for (auto const each : {id, gone, foreign}) {
    db.add_result(each, db.in_cell(5, 0), 60);
    db.add_outage(each, db.in_cell(5, 0), db.in_cell(6, 0));
  }
  REQUIRE(db.wait(db.monitors.remove(db.as_ed(), gone, db.soon())).has_value());
  db.as_owner("UPDATE monitors SET project_id = '" + db.other_project.to_string() + "' WHERE id = '" +
              foreign.to_string() + "'");
  auto const found = db.bars({foreign, id, gone, id, uuid::generate_v7()});
  REQUIRE(found.size() == 1);
  CHECK(found[0].monitor == id);
  CHECK(db.bars({foreign, gone}).empty());
  CHECK(db.bars({}).empty());
}
