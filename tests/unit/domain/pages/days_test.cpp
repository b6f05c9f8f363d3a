#include "svc/domain/pages/days.hpp"

#include <doctest/doctest.h>

using namespace svc;
using namespace svc::pages;

namespace {

constexpr std::int64_t second = 1'000'000;

/// A day of 1 000 s from 1970 on, whose monitors were observed all the time.
constexpr local_day short_day{.day = 0, .starts_at = {0}, .ends_at = {1000 * second}};

down_period down(std::int64_t first, std::int64_t last, double known = 1) {
  return {{first * second}, {last * second}, known};
}

monitor_day observed(std::vector<down_period> downs = {}, std::int64_t seconds = 1000) {
  return {.observed_seconds = seconds, .downs = std::move(downs)};
}

day_bar bar_of(std::vector<monitor_day> const& monitors, aggregation rule = aggregation::worst_case,
               std::vector<status_period> const& periods = {}) {
  return bar_of_day(monitors, rule, periods, short_day, short_day.ends_at);
}

}  // namespace

TEST_CASE("local days start at midnight of the zone, also on days with a change of the clock") {
  struct row {
    char const* zone;
    std::int64_t day, hours;
  };
  // 29 March and 25 October 2026 in Berlin; 6 September 2026 in Santiago, whose midnight is skipped.
  for (auto const& [zone, day, hours] : std::initializer_list<row>{{"UTC", 20541, 24},
                                                                   {"no such zone", 20541, 24},
                                                                   {"Europe/Berlin", 20541, 23},
                                                                   {"Europe/Berlin", 20542, 24},
                                                                   {"Europe/Berlin", 20751, 25},
                                                                   {"America/Santiago", 20702, 23},
                                                                   {"Asia/Kolkata", 20541, 24}}) {
    CAPTURE(zone);
    CAPTURE(day);
    auto const found = day_in_zone(zone, day);
    CHECK(found.ends_at.micros - found.starts_at.micros == hours * 3600 * second);
    CHECK(found.ends_at == day_in_zone(zone, day + 1).starts_at);
    CHECK(day_of_moment(zone, found.starts_at).day == day);
    CHECK(day_of_moment(zone, {found.ends_at.micros - 1}).day == day);
    CHECK(day_of_moment(zone, found.ends_at).day == day + 1);
  }
  CHECK(day_in_zone("Europe/Berlin", 20542).starts_at.micros == (20542LL * 86400 - 2 * 3600) * second);
}

TEST_CASE("the bar of a day follows the rule of the component") {
  auto bar = bar_of({observed()});
  CHECK(bar.worst == component_status::operational);
  CHECK(bar.up_seconds == 1000);
  CHECK(bar.down_seconds == 0);
  // Both were down at once for 100 s, and one of them for 300 s in all.
  std::vector<monitor_day> const two{observed({down(100, 300)}), observed({down(200, 400)})};
  bar = bar_of(two);
  CHECK(bar.worst == component_status::major_outage);
  CHECK(bar.down_seconds == 300);
  CHECK(bar.up_seconds == 700);
  bar = bar_of(two, aggregation::majority_vote);
  CHECK(bar.worst == component_status::major_outage);
  CHECK(bar.down_seconds == 100);
  bar = bar_of({observed({down(0, 10)}), observed(), observed()}, aggregation::majority_vote);
  CHECK(bar.worst == component_status::degraded_performance);
  CHECK(bar.down_seconds == 0);
  CHECK(bar_of({observed({down(0, 10)}), observed()}).worst == component_status::partial_outage);
}

TEST_CASE("a day counts only what lies in it and what results cover") {
  CHECK(bar_of({observed({down(-500, 100), down(900, 5000)})}).down_seconds == 200);
  CHECK(bar_of({observed({down(1000, 2000), down(-10, 0)})}).worst == component_status::operational);
  CHECK(bar_of({observed({down(0, 400, 0.25)})}).down_seconds == 100);
  // An outage that results never covered is an outage without downtime.
  auto bar = bar_of({observed({down(0, 400, 0)})});
  CHECK(bar.worst == component_status::major_outage);
  CHECK(bar.down_seconds == 0);
  // One monitor with half the evidence, one without any.
  bar = bar_of({observed({}, 500), observed({}, 0)});
  CHECK(bar.up_seconds == 500);
  CHECK(bar.worst == component_status::operational);
  CHECK(bar_of({observed({down(0, 600)}, 100)}).down_seconds == 600);
  CHECK(bar_of({observed({down(0, 600)}, 100)}).up_seconds == 0);
  CHECK(bar_of({observed({}, 5000)}).up_seconds == 1000);
  CHECK(bar_of_day(std::vector{observed({down(0, 900)})}, aggregation::worst_case, {}, short_day, {500 * second})
            .down_seconds == 500);
}

TEST_CASE("a day without evidence is unknown, unless an incident or maintenance says more") {
  CHECK(bar_of({}).worst == component_status::unknown);
  CHECK(bar_of({observed({}, 0)}).worst == component_status::unknown);
  status_period const planned{{100 * second}, {200 * second}, component_status::under_maintenance};
  status_period const said{{900 * second}, {1500 * second}, component_status::partial_outage};
  status_period const before{{-100 * second}, {0}, component_status::major_outage};
  CHECK(bar_of({}, aggregation::worst_case, {planned, before}).worst == component_status::under_maintenance);
  CHECK(bar_of({observed()}, aggregation::worst_case, {planned, said}).worst == component_status::partial_outage);
  CHECK(bar_of({observed()}, aggregation::worst_case, {said}).down_seconds == 0);
  CHECK(bar_of_day({}, aggregation::worst_case, {}, short_day, {0}).worst == component_status::unknown);
}
