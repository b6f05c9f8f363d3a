// The stored days of components.
#include "page_fixture.hpp"

#include "svc/domain/pages/days.hpp"

#include <string>

using namespace svc;
using namespace svc::test;
using pages::component_status;

namespace {

constexpr std::int64_t second_micros = 1'000'000;

pages::local_day yesterday(paged_shop& db, std::string const& zone = "UTC") {
  return pages::day_in_zone(zone, pages::day_of_moment(zone, db.now()).day - 1);
}

std::string sql_time(timestamp moment) {
  return "to_timestamp(" + std::to_string(moment.micros / second_micros) + ")";
}

/// Packed results that cover all hours of these days.
void observe(paged_shop& db, uuid monitor, timestamp start, timestamp end) {
  db.as_owner(
      "INSERT INTO check_hours (ring, hour, monitor_id, location_id, checks, up, down, observed, sum_ms, times,"
      " results) SELECT (h / 24 % 40)::smallint, h, '" +
      monitor.to_string() +
      "', '00000000-0000-0000-0000-000000000000', 60, 60, 0, 3600, 0, '', '' FROM generate_series(" +
      std::to_string(start.micros / second_micros / 3600) + ", " +
      std::to_string(end.micros / second_micros / 3600 - 1) + ") h");
}

void add_outage(paged_shop& db, uuid monitor, timestamp start, timestamp end) {
  db.as_owner(
      "INSERT INTO outages (id, project_id, monitor_id, started_at, detected_at, ended_at, end_reason, cause,"
      " cause_message, cause_location, locations_down) SELECT gen_random_uuid(), project_id, id, " +
      sql_time(start) + ", " + sql_time(start) + ", " + sql_time(end) +
      ", 'recovered', 1, 'refused', 'default', '{default}' FROM monitors WHERE id = '" + monitor.to_string() + "'");
}

/// Stores the finished days of all components that are due, until none is.
void store_days(paged_shop& db) {
  // A day settles for ten minutes; the test does not wait for them.
  for (auto due = db.wait(db.upkeep.components_due(db.soon())); !due.empty();
       due = db.wait(db.upkeep.components_due(db.soon())))
    for (uuid const id : due) db.wait(db.upkeep.store_days(id, db.soon()));
}

std::string row_of(paged_shop& db, uuid component, std::int64_t day) {
  return db.words(
      "SELECT worst || '/' || up_seconds || '/' || down_seconds FROM page_component_days"
      " WHERE component_id = '" +
      component.to_string() + "' AND day = date '1970-01-01' + " + std::to_string(day));
}

}  // namespace

TEST_CASE("finished days of a component are stored from its results and outages, also those before its creation") {
  paged_shop db;
  auto const first = db.make_monitor().id, second_monitor = db.make_monitor(db.wanted("second")).id;
  auto const page = db.make_page();
  auto const day = pages::day_in_zone("UTC", yesterday(db).day - 1);
  for (auto const monitor : {first, second_monitor}) observe(db, monitor, day.starts_at, day.ends_at);
  add_outage(db, first, day.starts_at + std::chrono::hours(1), day.starts_at + std::chrono::hours(2));
  add_outage(db, second_monitor, day.starts_at + std::chrono::minutes(90), day.starts_at + std::chrono::minutes(150));
  auto const web = db.make_component(page.id, {first, second_monitor});
  auto const vote = db.create_component(
      page.id, {.name = "vote", .monitors = {first, second_monitor}, .rule = pages::aggregation::majority_vote});
  REQUIRE(vote.has_value());
  store_days(db);
  CHECK(row_of(db, web.id, day.day) == "major_outage/81000/5400");
  CHECK(row_of(db, vote->id, day.day) == "major_outage/84600/1800");
  CHECK(row_of(db, web.id, day.day - 5) == "unknown/0/0");
  CHECK(db.rows("page_component_days WHERE component_id = '" + web.id.to_string() + "'") >= 88);
  CHECK(db.wait(db.upkeep.components_due(db.soon())).empty());
  auto const bars = db.serve(page.id).snapshot.components.at(0).days;
  REQUIRE(bars.size() == pages::most_days);
  CHECK(bars[bars.size() - 3].worst == component_status::major_outage);
  CHECK(bars[bars.size() - 3].down_seconds == 5400);
}

