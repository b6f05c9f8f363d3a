// Compares sums over any time with the single results.
#include "integration/monitoring/scheduler/monitor_fixture.hpp"

#include "svc/store/monitors/check_history.hpp"
#include "svc/store/monitors/pack_store.hpp"

#include <algorithm>
#include <cmath>
#include <random>

using namespace svc;
using namespace svc::test;
using store::history_resolution;

namespace {

constexpr std::int64_t second = 1'000'000, hour = 3600 * second;

/// The summary that a reader of the list of results would make of some of them.
struct oracle {
  std::int64_t checks = 0, up = 0, down = 0, observed = 0;
  std::vector<std::uint32_t> times{};

  void add(store::arrived_result const& result) {
    ++checks;
    observed += result.covers.count();
    auto const says = checks::conclusion_of(result.kept.ended);
    up += says == checks::conclusion::good ? 1 : 0;
    down += says == checks::conclusion::bad ? 1 : 0;
    if (says == checks::conclusion::good) times.push_back(*result.kept.response_time_ms);
  }
  void check(store::observed_sum const& found) {
    CHECK(static_cast<std::int64_t>(found.summary.checks) == checks);
    CHECK(static_cast<std::int64_t>(found.summary.up) == up);
    CHECK(static_cast<std::int64_t>(found.summary.down) == down);
    CHECK(found.observed == observed);
    std::ranges::sort(times);
    if (times.empty()) return;
    CHECK(found.summary.min_ms == times.front());
    CHECK(found.summary.max_ms == times.back());
    for (unsigned const percent : {1U, 50U, 95U, 99U, 100U}) {
      CAPTURE(percent);
      auto const rank = static_cast<std::size_t>(std::ceil(percent * static_cast<double>(times.size()) / 100));
      double const exact = times[std::max<std::size_t>(rank, 1) - 1];
      CHECK(std::abs(static_cast<double>(found.summary.times.percentile(percent).value()) - exact) <=
            exact * 0.025 + 0.5);
    }
  }
};

void insert_outage(watched_shop& db, uuid monitor, timestamp start, timestamp end, std::int64_t excluded = 0) {
  db.must({{"outage_test",
            "INSERT INTO outages (id, project_id, monitor_id, started_at, detected_at, ended_at, end_reason, cause,"
            " cause_message, cause_location, locations_down, excluded_seconds) VALUES (gen_random_uuid(), $1, $2, $3,"
            " $3, $4, 'recovered', 0, '', '', '{}', $5)"},
           postgres::parameters(db.project, monitor, start, end, excluded)});
}

}  // namespace

