// The bounds of maintenance windows and their occurrences, and the work that keeps occurrences written ahead.
#include "window_fixture.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

using namespace svc;
using namespace svc::test;
using namespace std::chrono_literals;
using windows::window_state;

namespace {

/// Adds single windows without occurrences. `slot` and `over` are SQL expressions of the number `n`.
void fill_windows(windowed_shop& db, int count, std::string const& slot, std::string const& over) {
  db.as_owner(
      "INSERT INTO maintenance_windows (id, project_id, name, all_monitors, starts_at, ends_at, over_at, slot,"
      " created_by) SELECT gen_random_uuid(), '" +
      db.project.to_string() + "', 'n' || n, true, " + over + " - interval '1 hour', " + over + ", " + over + ", " +
      slot + ", '" + db.ed.to_string() + "' FROM generate_series(1, " + std::to_string(count) + ") n");
}

task<> try_window(windowed_shop& db, windows::window_settings set, int& made, int& refused, int& left) {
  auto const done = co_await db.planned.create(db.as_ed(), db.ed, std::move(set), db.soon());
  if (done) ++made;
  if (!done && done.error().code == errc::window_limit_reached) ++refused;
  --left;
}

constexpr auto due_now = "UPDATE maintenance_windows SET extend_at = clock_timestamp() - interval '1 s'";

}  // namespace

TEST_CASE(
    "a project has exactly 100 unfinished windows, however many arrive at once, and a finished one makes room") {
  windowed_shop db;
  fill_windows(db, 60, "n", "now() + interval '1 day'");
  int made = 0, refused = 0, left = 64;
  for (int i = 0; i < 64; ++i) {
    asio::co_spawn(db.io, try_window(db, db.nightly("w" + std::to_string(i)), made, refused, left), asio::detached);
  }
  db.io.restart();
  while (left > 0 && db.io.run_one() > 0) {
  }
  CHECK(made == 40);
  CHECK(refused == 24);
  CHECK(db.rows("maintenance_windows") == 100);
  db.as_owner(
      "UPDATE maintenance_windows SET starts_at = now() - interval '2 hours', ends_at = now() - interval '1 hour',"
      " over_at = now() - interval '1 hour' WHERE slot = 7");
  CHECK(db.create(db.single()).has_value());
  CHECK(failure(db.create(db.single())) == errc::window_limit_reached);
  CHECK(db.rows("maintenance_windows WHERE slot IS NULL") == 1);
  for (auto const* slot : {"0", "101", "7"}) {
    CAPTURE(slot);
    auto const forced = db.run({{"window_force_test",
                                 "INSERT INTO maintenance_windows (id, project_id, name, starts_at, ends_at, over_at,"
                                 " slot, created_by) VALUES ($1, $2, 'forced', now(), now() + interval '1 h',"
                                 " now() + interval '1 h', $3::text::smallint, $4)"},
                                postgres::parameters(uuid::generate_v7(), db.project, slot, db.ed)});
    REQUIRE_FALSE(forced.has_value());
    CHECK(forced.error().constraint ==
          (std::string(slot) == "7" ? "maintenance_windows_slot_unique" : "maintenance_windows_slot_range"));
  }
}

TEST_CASE("a project keeps its newest 1000 finished windows") {
  windowed_shop db;
  fill_windows(db, 1000, "NULL", "now() - n * interval '1 hour'");
  fill_windows(db, 2, "n", "now() - n * interval '1 minute'");
  CHECK(db.wait(db.occurrences.due_projects(db.soon())) == std::vector<uuid>{db.project});
  std::vector<changed_thing> noted;
  db.occurrences.when_finished([&](std::vector<changed_thing> changes) { noted = std::move(changes); });
  CHECK(db.wait(db.occurrences.extend(db.project, db.soon())) == 0);
  CHECK(db.rows("maintenance_windows") == 1000);
  CHECK(db.rows("maintenance_windows WHERE over_at < now() - interval '998.5 hours'") == 0);
  REQUIRE(noted.size() == 1);
  CHECK(noted[0].resource == "maintenance_window");
  CHECK(db.wait(db.occurrences.due_projects(db.soon())).empty());
}