TEST_CASE("yesterday has its bar before it is stored") {
  paged_shop db;
  auto const monitor = db.make_monitor().id;
  auto const page = db.make_page();
  auto const day = yesterday(db);
  observe(db, monitor, day.starts_at, day.ends_at);
  add_outage(db, monitor, day.starts_at + std::chrono::hours(1), day.starts_at + std::chrono::hours(2));
  auto const web = db.make_component(page.id, {monitor});
  CHECK(row_of(db, web.id, day.day).empty());
  auto const bars = db.serve(page.id).snapshot.components.at(0).days;
  REQUIRE(bars.size() == pages::most_days);
  CHECK(bars[bars.size() - 2].worst == component_status::major_outage);
  CHECK(bars[bars.size() - 2].up_seconds == 82'800);
  CHECK(bars[bars.size() - 2].down_seconds == 3'600);
  // The stored day wins, whatever happens to the monitor.
  db.as_owner("INSERT INTO page_component_days SELECT id, date '1970-01-01' + " + std::to_string(day.day) +
              ", 'operational', 86400, 0 FROM page_components");
  CHECK(db.serve(page.id).snapshot.components.at(0).days.at(pages::most_days - 2).down_seconds == 0);
}

TEST_CASE("stored days stay when monitors are edited, deleted or purged, and when the component changes") {
  paged_shop db;
  auto const monitor = db.make_monitor().id;
  auto const page = db.make_page();
  auto const day = pages::day_in_zone("UTC", yesterday(db).day - 1);
  observe(db, monitor, day.starts_at, day.ends_at);
  add_outage(db, monitor, day.starts_at, day.starts_at + std::chrono::hours(1));
  auto const web = db.make_component(page.id, {monitor});
  store_days(db);
  auto const stored = row_of(db, web.id, day.day);
  CHECK(stored == "major_outage/82800/3600");
  CHECK_FALSE(failure(db.wait(db.monitors.remove(db.as_ed(), monitor, db.soon()))));
  db.as_owner("DELETE FROM outages; DELETE FROM check_hours; DELETE FROM monitors");
  db.as_owner("UPDATE page_components SET days_due_at = now() - interval '1 s'");
  store_days(db);
  CHECK(row_of(db, web.id, day.day) == stored);
  db.as_owner("UPDATE page_components SET days_until = NULL, days_due_at = now() - interval '1 s'");
  store_days(db);
  CHECK(row_of(db, web.id, day.day) == stored);
  CHECK(db.serve(page.id).snapshot.components.at(0).days.size() == pages::most_days);
}

TEST_CASE("days follow the zone of the page, and a component keeps 95 of them") {
  paged_shop db;
  auto set = db.page_named("acme");
  set.time_zone = "Pacific/Auckland";
  auto const monitor = db.make_monitor().id;
  auto const day = pages::day_in_zone(set.time_zone, yesterday(db, set.time_zone).day - 1);
  observe(db, monitor, day.starts_at, day.ends_at);
  auto const page = db.create_page(set);
  REQUIRE(page.has_value());
  auto const web = db.make_component(page->id, {monitor});
  db.as_owner("INSERT INTO page_component_days SELECT '" + web.id.to_string() +
              "', date '1990-01-01' + n, 'unknown', 0, 0 FROM generate_series(1, 200) n");
  store_days(db);
  auto const length = (day.ends_at.micros - day.starts_at.micros) / second_micros;
  CHECK(row_of(db, web.id, day.day) == "operational/" + std::to_string(length) + "/0");
  CHECK(row_of(db, web.id, day.day - 1) == "unknown/0/0");
  CHECK(db.rows("page_component_days") == 95);
  CHECK(db.change_page(page->id, [](auto& next) { next.time_zone = "UTC"; }).has_value());
  CHECK(db.wait(db.upkeep.components_due(db.soon())) == std::vector{web.id});
  store_days(db);
}

TEST_CASE("two instances store a day once") {
  paged_shop db;
  auto const page = db.make_page();
  auto const web = db.make_component(page.id);
  auto other = db.wait(db.pool.begin(db.soon()));
  postgres::query const hold{{"days_hold_test", "SELECT FROM page_components WHERE id = $1 FOR NO KEY UPDATE"},
                             postgres::parameters(web.id)};
  REQUIRE(db.wait(other.run(hold)).has_value());
  db.wait(db.upkeep.store_days(web.id, db.soon()));
  CHECK(db.rows("page_component_days") == 0);
  REQUIRE(db.wait(other.commit(std::vector<postgres::query>{})).has_value());
  store_days(db);
  CHECK(db.rows("page_component_days") >= 88);
}