TEST_CASE("uptime is time, and any downtime shows") {
  CHECK_FALSE(store::uptime_of(0, 0).has_value());
  CHECK_FALSE(store::uptime_of(0, 5 * second).has_value());
  CHECK(store::uptime_of(1, 0) == 1'000'000);
  CHECK(store::uptime_of(800 * 86'400, 1) == 999'999);
  CHECK(store::uptime_of(1000, 500 * second) == 500'000);
  CHECK(store::uptime_of(3, 1 * second) == 666'666);
  CHECK(store::uptime_of(10, 20 * second) == 0);
}

TEST_CASE("sums of hours and days are those of the results in them, packed or not") {
  watched_shop db;
  store::pack_store packs(db.pool);
  store::check_history history(db.pool);
  db.as_owner("UPDATE check_packing SET hour = hour - 30");
  auto const now_hour = db.number({{"packed_next", "SELECT hour FROM check_packing"}}) + 30;
  auto const id = db.make_monitor().id, other = db.make_monitor().id;
  std::mt19937 random(11);
  std::map<std::int64_t, oracle> hours, days;
  oracle all;
  for (std::int64_t h = now_hour - 30; h < now_hour; h += 1 + static_cast<std::int64_t>(random() % 2)) {
    for (std::int64_t minute = 0; minute < 60; minute += 1 + static_cast<std::int64_t>(random() % 8)) {
      auto result = db.result_at(id, 0);
      result.kept.slot = result.kept.started_ms = h * 3'600'000 + minute * 60'000;
      auto const kind = random() % 10;
      result.kept.ended = kind == 0 ? checks::status::error : kind == 1 ? checks::status::down : checks::status::up;
      if (kind == 0) result.covers = std::chrono::seconds(0);
      if (kind > 1) result.kept.response_time_ms = static_cast<std::uint32_t>(std::exp(1 + random() % 8));
      if (kind <= 1) result.kept.response_time_ms.reset();
      REQUIRE(db.decide(result).counted);
      for (auto* each : {&hours[h], &days[h / 24], &all}) each->add(result);
      result.monitor = other;
      db.decide(result);
    }
  }
  db.into_their_hours();
  auto const start = timestamp{(now_hour - 30) * hour}, end = timestamp{(now_hour + 1) * hour};
  auto const compare = [&] {
    auto const by_hour = db.wait(history.series(id, start, end, history_resolution::hour, db.soon()));
    REQUIRE(by_hour.size() == hours.size());
    for (auto const& each : by_hour) hours.at(each.start.micros / hour).check(each.sum);
    auto const by_day = db.wait(history.series(id, start, end, history_resolution::day, db.soon()));
    REQUIRE(by_day.size() == days.size());
    for (auto const& each : by_day) days.at(each.start.micros / hour / 24).check(each.sum);
    for (auto const resolution : {history_resolution::hour, history_resolution::day}) {
      all.check(db.wait(history.sum(id, start, end, resolution, db.soon())).sum);
    }
  };
  compare();
  // At any point of the packing, no result is missing or counted twice.
  for (int steps = 0; db.wait(packs.pack(db.soon())).more; ++steps) {
    if (steps % 7 == 0) compare();
  }
  compare();
}

TEST_CASE("downtime is the known time of outages in the requested time") {
  watched_shop db;
  store::check_history history(db.pool);
  auto const id = db.make_monitor().id;
  std::int64_t const day = 20'000 * 24 * hour;
  auto const outage = [&](std::int64_t from_minute, std::int64_t to_minute, std::int64_t excluded) {
    insert_outage(db, id, {day + from_minute * 60 * second}, {day + to_minute * 60 * second}, excluded);
  };
  outage(30, 90, 0);      // crosses the end of an hour
  outage(100, 110, 300);  // half of it is unknown
  outage(115, 116, 60);   // all of it is unknown
  auto const down = [&](std::int64_t from_minute, std::int64_t to_minute) {
    return db
        .wait(history.sum(id, {day + from_minute * 60 * second}, {day + to_minute * 60 * second},
                          history_resolution::hour, db.soon()))
        .down;
  };
  CHECK(down(0, 60).micros == 30 * 60 * second);
  CHECK(down(60, 120).micros == 35 * 60 * second);
  CHECK(down(60, 120).outages == 3);
  CHECK(down(0, 120).micros == 65 * 60 * second);
  CHECK(down(120, 180).outages == 0);
  // An open outage lasts until now.
  db.decide(db.result_at(id, 0, checks::status::down));
  auto const now = system_now();
  auto const open =
      db.wait(history.sum(id, {now.micros - hour}, {now.micros + hour}, history_resolution::hour, db.soon()));
  CHECK(open.down.outages == 1);
  CHECK(open.down.micros > 30 * second);
  CHECK(open.down.micros <= 61 * second);
}

TEST_CASE("a monitor that was never up has no uptime, and was observed for no longer than it exists") {
  watched_shop db;
  store::check_history history(db.pool);
  auto const id = db.make_monitor().id;
  struct {
    std::int64_t slot;  // in milliseconds since 40 s ago
    std::chrono::seconds covers;
  } const results[] = {{0, std::chrono::seconds(36)}, {36'000, std::chrono::seconds(60)}};
  auto const first = db.result_at(id, 0).kept.started_ms * 1000;
  for (auto const& [slot, covers] : results) {
    CAPTURE(slot);
    auto result = db.result_at(id, slot, checks::status::down);
    result.covers = covers;
    REQUIRE(db.decide(std::move(result)).counted);
    auto const now = system_now().micros;
    auto const found = db.wait(history.sum(id, {now - hour}, {now + hour}, history_resolution::hour, db.soon()));
    CHECK(found.sum.observed * second <= system_now().micros - first);
    CHECK(found.down.outages == 1);
    CHECK(store::uptime_of(found.sum.observed, found.down.micros) == 0);
  }
}

TEST_CASE("each hour of a series has the downtime in it") {
  watched_shop db;
  store::check_history history(db.pool);
  db.as_owner("UPDATE check_packing SET hour = hour - 9");
  auto const first = db.number({{"series_from", "SELECT hour FROM check_packing"}}) + 1;
  auto const id = db.make_monitor().id;
  for (std::int64_t h = first; h < first + 8; h += h == first + 4 ? 2 : 1) {
    auto result = db.result_at(id, 0);
    result.kept.slot = result.kept.started_ms = h * 3'600'000;
    REQUIRE(db.decide(result).counted);
  }
  db.into_their_hours();
  std::vector<std::pair<std::int64_t, std::int64_t>> const minutes{{-30, -10}, {-5, 20},   {20, 30},   {50, 60},
                                                                   {60, 61},   {119, 301}, {310, 320}, {420, 500}};
  for (auto const& [start, last] : minutes) {
    insert_outage(db, id, {first * hour + start * 60 * second}, {first * hour + last * 60 * second});
  }
  auto const parts =
      db.wait(history.series(id, {first * hour}, {(first + 8) * hour}, history_resolution::hour, db.soon()));
  std::string found;
  for (auto const& each : parts) {
    found +=
        std::to_string((each.down.micros + second / 2) / second / 60) + "/" + std::to_string(each.down.outages) + " ";
  }
  CHECK(found == "40/3 2/2 60/1 60/1 60/1 0/0 60/1 ");
}

TEST_CASE("single results are listed newest first, page by page, packed or not, with their problems") {
  watched_shop db;
  store::pack_store packs(db.pool);
  store::check_history history(db.pool);
  db.as_owner("UPDATE check_packing SET hour = hour - 60");
  auto const now_hour = db.number({{"packing_at", "SELECT hour FROM check_packing"}}) + 60;
  auto const id = db.make_monitor().id;
  std::vector<std::int64_t> begins;
  for (std::int64_t h = now_hour - 60; h <= now_hour; h += 3) {
    for (std::int64_t minute = 0; minute < 4; ++minute) {
      auto result = db.result_at(id, 0, minute == 2 ? checks::status::down : checks::status::up);
      result.kept.slot = result.kept.started_ms = h * 3'600'000 + minute * 60'000;
      REQUIRE(db.decide(result).counted);
      begins.insert(begins.begin(), result.kept.started_ms);
    }
  }
  db.into_their_hours();
  auto const listed = [&](store::result_filter filter, std::size_t most, std::size_t skipped = 0) {
    return db.wait(history.results(id, filter, {most, skipped}, db.soon()));
  };
  auto const compare = [&] {
    std::vector<std::int64_t> seen;
    store::result_filter filter;
    for (;;) {
      auto const page = listed(filter, 7);
      if (page.empty()) break;
      for (auto const& each : page) {
        seen.push_back(each.result.started_ms);
        CHECK(each.details.empty() == (each.result.ended == checks::status::up));
      }
      filter.end = timestamp{seen.back() * 1000};
    }
    CHECK(seen == begins);
    auto const down = listed({.ended = checks::status::down}, 100, 5);
    CHECK(down.size() == begins.size() / 4);
    for (std::size_t i = 0; i < down.size(); ++i) CHECK(down[i].details.empty() == (i < 5));
    CHECK(listed({.start = timestamp{begins[9] * 1000}, .end = timestamp{begins[3] * 1000}}, 100).size() == 6);
  };
  compare();
  for (int steps = 0; db.wait(packs.pack(db.soon())).more; ++steps) {
    if (steps % 11 == 0) compare();
  }
  compare();
}