TEST_CASE("a window has at most 64 occurrences ahead, and a project at most 10000 with the past") {
  windowed_shop db;
  auto hourly = db.nightly();
  hourly.recurring->cron = "0 * * * *";
  auto const made = db.make(hourly);
  CHECK(db.occurrences_of(made.id).size() == 64);
  db.as_owner(
      "INSERT INTO maintenance_occurrences SELECT gen_random_uuid(), project_id, id, now() - n * interval '2 hours',"
      " now() - n * interval '2 hours' + interval '1 hour', true FROM maintenance_windows, generate_series(1, 9936) "
      "n");
  CHECK(db.rows("maintenance_occurrences") == 10'000);
  db.make(hourly);
  CHECK(db.rows("maintenance_occurrences") == 10'000);
  CHECK(db.rows("maintenance_occurrences WHERE ends_at > now()") == 128);
  CHECK(db.rows("maintenance_occurrences WHERE starts_at < now() - interval '19744.5 hours'") == 0);
}

TEST_CASE("an extension writes the next occurrences, once, and keeps the ids of those that stay") {
  windowed_shop db;
  auto const made = db.make(db.nightly());
  auto const before = db.occurrences_of(made.id);
  CHECK(db.wait(db.occurrences.due_projects(db.soon())).empty());
  CHECK(db.wait(db.occurrences.extend(db.project, db.soon())) == 0);
  db.as_owner(std::string(due_now) +
              "; DELETE FROM maintenance_occurrences WHERE starts_at > now() + interval '30 days'");
  CHECK(db.wait(db.occurrences.due_projects(db.soon())) == std::vector<uuid>{db.project});
  CHECK(db.wait(db.occurrences.extend(db.project, db.soon())) == 1);
  auto const after = db.occurrences_of(made.id);
  CHECK(after.size() == before.size());
  CHECK(after.front() == before.front());
  CHECK(after.back() != before.back());
  CHECK(db.wait(db.occurrences.due_projects(db.soon())).empty());
  CHECK(db.read(made.id).version == made.version);
}

TEST_CASE("an extension replaces occurrences that new rules of the zones move, and their monitors learn of it") {
  windowed_shop db;
  auto const monitor = db.make_monitor().id;
  auto const made = db.make(db.nightly());
  auto const before = db.occurrences_of(made.id);
  auto const extend = [&] {
    db.as_owner(due_now);
    CHECK(db.wait(db.occurrences.extend(db.project, db.soon())) == 1);
  };
  CHECK_FALSE(db.touches(monitor, extend));
  db.as_owner(
      "UPDATE maintenance_occurrences SET starts_at = starts_at + interval '1 hour',"
      " ends_at = ends_at + interval '1 hour'");
  CHECK(db.touches(monitor, extend));
  CHECK(db.read(made.id).next->starts_at == made.next->starts_at);
  CHECK(db.occurrences_of(made.id).size() == before.size());
}

TEST_CASE("an extension adds an occurrence that no instance wrote in time and that still lasts") {
  windowed_shop db;
  auto const monitor = db.make_monitor().id;
  auto set = db.nightly();
  set.recurring->cron = "0 * * * *";
  auto const made = db.make(set);
  db.as_owner(
      "DELETE FROM maintenance_occurrences; UPDATE maintenance_windows SET planned_until = now() - interval"
      " '30 days', extend_at = now() - interval '30 days'");
  CHECK(db.covered_now(monitor) == 0);
  CHECK(db.wait(db.occurrences.extend(db.project, db.soon())) == 1);
  CHECK(db.covered_now(monitor) == 1);
  CHECK(db.read(made.id).state == window_state::active);
  CHECK(db.rows("maintenance_occurrences WHERE ends_at <= now()") == 0);
}

TEST_CASE("an extension finds the last occurrence of a window, after which the window is finished") {
  windowed_shop db;
  auto const made = db.make(db.nightly());
  db.as_owner("UPDATE maintenance_windows SET until_at = now() + interval '3 days'; " + std::string(due_now));
  CHECK(db.wait(db.occurrences.extend(db.project, db.soon())) == 1);
  CHECK(db.occurrences_of(made.id).size() == 3);
  CHECK(db.rows("maintenance_windows w WHERE over_at = (SELECT max(ends_at) FROM maintenance_occurrences)") == 1);
  db.as_owner("UPDATE maintenance_windows SET over_at = now(); DELETE FROM maintenance_occurrences");
  CHECK(db.read(made.id).state == window_state::finished);
}

TEST_CASE("a zone that is unknown here leaves a window as it is") {
  windowed_shop db;
  auto const made = db.make(db.nightly());
  auto const before = db.occurrences_of(made.id);
  db.as_owner("UPDATE maintenance_windows SET time_zone = 'Mars/Olympus'; " + std::string(due_now));
  CHECK(db.wait(db.occurrences.extend(db.project, db.soon())) == 0);
  CHECK(db.occurrences_of(made.id) == before);
  CHECK(db.wait(db.occurrences.due_projects(db.soon())).empty());
}

TEST_CASE("an extension leaves a project that another transaction holds for the next round") {
  windowed_shop db;
  db.make(db.nightly());
  db.as_owner(due_now);
  auto work = db.wait(db.pool.begin(db.soon()));
  postgres::query const hold{{"window_hold_test", "SELECT FROM projects WHERE id = $1 FOR SHARE"},
                             postgres::parameters(db.project)};
  REQUIRE(db.wait(work.run(hold)).has_value());
  CHECK(db.wait(db.occurrences.extend(db.project, db.soon())) == 0);
  REQUIRE(db.wait(work.commit()).has_value());
  CHECK(db.wait(db.occurrences.extend(db.project, db.soon())) == 1);
}

TEST_CASE("the search for windows that are due reads only through indexes") {
  windowed_shop db;
  fill_windows(db, 100, "n", "now() + interval '1 day'");
  fill_windows(db, 1000, "NULL", "now() - n * interval '1 hour'");
  db.as_owner("ANALYZE maintenance_windows");
  postgres::pool pool(db.io, {.url = secret_string(db.url()), .size = 1});
  pool.start();
  CHECK(db.wait(store::occurrence_store(pool).due_projects(db.soon())).empty());
  db.check_plans(pool,
                 {{"occurrence_due_projects", "20", {"maintenance_windows_to_extend", "maintenance_windows_over"}}},
                 [](plan_case const&, std::string const& plan) {
                   CHECK(plan.find("Seq Scan on maintenance_windows") == std::string::npos);
                 });
}
